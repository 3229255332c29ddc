package launch

import (
	"errors"

	"golang.org/x/sys/unix"

	"github.com/helve-dev/helve/internal/ports/confine"
)

// files grants the parts of the host that the program may use.
func (j *Job) files(set *confine.Files) {
	for _, path := range j.shown() {
		set.Allow(path, confine.Read)
	}
	if j.Mounts {
		for path := range j.ownFiles() {
			set.Allow(path, confine.ReadFiles)
		}
	}
	for _, path := range devices {
		set.Allow(path, confine.Device)
	}
	if j.Mounts && j.Pids {
		set.Allow("/proc", confine.Read)
	}
	for _, path := range machine {
		set.Allow(path, confine.ReadFiles)
	}
	for _, name := range []string{"home", "tmp", "shm"} {
		set.Allow(j.own(name), confine.Use)
	}
	if err := j.granted(set); err != nil {
		set.Fail(err)
	}
}

// granted grants the parts of the workspace that the program may use.
func (j *Job) granted(set *confine.Files) error {
	top, err := openBelow(unix.AT_FDCWD, j.Workspace, unix.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	defer unix.Close(top)
	rights := confine.Use
	if j.ReadOnly {
		rights = confine.Read
	}
	for _, grant := range j.Grants {
		fd, failure := openGrant(top, grant)
		switch {
		case failure != nil:
			return errors.New(failure.Msg)
		case fd >= 0:
			set.Add(fd, rights)
			unix.Close(fd)
		}
	}
	return nil
}
