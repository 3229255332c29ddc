package confine

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// withCgo reports whether this program is linked with cgo. Then a system call cannot be
// made in every thread, because some threads may be C's.
func withCgo() bool {
	_, _, errno := syscall.AllThreadsSyscall(unix.SYS_GETPID, 0, 0, 0)
	return errno == syscall.ENOTSUP
}

// stackOfC limits the stack of each thread that C starts: the default takes 8 MiB of
// the address space, of which a script has little.
const stackOfC = 1 << 20

// reexec restricts the calling thread, and runs the program again from that thread. It
// then is the only thread, and all later threads inherit its restrictions.
func reexec(again []string) error {
	if !withCgo() {
		return nil
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread() // of a process that is ended after an error
	if err := missing(needed()); err != nil {
		return err
	}
	files, err := ownProgramOnly()
	if err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	defer files.close()
	var stack unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_STACK, &stack); err == nil && stack.Cur > stackOfC {
		stack.Cur = stackOfC
		_ = unix.Setrlimit(unix.RLIMIT_STACK, &stack) // without it there is less room, but no less safety
	}
	if err := dropAllInThread(); err != nil {
		return err
	}
	if err := files.restrict(inThread); err != nil {
		return err
	}
	// One arena of malloc, since each takes 64 MiB of address space; and no rseq, which
	// the list of system calls does not contain.
	env := append(os.Environ(), "MALLOC_ARENA_MAX=1", "GLIBC_TUNABLES=glibc.pthread.rseq=0")
	err = syscall.Exec("/proc/self/exe", again, env)
	return fmt.Errorf("the program cannot be run again without privileges: %w; make it executable for all users", err)
}

// dropAllInThread gives up in this thread what dropPrivileges gives up in all threads,
// and the right to regain it.
func dropAllInThread() error {
	parent := os.Getppid()
	for _, call := range [...][2]uintptr{{unix.SYS_SETGROUPS, 0}, {unix.SYS_SETRESGID, nobody}, {unix.SYS_SETRESUID, nobody}} {
		_, _, _ = unix.RawSyscall(call[0], call[1], call[1], call[1]) // may fail, as in becomeNobody
	}
	if err := dropInThread(); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("PR_SET_PDEATHSIG: %w", err)
	}
	if os.Getppid() != parent {
		return errors.New("the process that started this one has ended")
	}
	if err := noNewPrivileges(inThread); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	return nil
}

// confined fails unless reexec has run. Every thread then has the restrictions of the
// thread that ran this program.
func confined(t threads) error {
	err := t.report([]string{"NoNewPrivs:\t1", "CapEff:\t0000000000000000", "CapPrm:\t0000000000000000"})
	if err == nil {
		err = filesGone()
	}
	if err != nil {
		return fmt.Errorf("this program is linked with cgo, whose threads cannot be reached, and was not confined before they began; "+
			"build it with CGO_ENABLED=0: %w", err)
	}
	return nil
}

// ownProgramOnly returns a ruleset with everything that a script loses, except what
// this program needs to start again: to read and run its own file and its loaded
// libraries, and to read its /proc entries.
func ownProgramOnly() (*Files, error) {
	mapped, err := mappedFiles()
	if err != nil {
		return nil, err
	}
	files, err := newFiles(kept{signals: !threadsExempt()})
	if err != nil {
		return nil, err
	}
	for _, path := range mapped {
		files.need(path, ReadFiles)
	}
	files.Allow("/etc/ld.so.cache", ReadFiles)
	files.need("/proc/self", Read)
	return files, nil
}

// mappedFiles returns the executable files that are mapped: the program and its
// libraries.
func mappedFiles() ([]string, error) {
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return nil, fmt.Errorf("%w; mount /proc", err)
	}
	own, _ := os.Readlink("/proc/self/exe")
	files := []string{"/proc/self/exe"}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 6 && strings.Contains(fields[1], "x") && strings.HasPrefix(fields[5], "/") && fields[5] != own {
			files = append(files, fields[5])
		}
	}
	return files, nil
}
