package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/helve-dev/helve/internal/scope"
	"github.com/helve-dev/helve/tool"
)

// Remove removes a file, a link or an empty directory.
func (f *folder) Remove(name string) error {
	return f.at("remove", name, f.within(below, scope.Path), func(root *os.Root, p string) error {
		err := root.Remove(p)
		if !errors.Is(err, syscall.ENOTEMPTY) {
			return err
		}
		// What a crash left behind shows in no listing and must not keep a
		// directory alive; listing sweeps it.
		if entries, listErr := f.list(root, p); listErr != nil || len(entries) > 0 {
			return err
		}
		return root.Remove(p)
	})
}

// RemoveAll removes a directory with everything below it.
func (f *folder) RemoveAll(ctx context.Context, name string) (int, error) {
	r := &removal{ctx: ctx, folder: f}
	err := f.at("remove", name, f.within(below, scope.Path), func(root *os.Root, p string) error {
		info, err := root.Lstat(p)
		if err == nil && info.IsDir() {
			// Nothing is removed rather than what this call may reach of it.
			err = scope.Tree(name, f.scopes...)
		}
		if err != nil {
			return err
		}
		return r.remove(root, p, 0)
	})
	return r.removed, err
}

// removal is one RemoveAll.
type removal struct {
	ctx     context.Context
	folder  *folder
	removed int
}

func (r *removal) remove(dir *os.Root, base string, depth int) error {
	if err := r.ctx.Err(); err != nil {
		return tool.AsError(err)
	}
	info, err := dir.Lstat(base)
	if err == nil && info.IsDir() {
		err = r.empty(dir, base, info, depth)
	}
	if err == nil {
		err = dir.Remove(base)
	}
	if err == nil {
		r.removed++
	}
	if depth > 0 && errors.Is(err, fs.ErrNotExist) {
		return nil // somebody else was quicker
	}
	return err
}

// empty removes what is in a directory, unless a link has taken its place.
func (r *removal) empty(dir *os.Root, base string, info fs.FileInfo, depth int) error {
	if depth == maxDepth {
		return tool.Fail(tool.ValidationError, "The directories are nested more than %d deep: remove one further down first.", maxDepth)
	}
	sub, err := r.folder.openDir(dir, base)
	if err != nil {
		return err
	}
	defer sub.Close()
	h, err := sub.Open(".")
	if err != nil {
		return err
	}
	defer h.Close()
	if now, err := h.Stat(); err != nil || !os.SameFile(info, now) {
		return errors.Join(syscall.ENOTDIR, err)
	}
	names, err := h.Readdirnames(-1)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := r.remove(sub, name, depth+1); err != nil {
			return err
		}
	}
	return nil
}
