package main

import (
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// attempted is something a locked-down process may try.
type attempted struct {
	name string
	want string // the name of the error, SIGSYS, or success
	free bool   // any process that is not locked down can do it
	do   func() syscall.Errno
}

// What the attempts are about is found before the process is locked.
var (
	parentID = uintptr(os.Getppid())
	binary   = path(os.Args[0])
	passwd   = path("/etc/passwd")
	made     = path("/tmp/helve-lockdown-was-not-locked")
	environ  = path("/proc/" + itoa(os.Getppid()) + "/environ")
	root     = path("/")
	buffer   [4096]byte
)

const here = ^uintptr(99) // AT_FDCWD

func path(s string) *byte {
	p, err := unix.BytePtrFromString(s)
	if err != nil {
		panic(err)
	}
	return p
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

// call makes a system call whose arguments are numbers and pointers.
func call(number uintptr, args ...any) func() syscall.Errno {
	return func() syscall.Errno {
		var a [6]uintptr
		for i, v := range args {
			switch v := v.(type) {
			case int:
				a[i] = uintptr(v)
			case uintptr:
				a[i] = v
			case *byte:
				a[i] = uintptr(unsafe.Pointer(v))
			}
		}
		_, _, errno := unix.RawSyscall6(number, a[0], a[1], a[2], a[3], a[4], a[5])
		runtime.KeepAlive(args)
		return errno
	}
}

const newThread = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_SYSVSEM | unix.CLONE_THREAD

var buf = &buffer[0]

var attempts = []attempted{
	// Files.
	{"open-passwd", "EPERM", true, call(unix.SYS_OPENAT, here, passwd, unix.O_RDONLY, 0)},
	{"open-own-binary", "EPERM", true, call(unix.SYS_OPENAT, here, binary, unix.O_RDONLY, 0)},
	{"open-through-a-directory", "EPERM", false, call(unix.SYS_OPENAT, 5, path("etc/passwd"), unix.O_RDONLY, 0)},
	{"open-environ-of-parent", "EPERM", true, call(unix.SYS_OPENAT, here, environ, unix.O_RDONLY, 0)},
	{"create-file", "EPERM", false, call(unix.SYS_OPENAT, here, made, unix.O_CREAT|unix.O_WRONLY, 0o600)},
	{"openat2", "EPERM", false, call(unix.SYS_OPENAT2, here, passwd, buf, 24)},
	{"stat", "EPERM", true, call(unix.SYS_STATX, here, passwd, 0, 0xfff, buf)},
	{"unlink", "EPERM", false, call(unix.SYS_UNLINKAT, here, made, 0)},
	{"rename", "EPERM", false, call(unix.SYS_RENAMEAT2, here, made, here, made, 0)},
	{"chdir", "EPERM", true, call(unix.SYS_CHDIR, root)},
	{"read-inherited-file", "EBADF", true, call(unix.SYS_READ, 4, buf, 16)},
	{"write-standard-output", "EBADF", true, call(unix.SYS_WRITE, 1, buf, 1)},
	{"dup", "EPERM", true, call(unix.SYS_DUP, 3)},
	{"dup-by-fcntl", "EPERM", true, call(unix.SYS_FCNTL, 3, unix.F_DUPFD, 0)},
	{"own-signals-of-a-socket", "EPERM", true, call(unix.SYS_FCNTL, 3, unix.F_SETOWN, 0)},
	{"pipe", "EPERM", true, call(unix.SYS_PIPE2, buf, 0)},
	{"eventfd", "EPERM", true, call(unix.SYS_EVENTFD2, 0, 0)},
	{"inotify", "EPERM", true, call(unix.SYS_INOTIFY_INIT1, 0)},
	{"ioctl", "EPERM", true, call(unix.SYS_IOCTL, 3, 0x541b, buf)}, // FIONREAD
	{"open-by-handle", "SIGSYS", false, call(unix.SYS_OPEN_BY_HANDLE_AT, 3, buf, 0)},
	{"memfd", "SIGSYS", true, call(unix.SYS_MEMFD_CREATE, path("m"), 0)},
	{"vmsplice", "SIGSYS", false, call(unix.SYS_VMSPLICE, 3, buf, 0, 0)},
	{"mount", "SIGSYS", false, call(unix.SYS_MOUNT, path("none"), root, path("tmpfs"), 0, 0)},
	{"chroot", "SIGSYS", false, call(unix.SYS_CHROOT, root)},
	{"pivot-root", "SIGSYS", false, call(unix.SYS_PIVOT_ROOT, root, root)},
	// The network.
	{"socket-inet", "SIGSYS", true, call(unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM, 0)},
	{"socket-inet6-datagram", "SIGSYS", false, call(unix.SYS_SOCKET, unix.AF_INET6, unix.SOCK_DGRAM, 0)},
	{"socket-unix", "SIGSYS", true, call(unix.SYS_SOCKET, unix.AF_UNIX, unix.SOCK_STREAM, 0)},
	{"socket-netlink", "SIGSYS", false, call(unix.SYS_SOCKET, unix.AF_NETLINK, unix.SOCK_RAW, 0)},
	{"socketpair", "SIGSYS", true, call(unix.SYS_SOCKETPAIR, unix.AF_UNIX, unix.SOCK_STREAM, 0, buf)},
	{"connect-abstract", "SIGSYS", false, call(unix.SYS_CONNECT, 3, path("\x01"), 8)},
	{"sendmsg", "SIGSYS", false, call(unix.SYS_SENDMSG, 3, buf, 0)},
	{"recvmsg", "SIGSYS", false, call(unix.SYS_RECVMSG, 3, buf, unix.MSG_DONTWAIT)},
	// Processes.
	{"execve", "SIGSYS", false, call(unix.SYS_EXECVE, path("/bin/sh"), 0, 0)},
	{"execveat", "SIGSYS", false, call(unix.SYS_EXECVEAT, here, binary, 0, 0, 0)},
	{"fork", "SIGSYS", false, call(unix.SYS_CLONE, int(unix.SIGCHLD), 0)},
	{"clone-namespace", "SIGSYS", false, call(unix.SYS_CLONE, unix.CLONE_NEWUSER|int(unix.SIGCHLD), 0)},
	{"clone-thread-and-more", "SIGSYS", false, call(unix.SYS_CLONE, newThread|unix.CLONE_NEWNET, 0)},
	{"clone-upper-half", "SIGSYS", false, call(unix.SYS_CLONE, newThread|1<<33, 0)},
	{"clone3", "ENOSYS", false, call(unix.SYS_CLONE3, buf, 88)},
	{"unshare", "SIGSYS", false, call(unix.SYS_UNSHARE, unix.CLONE_NEWUSER)},
	{"setns", "SIGSYS", false, call(unix.SYS_SETNS, 3, 0)},
	{"ask-for-parent", "SIGSYS", false, call(unix.SYS_KILL, parentID, 0)},
	{"kill-parent", "SIGSYS", false, call(unix.SYS_KILL, parentID, int(unix.SIGKILL))},
	{"kill-all", "SIGSYS", false, call(unix.SYS_KILL, -1, 0)},
	{"kill-group", "SIGSYS", false, call(unix.SYS_KILL, 0, 0)},
	{"tgkill-parent", "SIGSYS", false, call(unix.SYS_TGKILL, parentID, parentID, 0)},
	{"tkill-parent", "SIGSYS", false, call(unix.SYS_TKILL, parentID, 0)},
	{"sigqueue-parent", "SIGSYS", false, call(unix.SYS_RT_SIGQUEUEINFO, parentID, 0, buf)},
	{"pidfd", "SIGSYS", true, call(unix.SYS_PIDFD_OPEN, parentID, 0)},
	{"ptrace-parent", "SIGSYS", false, call(unix.SYS_PTRACE, unix.PTRACE_SEIZE, parentID, 0, 0)},
	{"read-memory-of-parent", "SIGSYS", false, call(unix.SYS_PROCESS_VM_READV, parentID, buf, 1, buf, 1, 0)},
	{"set-affinity", "EPERM", false, call(unix.SYS_SCHED_SETAFFINITY, 0, 8, buf)},
	{"set-priority", "EPERM", true, call(unix.SYS_SETPRIORITY, 0, 0, 19)},
	{"personality", "SIGSYS", true, call(unix.SYS_PERSONALITY, 0xffffffff)},
	{"setuid", "SIGSYS", false, call(unix.SYS_SETUID, 0)},
	{"capset", "SIGSYS", false, call(unix.SYS_CAPSET, buf, buf)},
	{"dumpable", "EPERM", true, call(unix.SYS_PRCTL, unix.PR_SET_DUMPABLE, 1, 0, 0, 0)},
	{"forget-parent", "EPERM", true, call(unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, 0, 0, 0, 0)},
	{"raise-a-limit", "EPERM", false, call(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NOFILE, buf, 0)},
	{"limits-of-parent", "EPERM", false, call(unix.SYS_PRLIMIT64, parentID, unix.RLIMIT_NOFILE, 0, buf)},
	// Memory.
	{"map-512-MiB", "ENOMEM", true, call(unix.SYS_MMAP, 0, 512<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANONYMOUS|unix.MAP_PRIVATE, -1, 0)},
	{"map-code", "SIGSYS", true, call(unix.SYS_MMAP, 0, 4096, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_ANONYMOUS|unix.MAP_PRIVATE, -1, 0)},
	{"map-a-descriptor", "SIGSYS", false, call(unix.SYS_MMAP, 0, 4096, unix.PROT_READ, unix.MAP_SHARED, 3, 0)},
	{"make-code", "SIGSYS", false, call(unix.SYS_MPROTECT, 0, 0, unix.PROT_READ|unix.PROT_EXEC)},
	{"lock-memory", "EPERM", false, call(unix.SYS_MLOCKALL, 1)},
	// The kernel's wide doors.
	{"io-uring", "SIGSYS", false, call(unix.SYS_IO_URING_SETUP, 1, buf)},
	{"perf", "SIGSYS", false, call(unix.SYS_PERF_EVENT_OPEN, buf, 0, -1, -1, 0)},
	{"bpf", "SIGSYS", false, call(unix.SYS_BPF, 0, buf, 64)},
	{"keyctl", "SIGSYS", false, call(unix.SYS_KEYCTL, 0, -3, 0)},
	{"add-key", "SIGSYS", false, call(unix.SYS_ADD_KEY, path("user"), path("k"), buf, 1, -3)},
	{"userfaultfd", "SIGSYS", false, call(unix.SYS_USERFAULTFD, 1)},
	{"loosen-seccomp", "SIGSYS", false, call(unix.SYS_SECCOMP, 1, 0, buf)},
	{"x32-call", "SIGSYS", false, call(1<<30 | 39)}, // getpid, in amd64's other table
	{"unknown-call", "EPERM", false, call(9999)},
	// What it may do.
	{"signal-itself", "success", true, func() syscall.Errno { return call(unix.SYS_KILL, os.Getpid(), 0)() }},
	{"read-own-limits", "success", true, call(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_AS, 0, buf)},
	{"read-flags", "success", true, call(unix.SYS_FCNTL, 3, unix.F_GETFL)},
	{"set-flags", "success", true, call(unix.SYS_FCNTL, 3, unix.F_SETFL, unix.O_NONBLOCK)},
	{"random", "success", true, call(unix.SYS_GETRANDOM, buf, 16, 0)},
	{"clock", "success", true, call(unix.SYS_CLOCK_GETTIME, unix.CLOCK_PROCESS_CPUTIME_ID, buf)},
	{"map-1-MiB", "success", true, call(unix.SYS_MMAP, 0, 1<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANONYMOUS|unix.MAP_PRIVATE, -1, 0)},
}
