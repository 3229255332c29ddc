//go:build linux

package programs_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// attempts lists the operations of a hostile program. Each returns nil if it succeeded.
var attempts = map[string]func(args []string) error{
	"read":  func(a []string) error { _, err := os.ReadFile(a[0]); return err },
	"list":  func(a []string) error { _, err := os.ReadDir(a[0]); return err },
	"write": func(a []string) error { return os.WriteFile(a[0], []byte("x"), 0o600) },
	"link":  func(a []string) error { return os.Link(a[0], a[1]) },
	"unix": func(a []string) error {
		return connect(unix.AF_UNIX, unix.SOCK_STREAM, &unix.SockaddrUnix{Name: a[0]})
	},
	"datagram": func(a []string) error {
		fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		return unix.Sendto(fds[0], []byte("x"), 0, &unix.SockaddrUnix{Name: a[0]})
	},
	"tcp": func(a []string) error {
		port, _ := strconv.Atoi(a[0])
		return connect(unix.AF_INET, unix.SOCK_STREAM, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}})
	},
	"udp":     func([]string) error { return socket(unix.AF_INET, unix.SOCK_DGRAM, 0) },
	"udp6":    func([]string) error { return socket(unix.AF_INET6, unix.SOCK_DGRAM, 0) },
	"vsock":   func([]string) error { return socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0) },
	"alg":     func([]string) error { return socket(unix.AF_ALG, unix.SOCK_SEQPACKET, 0) },
	"packet":  func([]string) error { return socket(unix.AF_PACKET, unix.SOCK_RAW, 0) },
	"raw":     func([]string) error { return socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP) },
	"netlink": func([]string) error { return socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_KOBJECT_UEVENT) },
	"signal": func(a []string) error {
		pid, _ := strconv.Atoi(a[0])
		return syscall.Kill(pid, 0)
	},
	"launcher": func([]string) error { // any of its threads, whose numbers are near
		launcher := os.Getppid()
		for tid := launcher; tid < launcher+30; tid++ {
			own := unix.Tgkill(os.Getpid(), tid, 0) == nil
			if !own && (unix.Tgkill(launcher, tid, 0) == nil || syscall.Kill(tid, 0) == nil) {
				return nil
			}
			if _, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/maps", launcher, tid)); err == nil {
				return nil
			}
		}
		return unix.EPERM
	},
	"signal all": func([]string) error { return syscall.Kill(-1, 0) },
	"limit": func(a []string) error {
		pid, _ := strconv.Atoi(a[0])
		var l unix.Rlimit
		return unix.Prlimit(pid, unix.RLIMIT_NOFILE, nil, &l)
	},
	"nice": func(a []string) error {
		pid, _ := strconv.Atoi(a[0])
		return unix.Setpriority(unix.PRIO_PROCESS, pid, 19)
	},
	"trace": func(a []string) error {
		pid, _ := strconv.Atoi(a[0])
		return unix.PtraceSeize(pid)
	},
	"user namespace": func([]string) error { return unix.Unshare(unix.CLONE_NEWUSER) },
	"clone namespace": func([]string) error {
		_, err := syscall.ForkExec("/bin/true", []string{"true"}, &syscall.ProcAttr{Sys: &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER}})
		return err
	},
	"mount":   func(a []string) error { return unix.Mount("tmpfs", a[0], "tmpfs", 0, "") },
	"chroot":  func(a []string) error { return unix.Chroot(a[0]) },
	"ring":    func([]string) error { return raw(unix.SYS_IO_URING_SETUP, 1, 0) },
	"bpf":     func([]string) error { return raw(unix.SYS_BPF, 0, 0) },
	"keyring": func([]string) error { return raw(unix.SYS_KEYCTL, unix.KEYCTL_GET_KEYRING_ID, 0) },
	"perf":    func([]string) error { return raw(unix.SYS_PERF_EVENT_OPEN, 0, 0) },
	"device":  func(a []string) error { return unix.Mknod(a[0], unix.S_IFBLK|0o600, 8<<8) },
	"mode":    func(a []string) error { return setID(a[0]) },
	"root":    func([]string) error { return syscall.Setuid(os.Getuid() + 1) },
	"type": func([]string) error {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, 0, unix.TIOCSTI, 0)
		if errno == unix.EFAULT || errno == unix.ENOTTY {
			return nil // the kernel looked at it
		}
		return errno
	},
}

// attempt runs one of them, and reports its outcome.
func attempt(name string, args []string) int {
	if name == "descriptors" {
		return descriptors()
	}
	err := attempts[name](args)
	if err == nil {
		fmt.Fprintln(os.Stdout, "success")
		return 0
	}
	fmt.Fprintln(os.Stdout, "refused:", err)
	return 1
}

// descriptors lists what this process was started with.
func descriptors() int {
	var open []string
	for fd := range 256 {
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			open = append(open, strconv.Itoa(fd))
		}
	}
	fmt.Fprintln(os.Stdout, strings.Join(open, " "))
	return 0
}

func socket(family, kind, protocol int) error {
	fd, err := unix.Socket(family, kind, protocol)
	if err == nil {
		unix.Close(fd)
	}
	return err
}

func connect(family, kind int, to unix.Sockaddr) error {
	fd, err := unix.Socket(family, kind, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Connect(fd, to)
}

func raw(number, a, b uintptr) error {
	_, _, errno := unix.Syscall(number, a, b, 0)
	if errno == unix.EFAULT || errno == unix.EINVAL || errno == 0 {
		return nil // the kernel looked at it
	}
	return errno
}
