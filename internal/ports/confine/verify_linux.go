package confine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// threads holds descriptors of the status files of the process's threads. They are
// opened while /proc is accessible, and read when it no longer is.
type threads []int

// openThreads opens the status of each existing thread. A later thread inherits the
// restrictions of the thread that starts it.
func openThreads() (threads, error) {
	dirs, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return nil, fmt.Errorf("%w; mount /proc", err)
	}
	var t threads
	for _, d := range dirs {
		fd, err := unix.Open(filepath.Join("/proc/self/task", d.Name(), "status"), unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			continue // the thread has ended; the current one has not
		}
		t = append(t, fd)
	}
	return t, nil
}

func (t threads) has(fd int) bool { return slices.Contains(t, fd) }

func (t threads) close() {
	for _, fd := range t {
		_ = unix.Close(fd)
	}
}

// locked lists the kernel's status of a confined thread.
var locked = []string{"NoNewPrivs:\t1", "Seccomp:\t2", "CapEff:\t0000000000000000", "CapPrm:\t0000000000000000"}

// check reads the kernel's status of each thread.
func (t threads) check() error { return t.report(locked) }

// report fails unless each thread has the complete status.
func (t threads) report(wanted []string) error {
	alive := 0
	text := make([]byte, 8<<10)
	for _, fd := range t {
		n, err := unix.Pread(fd, text, 0)
		if errors.Is(err, unix.ESRCH) {
			continue
		}
		if err != nil {
			return fmt.Errorf("status of a thread: %w", err)
		}
		alive++
		lines := strings.Split(string(text[:n]), "\n")
		for _, want := range wanted {
			if !slices.Contains(lines, want) {
				return fmt.Errorf("the kernel does not report %q for every thread; run it where /proc and seccomp are the kernel's own", want)
			}
		}
	}
	if alive == 0 {
		return errors.New("no thread could be checked; mount /proc")
	}
	return nil
}
