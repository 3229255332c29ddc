//go:build linux

package programs_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/helve-dev/helve/internal/ports/programs"
)

// setID makes a file that runs as its owner, or as its group, in the way named.
func setID(way string) error {
	name := "setid-" + way
	const mode = unix.S_ISUID | 0o755
	at := func(call func() (int, error)) error {
		fd, err := call()
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_ISUID == 0 {
			return errors.Join(err, fmt.Errorf("the mode is %o", st.Mode))
		}
		return nil
	}
	switch way {
	case "openat":
		return at(func() (int, error) { return unix.Openat(unix.AT_FDCWD, name, unix.O_CREAT|unix.O_RDWR, mode) })
	case "openat2":
		how := &unix.OpenHow{Flags: unix.O_CREAT | unix.O_RDWR, Mode: mode}
		return at(func() (int, error) { return unix.Openat2(unix.AT_FDCWD, name, how) })
	case "tmpfile":
		return at(func() (int, error) { return unix.Openat(unix.AT_FDCWD, ".", unix.O_TMPFILE|unix.O_RDWR, mode) })
	case "mknodat":
		return unix.Mknodat(unix.AT_FDCWD, name, unix.S_IFREG|mode, 0)
	}
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		return err
	}
	fd, err := unix.Open(name, unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	switch way {
	case "chmod":
		return unix.Chmod(name, mode)
	case "setgid":
		return unix.Chmod(name, unix.S_ISGID|0o755)
	case "fchmod":
		return unix.Fchmod(fd, mode)
	case "fchmodat":
		return unix.Fchmodat(unix.AT_FDCWD, name, mode, 0)
	default:
		return unix.Fchmodat(unix.AT_FDCWD, name, mode, unix.AT_SYMLINK_NOFOLLOW)
	}
}

// TestNoSetID: whatever a program does, none of its files runs as another user, and
// modes that others set work.
func TestNoSetID(t *testing.T) {
	everySpace(t, func(t *testing.T, space string) {
		port, dir := openIn(t, space, programs.Options{})
		script := `umask 0
for mode in 4755 2755 6755 u+s g+s; do
	touch f$mode; chmod $mode f$mode 2>/dev/null && echo "chmod $mode"
	install -m $mode /bin/true i$mode 2>/dev/null && echo "install $mode"
done
for mode in 755 1777 600 a+x; do touch p$mode && chmod $mode p$mode || echo "no $mode"; done
mkdir -m 1777 d; echo done`
		if got := says(t, port, script); got != "done" {
			t.Errorf("said %q, want that only ordinary modes are set", got)
		}
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err == nil && info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 && !d.IsDir() {
				t.Errorf("%s has the mode %v", path, info.Mode())
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestOwnEtc: a program in a root of its own finds itself, and nobody of the host.
func TestOwnEtc(t *testing.T) {
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	everySpace(t, func(t *testing.T, space string) {
		port, _ := openIn(t, space, programs.Options{})
		if !strings.Contains(space, "root directory") {
			if got := says(t, port, "cat /etc/passwd /etc/group /etc/hosts 2>/dev/null; echo end"); got != "end" {
				t.Errorf("files of the host: %q", got)
			}
			return
		}
		want := "helve:x:" + me.Uid + ":" + me.Gid + "::/run/helve/home:/bin/sh\nhelve:x:" + me.Gid +
			":\n127.0.0.1 localhost\n::1 localhost\nhelve"
		if got := says(t, port, "cat /etc/passwd /etc/group /etc/hosts; id -un"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
