package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"syscall"

	"github.com/helve-dev/helve/internal/policy/scope"
	"github.com/helve-dev/helve/tool"
)

// Remove removes a file, a link or an empty directory. A file is kept as a
// version.
func (f *folder) Remove(name string) error {
	return f.at("remove", name, f.within(below, scope.Path), func(root *os.Root, p string) error {
		if file, err := f.removeFile(root, name, p); file || err != nil {
			return err
		}
		err := root.Remove(p)
		if errors.Is(err, syscall.ENOTEMPTY) {
			// Leftovers of a crash appear in no listing and must not keep a directory
			// alive; listing sweeps them.
			if entries, listErr := f.list(root, p); listErr != nil || len(entries) > 0 {
				return err
			}
			err = root.Remove(p)
		}
		if err == nil {
			f.usage.free(amount{files: 1})
		}
		return err
	})
}

// removeFile removes a regular file, and reports whether p is one. It keeps the file as
// a version if it can: a full or failing disk must not prevent removing files.
func (f *folder) removeFile(root *os.Root, name, p string) (file bool, err error) {
	info, err := root.Lstat(p)
	if err != nil || !info.Mode().IsRegular() {
		return false, err
	}
	parent, err := f.openDir(root, path.Dir(p))
	if err != nil {
		return false, err
	}
	defer parent.Close()
	base := path.Base(p)
	if f.usage.limits.keeps(info.Size()) {
		if key, err := f.key(root, name, p); err == nil && f.keep(parent, base, key, info) == nil {
			return true, nil
		}
	}
	if err := parent.Remove(base); err != nil {
		return false, err
	}
	f.usage.free(amount{info.Size(), 1})
	return true, nil
}

// RemoveAll removes a directory with everything below it.
func (f *folder) RemoveAll(ctx context.Context, name string) (int, error) {
	return f.removeAll(ctx, name, true)
}

// Discard is RemoveAll that keeps no versions.
func (f *folder) Discard(ctx context.Context, name string) error {
	_, err := f.removeAll(ctx, name, false)
	return err
}

func (f *folder) removeAll(ctx context.Context, name string, keep bool) (int, error) {
	r := &removal{ctx: ctx, folder: f}
	err := f.at("remove", name, f.within(below, scope.Path), func(root *os.Root, p string) error {
		info, err := root.Lstat(p)
		if err == nil && info.IsDir() {
			// If a part is out of reach, nothing is removed.
			err = scope.Tree(name, f.scopes...)
		}
		if err == nil && ctx.Err() != nil {
			err = tool.AsError(ctx.Err())
		}
		if err != nil {
			return err
		}
		if keep {
			file, err := f.removeFile(root, name, p)
			if file {
				r.removed++
			}
			if file || err != nil {
				return err
			}
		}
		return r.remove(root, p, 0)
	})
	f.usage.free(r.freed)
	return r.removed, err
}

// removal is one RemoveAll.
type removal struct {
	ctx     context.Context
	folder  *folder
	removed int
	freed   amount
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
		r.freed.files++
		if info.Mode().IsRegular() {
			r.freed.bytes += info.Size()
		}
	}
	if depth > 0 && errors.Is(err, fs.ErrNotExist) {
		return nil // another process removed it first
	}
	return err
}

// empty removes the contents of a directory, unless a link has replaced it.
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
