package workspace

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"github.com/helve-dev/helve/tool"
)

// escapes is the text of os.Root's error for a link or path that leads outside; the
// standard library does not export it.
const escapes = "path escapes from parent"

// failure returns the reason why an operation on name failed. The wrapped cause keeps
// the host's path for the operator.
func failure(verb, name string, err error) *tool.Error {
	if known, ok := errors.AsType[*tool.Error](err); ok {
		return known
	}
	return explain(verb, name, err).Because(err)
}

func explain(verb, name string, err error) *tool.Error {
	is := func(targets ...error) bool {
		return slices.ContainsFunc(targets, func(target error) bool { return errors.Is(err, target) })
	}
	switch {
	case escaped(err):
		return outside()
	case is(syscall.ENOTEMPTY):
		return tool.Fail(tool.ValidationError, "Directory is not empty: %s", name)
	case is(syscall.EISDIR):
		return directory(name)
	case is(syscall.ENOTDIR, fs.ErrExist):
		return tool.Fail(tool.ValidationError, "Path is a file or passes through one, a directory is needed: %s", name)
	case is(fs.ErrNotExist):
		return tool.Fail(tool.FileNotFound, "File not found: %s", name)
	case is(syscall.ENAMETOOLONG):
		return tooLong()
	case is(syscall.ELOOP):
		return tool.Fail(tool.PathNotAllowed, "Access denied: the links of the path go round in circles: %s", name)
	case is(syscall.ENXIO, syscall.ENODEV):
		return special(name)
	case is(syscall.EINVAL):
		return tool.Fail(tool.ValidationError, "The file system does not allow to %s %s; choose another path.", verb, name)
	case is(syscall.EROFS):
		return tool.Fail(tool.ExecutionError, "The workspace is read-only: cannot %s %s", verb, name)
	case is(fs.ErrPermission):
		return tool.Fail(tool.PermissionDenied, "Permission denied: cannot %s %s", verb, name)
	case is(syscall.ENOSPC, syscall.EDQUOT):
		return tool.Fail(tool.ExecutionError, "The disk is full: cannot %s %s; remove files that are no longer needed.", verb, name)
	case is(syscall.EFBIG):
		return tool.Fail(tool.ExecutionError, "The file would become too large for the disk: %s", name)
	case is(syscall.EMFILE, syscall.ENFILE):
		return tool.Fail(tool.ExecutionError, "Too many files are open on the worker: cannot %s %s; try again later.", verb, name)
	}
	return tool.Fail(tool.ExecutionError, "The disk failed: cannot %s %s", verb, name)
}

func escaped(err error) bool {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error() == escapes
	}
	e, ok := errors.AsType[*os.LinkError](err)
	return ok && e.Err.Error() == escapes
}

func special(name string) *tool.Error {
	return tool.Fail(tool.PathNotAllowed, "Access denied: neither a file nor a directory: %s", name)
}

// regular refuses everything but regular files.
func regular(name string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return directory(name)
	case !info.Mode().IsRegular():
		return special(name)
	}
	return nil
}
