package confine

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

func probe() []Part {
	_, spaces := namespaces()
	return slices.Concat([]Part{kernel()}, needed(), spaces, []Part{cgroup()})
}

// needed lists the requirements of Apply. Each one is probed separately, so that the
// operator learns of all missing parts together.
func needed() []Part {
	return []Part{
		threadsReached(),
		mandatory("proc", "mounted", readable("/proc/self/task", "/proc/self/statm", "/proc/self/fd")),
		landlock(),
		mandatory("seccomp", "filters for "+runtime.GOARCH, seccompThere()),
		mandatory("no_new_privs", "available", noNewPrivilegesThere()),
		rlimits(),
	}
}

func threadsReached() Part {
	if withCgo() {
		return mandatory("threads", "linked with cgo: a child is confined before its threads begin", nil)
	}
	return mandatory("threads", "all can be reached", allThreads(unix.SYS_GETPID, 0, 0))
}

// missing returns the parts that this host lacks, as one error.
func missing(parts []Part) error {
	var lacks []string
	for _, p := range parts {
		if p.Mandatory && !p.OK {
			lacks = append(lacks, p.Name+": "+p.Detail)
		}
	}
	if lacks == nil {
		return nil
	}
	return errors.New(strings.Join(lacks, "; "))
}

func mandatory(name, detail string, err error) Part {
	if err != nil {
		return Part{Name: name, Mandatory: true, Detail: err.Error()}
	}
	return Part{Name: name, Mandatory: true, OK: true, Detail: detail}
}

func kernel() Part {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return Part{Name: "kernel", Detail: err.Error()}
	}
	return Part{Name: "kernel", OK: true, Detail: "Linux " + unix.ByteSliceToString(u.Release[:]) + " on " + runtime.GOARCH}
}

func landlock() Part {
	version, err := LandlockVersion()
	detail := fmt.Sprintf("version %d: files and TCP", version)
	if attr := handled(version, kept{signals: !threadsExempt()}); attr.Scoped&unix.LANDLOCK_SCOPE_SIGNAL != 0 {
		detail += ", abstract sockets, signals"
	} else if attr.Scoped != 0 {
		detail += ", abstract sockets (signals are left to seccomp: this kernel scopes those between threads too)"
	}
	return mandatory("landlock", detail, err)
}

func readable(paths ...string) error {
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("%w; mount /proc", err)
		}
		f.Close()
	}
	return nil
}

// seccompThere probes for the verdict that ends a process, and for filters on all
// threads: without a filter argument, a kernel that knows the flag fails when it reads
// the argument.
func seccompThere() error {
	if err := listed(); err != nil {
		return err
	}
	action := uint32(unix.SECCOMP_RET_KILL_PROCESS)
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	if errno == 0 {
		_, _, errno = unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, 0)
	}
	if errno != 0 && errno != syscall.EFAULT {
		return fmt.Errorf("%w; the kernel needs CONFIG_SECCOMP_FILTER, and a container a profile that lets seccomp pass", errno)
	}
	return nil
}

func noNewPrivilegesThere() error {
	if _, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("%w; it needs Linux 3.5 and a container whose profile lets prctl pass", err)
	}
	return nil
}

// roomy is the smallest address space that a child should have: what Go maps at its
// start, and as much to work with as any tool may have.
const roomy = 2 << 30

func rlimits() Part {
	var l unix.Rlimit
	err := unix.Prlimit(0, unix.RLIMIT_AS, nil, &l)
	switch {
	case err != nil:
		err = fmt.Errorf("%w; let prlimit64 pass in the container's profile", err)
	case l.Max < roomy:
		err = fmt.Errorf("the address space is limited to %d MiB; raise it to %d MiB (ulimit -v)", l.Max>>20, roomy>>20)
	case l.Max < math.MaxUint64:
		return mandatory("rlimits", "address space up to "+strconv.FormatUint(l.Max>>20, 10)+" MiB", nil)
	}
	return mandatory("rlimits", "address space unlimited so far", err)
}

// cgroup is informational: nothing here uses cgroups, but an operator with many
// children may want to put the worker into one.
func cgroup() Part {
	p := Part{Name: "cgroup_v2", Detail: "not mounted at /sys/fs/cgroup; children are bounded one by one only"}
	controllers, err := os.ReadFile("/sys/fs/cgroup/cgroup.controllers")
	if err == nil {
		p.OK, p.Detail = true, "controllers: "+string(bytes.TrimSpace(controllers))
	}
	return p
}
