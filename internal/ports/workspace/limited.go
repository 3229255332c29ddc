package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/helve-dev/helve/internal/policy/scope"
	"github.com/helve-dev/helve/tool"
)

// A limited workspace checks paths by their names, so a link would lead past the
// scopes. It opens one directory after the other, each as a root of its own, and
// compares what it opened with the name: only what the name means without any link is
// accepted, whatever is swapped meanwhile.

func (f *folder) limited() bool { return len(f.scopes) > 0 }

// pathCheck returns the clean form of a path, or the reason why it cannot be used.
type pathCheck func(name string) (string, error)

// within adds the scopes to the check of a path.
func (f *folder) within(check pathCheck, reach func(string, ...tool.Scopes) error) pathCheck {
	return func(name string) (string, error) {
		p, err := check(name)
		if err == nil {
			err = reach(p, f.scopes...)
		}
		return p, err
	}
}

// enter opens the directory p name by name, and creates missing ones if allowed.
func (f *folder) enter(root *os.Root, p string, mayMake bool) (*os.Root, error) {
	dir, err := root.OpenRoot(".")
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(p, "/") {
		if mayMake {
			err = dir.Mkdir(name, 0o755)
		}
		var next *os.Root
		if err == nil || errors.Is(err, fs.ErrExist) {
			next, err = f.openDir(dir, name)
		}
		if err = errors.Join(err, dir.Close()); err != nil {
			return nil, err
		}
		dir = next
	}
	return dir, nil
}

// movable refuses a move past a link, and that of a directory with contents outside the
// scopes, at its old or its new place.
func (f *folder) movable(root *os.Root, from, to string) error {
	if !f.limited() {
		return nil
	}
	source, err := f.enter(root, path.Dir(from), false)
	if err != nil {
		return err
	}
	info, err := source.Lstat(path.Base(from))
	if err = errors.Join(err, source.Close()); err != nil {
		return err
	}
	target, err := f.enter(root, path.Dir(to), false)
	if err == nil {
		err = target.Close()
	}
	if err != nil {
		return failure("move to", to, err)
	}
	if !info.IsDir() {
		return nil
	}
	if err := scope.Tree(from, f.scopes...); err != nil {
		return err
	}
	return scope.Tree(to, f.scopes...)
}

// unlinked refuses opened, unless base means it in dir without a link.
func (f *folder) unlinked(dir *os.Root, base string, opened fs.FileInfo) error {
	if !f.limited() {
		return nil
	}
	info, err := dir.Lstat(base)
	if err == nil && !os.SameFile(info, opened) { // a link is a different file than its target
		return linked()
	}
	return err
}

// noLink refuses a link before anything is created at its target.
func (f *folder) noLink(dir *os.Root, base string) error {
	if !f.limited() {
		return nil
	}
	if info, err := dir.Lstat(base); err == nil && info.Mode().Type() == fs.ModeSymlink {
		return linked()
	}
	return nil
}

func linked() *tool.Error {
	return tool.Fail(tool.PathNotAllowed, "Access denied: the path passes a link, and a call that may reach only part of the workspace "+
		"follows none; use the path of the file itself")
}

// whole refuses a directory that is only on the way to an accessible one.
func (f *folder) whole(name string) error { return scope.Path(name, f.scopes...) }

// visible returns the accessible entries of a directory, and the directories that lead
// to accessible ones.
func (f *folder) visible(name string, entries []fs.DirEntry) []fs.DirEntry {
	if !f.limited() {
		return entries
	}
	var shown []fs.DirEntry
	for _, e := range entries {
		if f.shows(path.Join(name, e.Name()), e.IsDir()) {
			shown = append(shown, e)
		}
	}
	return shown
}

func (f *folder) shows(p string, dir bool) bool {
	return !f.limited() || scope.Path(p, f.scopes...) == nil || dir && scope.Way(p, f.scopes...) == nil
}
