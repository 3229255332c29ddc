package filesystem

import (
	"context"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// Limits of one copy.
const (
	maxCopied     = 10_000
	maxCopiedSize = 1 << 30
)

const (
	actionCopied = "copied"
	actionMoved  = "moved"
)

// transfer copies or moves a file or directory.
type transfer struct {
	files     tool.Files
	from, to  string // to is the new path itself, not a directory around it
	overwrite bool
	directory bool
	existed   bool // the destination exists
}

type transferResult struct {
	Success     bool   `json:"success"`
	Source      string `json:"source"`
	Destination string `json:"destination" doc:"Where it is now."`
	Action      string `json:"action" enum:"copied,moved"`
	Files       int    `json:"files,omitzero" doc:"How many files were copied."`
	Size        int64  `json:"size,omitzero" doc:"How many bytes were copied."`
}

// transferOf plans a transfer, and refuses an impossible one before anything changes.
// If the destination is a directory, the source goes into it.
func transferOf(files tool.Files, source, destination string, overwrite bool) (*transfer, error) {
	info, err := files.Lstat(source)
	if err != nil {
		return nil, err
	}
	t := &transfer{files: files, from: path.Clean(source), to: destination, overwrite: overwrite, directory: info.IsDir()}
	if t.from == "." {
		return nil, tool.Fail(tool.ValidationError, "The workspace itself cannot be copied or moved; name something in it.")
	}
	there, err := files.Stat(destination)
	switch {
	case err == nil && there.IsDir() && path.Clean(destination) != t.from, missing(err) && strings.HasSuffix(destination, "/"):
		t.to = path.Join(destination, path.Base(t.from))
	case err != nil && !missing(err) && tool.AsError(err).Kind != tool.ValidationError:
		return nil, err
	}
	switch to := path.Clean(t.to); {
	case to == t.from:
		return nil, tool.Fail(tool.ValidationError, "source and destination are the same: %s", t.from)
	case strings.HasPrefix(to, t.from+"/") && t.directory:
		return nil, tool.Fail(tool.ValidationError, "A directory cannot be put into itself: %s", to)
	}
	old, err := files.Lstat(t.to)
	t.existed = err == nil
	switch {
	case t.existed && !overwrite:
		return nil, tool.Fail(tool.ValidationError,
			"The destination exists already: %s; set overwrite to true to replace it, or choose another name.", t.to)
	case t.existed && old.IsDir() != t.directory:
		return nil, tool.Fail(tool.ValidationError, "A file cannot replace a directory, nor a directory a file: %s", t.to)
	}
	return t, nil
}

// move renames. A partial result is never visible.
func (t *transfer) move() error {
	if t.existed && t.directory {
		return tool.Fail(tool.ValidationError,
			"The directory exists already: %s; a directory never takes the place of another, move what is in it.", t.to)
	}
	return inDirectory(t.files, t.to, func() error {
		if t.overwrite {
			return t.files.Rename(t.from, t.to)
		}
		return t.files.Move(t.from, t.to)
	})
}

// copy copies, and returns how many files and bytes it created. If it fails, it removes
// what it created at new paths.
func (t *transfer) copy(ctx context.Context) (count int, size int64, err error) {
	if !t.directory {
		size, err = t.copyFile(ctx, t.from, t.to, maxCopiedSize)
		return 1, size, err
	}
	plan, err := t.plan(ctx)
	if err != nil {
		return 0, 0, err
	}
	for _, dir := range plan.directories {
		if err = t.files.MkdirAll(t.toOf(dir)); err != nil {
			return 0, 0, t.undo(ctx, 0, err)
		}
	}
	for _, file := range plan.files {
		n, err := t.copyFile(ctx, file, t.toOf(file), maxCopiedSize-size)
		if err != nil {
			return 0, 0, t.undo(ctx, count, err)
		}
		count, size = count+1, size+n
	}
	return count, size, nil
}

// toOf returns the destination of an entry below the source.
func (t *transfer) toOf(p string) string { return path.Join(t.to, strings.TrimPrefix(p, t.from)) }

// undo removes the result of a failed copy, unless it was put into an existing
// directory.
func (t *transfer) undo(ctx context.Context, count int, why error) error {
	failure := tool.AsError(why)
	if !t.existed {
		if err := t.files.Discard(context.WithoutCancel(ctx), t.to); err == nil || missing(err) {
			return why
		}
	}
	return tool.Fail(failure.Kind, "%s (%d files were copied before that and are in %s)", failure.Msg, count, t.to).Because(why)
}

// copyPlan is the contents of a directory when its copy begins, so that a copy never
// meets itself.
type copyPlan struct{ directories, files []string }

func (t *transfer) plan(ctx context.Context) (*copyPlan, error) {
	plan := &copyPlan{directories: []string{t.from}}
	var size int64
	err := t.files.Walk(t.from, func(p string, e tool.Entry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if len(plan.directories)+len(plan.files) > maxCopied {
			return tool.Fail(tool.FileTooLarge, "The directory holds more than %d files and directories; copy its parts one by one.", maxCopied)
		}
		if e.IsDir() {
			plan.directories = append(plan.directories, p)
			return t.fits(p, true)
		}
		info, err := t.files.Stat(p) // for a link, the target
		switch {
		case err != nil:
			return err
		case info.IsDir():
			return tool.Fail(tool.ValidationError, "%s is a link to a directory, which is not copied; copy what it names, or remove the link.",
				showName(p))
		case !info.Mode().IsRegular():
			return tool.Fail(tool.PathNotAllowed, "Access denied: neither a file nor a directory: %s", showName(p))
		}
		if size += info.Size(); size > maxCopiedSize {
			return tooLargeToCopy()
		}
		plan.files = append(plan.files, p)
		return t.fits(p, false)
	})
	return plan, err
}

// fits refuses to put p where an entry of another type exists.
func (t *transfer) fits(p string, directory bool) error {
	if !t.existed {
		return nil
	}
	if old, err := t.files.Stat(t.toOf(p)); err == nil && old.IsDir() != directory {
		return tool.Fail(tool.ValidationError, "A file cannot replace a directory, nor a directory a file: %s", showName(t.toOf(p)))
	}
	return nil
}

// copyFile copies a file of at most the given size.
func (t *transfer) copyFile(ctx context.Context, from, to string, most int64) (int64, error) {
	f, err := t.files.Open(from)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	in := &bounded{r: &interruptible{ctx: ctx, r: f}, left: most, excess: tooLargeToCopy()}
	if info.Size() > most {
		return 0, in.excess
	}
	var n int64
	err = inDirectory(t.files, to, func() (err error) {
		n, err = putFile(t.files, to, info.Mode(), in, t.overwrite)
		return err
	})
	return n, err
}

// putFile creates a file, or replaces an existing one if allowed.
func putFile(files tool.Files, to string, mode fs.FileMode, data io.Reader, overwrite bool) (int64, error) {
	if _, err := files.Lstat(to); overwrite && err == nil {
		return files.Write(to, data)
	}
	return files.Create(to, mode, data)
}

// inDirectory writes to a path, and creates missing parent directories only when the
// write needs them, so that a failed write leaves none behind.
func inDirectory(files tool.Files, to string, put func() error) error {
	err := put()
	if !missing(err) {
		return err
	}
	if err := files.MkdirAll(path.Dir(to)); err != nil {
		return err
	}
	return put()
}

func tooLargeToCopy() *tool.Error {
	return tool.Fail(tool.FileTooLarge, "More than %d bytes (1GB) are not copied at once; copy parts one by one.", maxCopiedSize)
}

// bounded returns an error if there is more data than allowed.
type bounded struct {
	r      io.Reader
	left   int64
	excess *tool.Error
}

func (b *bounded) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, b.excess
	}
	return n, err
}
