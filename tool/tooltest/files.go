package tooltest

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"path"
	"strings"
	"testing/fstest"

	"github.com/helve-dev/helve/tool"
)

// Files is a workspace in memory: contents by path. Directories exist because they
// contain something; a key that ends in a slash is an explicit directory, empty or not.
// It fails with the same kinds as a workspace on disk, and must not be nil if the tool
// writes.
type Files map[string]string

// Open opens a file.
func (f Files) Open(name string) (fs.File, error) {
	p, err := f.file(name)
	if err != nil {
		return nil, err
	}
	if _, err := f.Stat(p); err != nil {
		return nil, notFound(name)
	}
	return f.tree().Open(p)
}

// Stat describes a file or directory.
func (f Files) Stat(name string) (fs.FileInfo, error) {
	p, err := local(name)
	if err != nil {
		return nil, err
	}
	info, err := f.tree().Stat(p)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, notFound(name)
	}
	return info, err
}

// ReadDir lists a directory, by name.
func (f Files) ReadDir(name string) ([]fs.DirEntry, error) {
	info, err := f.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, tool.Fail(tool.ValidationError, "Path is a file, not a directory: %s", name)
	}
	return f.tree().ReadDir(path.Clean(name))
}

// Write replaces the file with the contents of data.
func (f Files) Write(name string, data io.Reader) (int64, error) {
	p, err := f.place(name)
	if err != nil {
		return 0, err
	}
	text, err := io.ReadAll(data)
	if err != nil {
		return 0, err
	}
	f[p] = string(text)
	return int64(len(text)), nil
}

// Append adds data to the end of the file.
func (f Files) Append(name string, data []byte) error {
	p, err := f.place(name)
	if err != nil {
		return err
	}
	f[p] += string(data)
	return nil
}

// MkdirAll creates a directory and its parents.
func (f Files) MkdirAll(name string) error {
	p, err := local(name)
	if err != nil {
		return err
	}
	for dir := p; dir != "."; dir = path.Dir(dir) {
		if _, taken := f[dir]; taken {
			return tool.Fail(tool.ValidationError, "Path is a file, not a directory: %s", name)
		}
	}
	f.keep(p)
	return nil
}

// keep makes directories explicit, so that they remain when they are empty.
func (f Files) keep(dir string) {
	for ; dir != "."; dir = path.Dir(dir) {
		f[dir+"/"] = ""
	}
}

// Remove removes a file or an empty directory.
func (f Files) Remove(name string) error {
	info, err := f.Stat(name)
	if err != nil {
		return err
	}
	p := path.Clean(name)
	if p == "." {
		return rooted()
	}
	if info.IsDir() {
		if entries, err := f.ReadDir(p); err != nil || len(entries) > 0 {
			return tool.Fail(tool.ValidationError, "Directory is not empty: %s", name).Because(err)
		}
	}
	delete(f, p)
	delete(f, p+"/")
	f.keep(path.Dir(p))
	return nil
}

// Versions returns none: replaced files are not stored.
func (f Files) Versions(name string) ([]tool.Version, error) {
	_, err := f.file(name)
	return nil, err
}

// Restore fails, because there are no versions.
func (f Files) Restore(name, _ string) (tool.Version, error) {
	if _, err := f.file(name); err != nil {
		return tool.Version{}, err
	}
	return tool.Version{}, tool.Fail(tool.FileNotFound, "No earlier version is kept of %s; file_info lists those of a file.", name)
}

// Rename moves a file or directory.
func (f Files) Rename(from, to string) error {
	if _, err := f.Stat(from); err != nil {
		return err
	}
	target, err := local(to)
	if err != nil {
		return err
	}
	source := path.Clean(from)
	if source == "." || target == "." {
		return rooted()
	}
	if strings.HasPrefix(target, source+"/") {
		return tool.Fail(tool.ValidationError, "A directory cannot be moved into itself: %s", to)
	}
	if info, err := f.Stat(path.Dir(target)); err != nil || !info.IsDir() {
		return notFound(to)
	}
	for name, text := range maps.Clone(f) {
		rest, ok := strings.CutPrefix(name, source)
		if ok && (rest == "" || rest[0] == '/') {
			delete(f, name)
			f[target+rest] = text
		}
	}
	f.keep(path.Dir(source))
	return nil
}

// file returns the clean path of name, which must not be a directory.
func (f Files) file(name string) (string, error) {
	p, err := local(name)
	if err != nil {
		return "", err
	}
	if info, err := f.tree().Stat(p); err == nil && info.IsDir() || strings.HasSuffix(name, "/") {
		return "", tool.Fail(tool.ValidationError, "Path is a directory, not a file: %s", name)
	}
	return p, nil
}

// place returns the clean path of a file that can be written.
func (f Files) place(name string) (string, error) {
	p, err := f.file(name)
	if err != nil {
		return "", err
	}
	parent, err := f.Stat(path.Dir(p))
	switch {
	case err != nil:
		return "", notFound(name)
	case !parent.IsDir():
		return "", tool.Fail(tool.ValidationError, "Path passes through a file: %s", name)
	}
	return p, nil
}

func (f Files) tree() fstest.MapFS {
	tree := fstest.MapFS{}
	for name, text := range f {
		if dir, ok := strings.CutSuffix(name, "/"); ok {
			tree[dir] = &fstest.MapFile{Mode: fs.ModeDir | 0o755}
		} else {
			tree[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
		}
	}
	return tree
}

func rooted() error {
	return tool.Fail(tool.ValidationError, "The workspace itself cannot be moved or removed.")
}

func notFound(name string) error { return tool.Fail(tool.FileNotFound, "File not found: %s", name) }

// local returns the clean form of a path within the workspace.
func local(name string) (string, error) {
	slashed := strings.ReplaceAll(name, `\`, "/")
	clean := path.Clean(slashed)
	drive := len(slashed) > 2 && slashed[1:3] == ":/"
	switch {
	case name == "":
		return "", tool.Fail(tool.ValidationError,
			"The path is empty; name a file or directory relative to the workspace, and the workspace itself as a dot.")
	case drive, path.IsAbs(clean), clean == "..", strings.HasPrefix(clean, "../"):
		return "", tool.Fail(tool.PathNotAllowed, "Access denied: path is outside the workspace")
	case strings.ContainsRune(name, 0):
		return "", tool.Fail(tool.ValidationError, "The path holds the character NUL, which no name of a file can have; leave it out.")
	case slashed != name:
		return "", tool.Fail(tool.ValidationError, "Paths use forward slashes: write %s", slashed)
	}
	return clean, nil
}
