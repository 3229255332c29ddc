package tool

// Change is one text that a call replaces or removes: a file of the workspace, or the code of a
// tool. See [Spec].
type Change struct {
	// Path is the file, relative to the workspace.
	Path string
	// New has its contents afterwards. Nil means that it is gone, or that nobody knows before the
	// call runs.
	New []byte
	// Appends is set if New is added to the end of what is there.
	Appends bool
	// Held has the contents now, for a text that is no file of the workspace.
	Held *string
}

// Replaces returns the changes of a call that writes these files and does not know their contents
// before it runs. An empty path is none.
func Replaces(paths ...string) []Change {
	var all []Change
	for _, p := range paths {
		if p != "" {
			all = append(all, Change{Path: p})
		}
	}
	return all
}
