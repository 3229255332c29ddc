package workspace

import "os"

// Erase removes the workspace of a user with all earlier versions of its files and
// the programs that the user installed. Nothing
// that does not exist is an error.
func (w *Workspaces) Erase(tenant, user string) error {
	dir, err := w.place(tenant, user)
	if err != nil {
		return err
	}
	for _, path := range []string{dir, dir + versionsSuffix, dir + programsSuffix} {
		if err := os.RemoveAll(path); err != nil {
			return failure("remove", "the workspace", err)
		}
	}
	w.usages.mu.Lock()
	defer w.usages.mu.Unlock()
	delete(w.usages.all, dir) // it is counted again when needed
	return nil
}
