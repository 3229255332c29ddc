package tooltest

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Lstat is Stat: there are no links.
func (f Files) Lstat(name string) (fs.FileInfo, error) { return f.Stat(name) }

// Times returns zero times.
func (f Files) Times(name string) (created, accessed time.Time, err error) {
	_, err = f.Stat(name)
	return time.Time{}, time.Time{}, err
}

// Create writes a new file. The permissions are not kept.
func (f Files) Create(name string, _ fs.FileMode, data io.Reader) (int64, error) {
	if _, err := f.Stat(name); err == nil {
		return 0, taken(name)
	}
	return f.Write(name, data)
}

// Move is Rename, but it replaces nothing.
func (f Files) Move(from, to string) error {
	if _, err := f.Stat(from); err != nil {
		return err
	}
	if _, err := f.Stat(to); err == nil && path.Clean(from) != "." {
		return taken(to)
	}
	return f.Rename(from, to)
}

// Walk visits everything below a directory.
func (f Files) Walk(name string, visit tool.Visit) error {
	err := f.walk(path.Clean(name), name, visit)
	if errors.Is(err, fs.SkipAll) {
		return nil
	}
	return err
}

func (f Files) walk(at, name string, visit tool.Visit) error {
	entries, err := f.ReadDir(name)
	if err != nil {
		return err
	}
	for _, e := range entries {
		p := path.Join(at, e.Name())
		err := visit(p, walked{e, f, p}, nil)
		if err == nil && e.IsDir() {
			err = f.walk(p, p, visit)
		}
		switch {
		case err == nil, errors.Is(err, fs.SkipDir) && e.IsDir():
		case errors.Is(err, fs.SkipDir):
			return nil
		default:
			return err
		}
	}
	return nil
}

// walked is an entry visited by a walk.
type walked struct {
	fs.DirEntry

	files Files
	path  string
}

// Open opens a file.
func (w walked) Open() (fs.File, error) { return w.files.Open(w.path) }

// RemoveAll removes a directory with everything below it.
func (f Files) RemoveAll(ctx context.Context, name string) (int, error) {
	info, err := f.Stat(name)
	switch {
	case err != nil:
		return 0, err
	case path.Clean(name) == ".":
		return 0, rooted()
	}
	all := []string{path.Clean(name)}
	if info.IsDir() {
		err = f.Walk(name, func(p string, _ tool.Entry, err error) error {
			all = append(all, p)
			return err
		})
	}
	slices.Reverse(all)
	for i, p := range all {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return i, err
		}
		err = f.Remove(p)
	}
	return len(all), err
}

// Discard is RemoveAll.
func (f Files) Discard(ctx context.Context, name string) error {
	_, err := f.RemoveAll(ctx, name)
	return err
}

func taken(name string) error {
	return tool.Fail(tool.ValidationError, "The path exists already: %s; choose another name.", strings.TrimSuffix(name, "/"))
}
