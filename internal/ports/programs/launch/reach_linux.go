package launch

import (
	"errors"

	"golang.org/x/sys/unix"

	"github.com/helve-dev/helve/tool"
)

// devices and machine list what programs may access beside the operator's list: devices
// for reading and writing, machine for reading information about the machine.
var (
	devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}
	machine = []string{"/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/loadavg", "/proc/uptime", "/proc/version", "/proc/filesystems"}
)

// openBelow opens a path as a location only, without reading. The kernel follows the
// path in one step, so that nothing can be swapped meanwhile.
func openBelow(dir int, path string, flags, resolve uint64) (int, error) {
	return unix.Openat2(dir, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC | flags, Resolve: resolve})
}

// openGrant opens a part of the workspace that the program may use; -1 if it does not
// exist. It does not follow a link, because its target was not granted.
func openGrant(top int, grant string) (int, *Report) {
	fd, err := openBelow(top, grant, 0, unix.RESOLVE_BENEATH|unix.RESOLVE_NO_SYMLINKS|unix.RESOLVE_NO_MAGICLINKS)
	switch {
	case err == nil:
		return fd, nil
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR):
		return -1, nil
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.EXDEV):
		return -1, failureReport(tool.PathNotAllowed, "Access denied: "+grant+" is reached through a link", err)
	}
	return -1, failureReport(tool.Internal, "The workspace cannot be opened", err)
}

// enterDir changes into the directory of the run. A link may lead to another directory
// of the workspace, never out of it.
func (j *Job) enterDir() *Report {
	top, err := openBelow(unix.AT_FDCWD, j.Workspace, unix.O_DIRECTORY, 0)
	if err != nil {
		return failureReport(tool.Internal, "The workspace cannot be opened", err)
	}
	defer unix.Close(top)
	for _, grant := range j.Grants {
		fd, failure := openGrant(top, grant)
		if failure != nil {
			return failure
		}
		if fd >= 0 {
			unix.Close(fd)
		}
	}
	resolve := uint64(unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS)
	if len(j.Grants) != 1 || j.Grants[0] != "." {
		resolve |= unix.RESOLVE_NO_SYMLINKS
	}
	dir := j.Dir
	if dir == "" {
		dir = "."
	}
	fd, err := openBelow(top, dir, unix.O_DIRECTORY, resolve)
	if err == nil {
		defer unix.Close(fd)
		err = unix.Fchdir(fd)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EXDEV), errors.Is(err, unix.ELOOP):
		return failureReport(tool.PathNotAllowed, "Access denied: path is outside the workspace", err)
	case errors.Is(err, unix.ENOENT):
		return failureReport(tool.FileNotFound, "Directory not found: "+dir, err)
	case errors.Is(err, unix.ENOTDIR):
		return failureReport(tool.ValidationError, "Path is a file, not a directory: "+dir, err)
	case errors.Is(err, unix.EACCES):
		return failureReport(tool.PathNotAllowed, "Access denied: the directory "+dir+" cannot be entered", err)
	case errors.Is(err, unix.ENAMETOOLONG):
		return failureReport(tool.ValidationError, "The path is too long; use a shorter one", err)
	}
	return failureReport(tool.Internal, "The directory cannot be entered", err)
}
