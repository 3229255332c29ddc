package workspace

import (
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/helve-dev/helve/internal/policy/scope"
	"github.com/helve-dev/helve/tool"
)

// Versions lists the earlier versions of a file, the newest first.
func (f *folder) Versions(name string) ([]tool.Version, error) {
	var all []tool.Version
	err := f.withVersions("read", name, func(s *versionStore, key string) (err error) {
		all, err = s.versions(key)
		return err
	})
	return all, err
}

// Restore replaces the file with an earlier version.
func (f *folder) Restore(name, id string) (tool.Version, error) {
	var version tool.Version
	var o *opened
	var mode fs.FileMode
	err := f.withVersions("restore", name, func(s *versionStore, key string) error {
		all, err := s.versions(key)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(all, func(v tool.Version) bool { return id == "" || v.ID == id })
		if at < 0 {
			return nil
		}
		version = all[at]
		whole := &folder{dir: f.dir, usage: f.usage} // the shelf has no scopes
		if o, err = whole.openFile(s.root, version.ID+"."+digest(key), name); err != nil {
			return err
		}
		info, err := o.Stat()
		if err == nil {
			mode = info.Mode().Perm()
		}
		return err
	})
	switch {
	case err != nil:
		return tool.Version{}, err
	case o == nil && id == "":
		return tool.Version{}, tool.Fail(tool.FileNotFound, "No earlier version is kept of %s; file_info lists those of a file.", name)
	case o == nil:
		return tool.Version{}, tool.Fail(tool.FileNotFound, "No version %q is kept of %s; file_info lists those of a file.", id, name)
	}
	defer o.Close()
	if _, err := f.put(name, mode, o); err != nil {
		return tool.Version{}, err
	}
	return version, nil
}

// withVersions calls do with the earlier versions of the file that name means, if the
// workspace has any.
func (f *folder) withVersions(verb, name string, do func(s *versionStore, key string) error) error {
	p, err := f.within(file, scope.Path)(name)
	if err != nil {
		return err
	}
	root, err := f.root()
	if err != nil {
		return err
	}
	defer root.Close()
	key, err := f.key(root, name, p)
	if err == nil {
		var s *versionStore
		if s, err = f.openVersions(false); err == nil {
			defer s.close()
			err = do(s, key)
		}
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return failure(verb, name, err)
	}
	return nil
}
