package main

import (
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/helve-dev/helve/internal/ports/confine"
)

// attempted is an operation that a confined process may try. Its outcomes are the name
// of an error, SIGSYS, or success.
type attempted struct {
	name    string
	script  string // the outcome under the profile of scripts
	program string // the outcome under the profile of programs, - if it would harm this process
	free    bool   // any process that is not confined can do it
	do      func() syscall.Errno
}

// The targets of the attempts are prepared before the process is confined.
var (
	parentID = uintptr(os.Getppid())
	binary   = path(os.Args[0])
	passwd   = path("/etc/passwd")
	made     = path("/tmp/helve-lockdown-was-not-locked")
	environ  = path("/proc/" + itoa(os.Getppid()) + "/environ")
	root     = path("/")
	buffer   [4096]byte
	abstract = [...]byte{unix.AF_UNIX, 0, 0, 'h', 'e', 'l', 'v', 'e'} // an address that does not exist
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

// namedSockets is the outcome of creating a named socket in a program without a root of
// its own: Landlock restricts connecting from version 9 on.
func namedSockets() string {
	if version, _ := confine.LandlockVersion(); version >= 9 {
		return "success"
	}
	return "EPERM"
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
	{"open-passwd", "EPERM", "EACCES", true, call(unix.SYS_OPENAT, here, passwd, unix.O_RDONLY, 0)},
	{"open-own-binary", "EPERM", "success", true, call(unix.SYS_OPENAT, here, binary, unix.O_RDONLY, 0)},
	{"open-through-a-directory", "EPERM", "EBADF", false, call(unix.SYS_OPENAT, 5, path("etc/passwd"), unix.O_RDONLY, 0)},
	{"open-environ-of-parent", "EPERM", "EACCES", true, call(unix.SYS_OPENAT, here, environ, unix.O_RDONLY, 0)},
	{"create-file", "EPERM", "EACCES", false, call(unix.SYS_OPENAT, here, made, unix.O_CREAT|unix.O_WRONLY, 0o600)},
	{"openat2", "EPERM", "ENOSYS", false, call(unix.SYS_OPENAT2, here, passwd, buf, 24)},
	{"stat", "EPERM", "success", true, call(unix.SYS_STATX, here, passwd, 0, 0xfff, buf)},
	{"unlink", "EPERM", "ENOENT", false, call(unix.SYS_UNLINKAT, here, made, 0)},
	{"rename", "EPERM", "ENOENT", false, call(unix.SYS_RENAMEAT2, here, made, here, made, 0)},
	{"chdir", "EPERM", "success", true, call(unix.SYS_CHDIR, root)},
	{"read-inherited-file", "EBADF", "EBADF", true, call(unix.SYS_READ, 4, buf, 16)},
	{"write-standard-output", "EBADF", "success", true, call(unix.SYS_WRITE, 1, buf, 1)},
	{"dup", "EPERM", "success", true, call(unix.SYS_DUP, 3)},
	{"dup-by-fcntl", "EPERM", "success", true, call(unix.SYS_FCNTL, 3, unix.F_DUPFD, 0)},
	{"own-signals-of-a-socket", "EPERM", "success", true, call(unix.SYS_FCNTL, 3, unix.F_SETOWN, 0)},
	{"pipe", "EPERM", "success", true, call(unix.SYS_PIPE2, buf, 0)},
	{"eventfd", "EPERM", "success", true, call(unix.SYS_EVENTFD2, 0, 0)},
	{"inotify", "EPERM", "success", true, call(unix.SYS_INOTIFY_INIT1, 0)},
	{"ioctl", "EPERM", "success", true, call(unix.SYS_IOCTL, 3, 0x541b, buf)}, // FIONREAD
	{"open-root", "EPERM", "EACCES", true, call(unix.SYS_OPENAT, here, root, unix.O_RDONLY|unix.O_DIRECTORY, 0)},
	{"hard-link", "EPERM", "EACCES", false, call(unix.SYS_LINKAT, here, binary, here, path(os.Args[0]+".link"), 0)},
	{"set-user-id", "EPERM", "EPERM", false, call(unix.SYS_FCHMODAT, here, made, unix.S_ISUID|0o755)},
	{"set-group-id", "EPERM", "EPERM", false, call(unix.SYS_FCHMODAT, here, made, unix.S_ISGID|0o755)},
	{"create-set-user-id", "EPERM", "EPERM", false, call(unix.SYS_OPENAT, here, made, unix.O_CREAT|unix.O_WRONLY, unix.S_ISUID|0o755)},
	{"make-device", "EPERM", "EACCES", false, call(unix.SYS_MKNODAT, here, made, unix.S_IFBLK|0o600, 8<<8)},
	{"type-into-a-terminal", "EPERM", "EPERM", false, call(unix.SYS_IOCTL, 0, unix.TIOCSTI, buf)},
	{"watch-a-file-system", "EPERM", "EPERM", false, call(unix.SYS_FANOTIFY_INIT, 0, 0)},
	{"name-to-handle", "SIGSYS", "EPERM", false, call(unix.SYS_NAME_TO_HANDLE_AT, here, passwd, buf, buf, 0)},
	{"secret-memory", "SIGSYS", "EPERM", false, call(unix.SYS_MEMFD_SECRET, 0)},
	{"open-by-handle", "SIGSYS", "EPERM", false, call(unix.SYS_OPEN_BY_HANDLE_AT, 3, buf, 0)},
	{"memfd", "SIGSYS", "success", true, call(unix.SYS_MEMFD_CREATE, path("m"), 0)},
	{"vmsplice", "SIGSYS", "success", false, call(unix.SYS_VMSPLICE, 3, buf, 0, 0)},
	{"mount", "SIGSYS", "EPERM", false, call(unix.SYS_MOUNT, path("none"), root, path("tmpfs"), 0, 0)},
	{"chroot", "SIGSYS", "EPERM", false, call(unix.SYS_CHROOT, root)},
	{"pivot-root", "SIGSYS", "EPERM", false, call(unix.SYS_PIVOT_ROOT, root, root)},
	// The network.
	{"socket-inet", "SIGSYS", "EPERM", true, call(unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM, 0)},
	{"socket-inet6-datagram", "SIGSYS", "EPERM", false, call(unix.SYS_SOCKET, unix.AF_INET6, unix.SOCK_DGRAM, 0)},
	{"socket-unix", "SIGSYS", namedSockets(), true, call(unix.SYS_SOCKET, unix.AF_UNIX, unix.SOCK_STREAM, 0)},
	{"socket-netlink", "SIGSYS", "EPERM", false, call(unix.SYS_SOCKET, unix.AF_NETLINK, unix.SOCK_RAW, 0)},
	{"socketpair", "SIGSYS", "success", true, call(unix.SYS_SOCKETPAIR, unix.AF_UNIX, unix.SOCK_STREAM, 0, buf)},
	{"connect-abstract", "SIGSYS", "ECONNREFUSED", false, call(unix.SYS_CONNECT, 3, &abstract[0], len(abstract))},
	{"sendmsg", "SIGSYS", "success", false, call(unix.SYS_SENDMSG, 3, buf, 0)},
	{"recvmsg", "SIGSYS", "EAGAIN", false, call(unix.SYS_RECVMSG, 3, buf, unix.MSG_DONTWAIT)},
	{"socketpair-datagram", "SIGSYS", namedSockets(), true, call(unix.SYS_SOCKETPAIR, unix.AF_UNIX, unix.SOCK_DGRAM, 0, buf)},
	{"socket-vsock", "SIGSYS", "EPERM", false, call(unix.SYS_SOCKET, unix.AF_VSOCK, unix.SOCK_STREAM, 0)},
	{"socket-alg", "SIGSYS", "EPERM", false, call(unix.SYS_SOCKET, unix.AF_ALG, unix.SOCK_SEQPACKET, 0)},
	{"socket-packet", "SIGSYS", "EPERM", false, call(unix.SYS_SOCKET, unix.AF_PACKET, unix.SOCK_RAW, 0)},
	{"socket-raw", "SIGSYS", "EPERM", false, call(unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP)},
	// Processes.
	{"execve", "SIGSYS", "EACCES", false, call(unix.SYS_EXECVE, path("/bin/sh"), 0, 0)},
	{"execveat", "SIGSYS", "-", false, call(unix.SYS_EXECVEAT, here, binary, 0, 0, 0)},
	{"fork", "SIGSYS", "-", false, call(unix.SYS_CLONE, int(unix.SIGCHLD), 0)},
	{"clone-namespace", "SIGSYS", "EPERM", false, call(unix.SYS_CLONE, unix.CLONE_NEWUSER|int(unix.SIGCHLD), 0)},
	{"clone-thread-and-more", "SIGSYS", "EPERM", false, call(unix.SYS_CLONE, newThread|unix.CLONE_NEWNET, 0)},
	{"clone-upper-half", "SIGSYS", "-", false, call(unix.SYS_CLONE, newThread|1<<33, 0)},
	{"clone3", "ENOSYS", "ENOSYS", false, call(unix.SYS_CLONE3, buf, 88)},
	{"unshare", "SIGSYS", "EPERM", false, call(unix.SYS_UNSHARE, unix.CLONE_NEWUSER)},
	{"set-persona-without-random-layout", "SIGSYS", "EPERM", true, call(unix.SYS_PERSONALITY, 0x0040000)},
	{"setns", "SIGSYS", "EPERM", false, call(unix.SYS_SETNS, 3, 0)},
	{"ask-for-parent", "SIGSYS", "EPERM", false, call(unix.SYS_KILL, parentID, 0)},
	{"kill-parent", "SIGSYS", "EPERM", false, call(unix.SYS_KILL, parentID, int(unix.SIGKILL))},
	{"kill-all", "SIGSYS", "success", false, call(unix.SYS_KILL, -1, 0)}, // the kernel reports that although none is reached
	{"kill-group", "SIGSYS", "success", false, call(unix.SYS_KILL, 0, 0)},
	{"tgkill-parent", "SIGSYS", "EPERM", false, call(unix.SYS_TGKILL, parentID, parentID, 0)},
	{"tkill-parent", "SIGSYS", "EPERM", false, call(unix.SYS_TKILL, parentID, 0)},
	{"sigqueue-parent", "SIGSYS", "EPERM", false, call(unix.SYS_RT_SIGQUEUEINFO, parentID, 0, buf)},
	{"pidfd", "SIGSYS", "EPERM", true, call(unix.SYS_PIDFD_OPEN, parentID, 0)},
	{"ptrace-parent", "SIGSYS", "EPERM", false, call(unix.SYS_PTRACE, unix.PTRACE_SEIZE, parentID, 0, 0)},
	{"read-memory-of-parent", "SIGSYS", "EPERM", false, call(unix.SYS_PROCESS_VM_READV, parentID, buf, 1, buf, 1, 0)},
	{"set-affinity", "EPERM", "EINVAL", false, call(unix.SYS_SCHED_SETAFFINITY, 0, 8, buf)},
	{"set-priority-of-parent", "EPERM", "EPERM", false, call(unix.SYS_SETPRIORITY, 0, parentID, 19)},
	{"set-priority", "EPERM", "success", true, call(unix.SYS_SETPRIORITY, 0, 0, 19)},
	{"personality", "SIGSYS", "success", true, call(unix.SYS_PERSONALITY, 0xffffffff)},
	{"setuid", "SIGSYS", "EPERM", false, call(unix.SYS_SETUID, 12345)},
	{"capset", "SIGSYS", "EINVAL", false, call(unix.SYS_CAPSET, buf, buf)},
	{"dumpable", "EPERM", "success", true, call(unix.SYS_PRCTL, unix.PR_SET_DUMPABLE, 1, 0, 0, 0)},
	{"forget-parent", "EPERM", "success", true, call(unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, 0, 0, 0, 0)},
	{"raise-a-limit", "EPERM", "success", false, call(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NOFILE, buf, 0)},
	{"limits-of-parent", "EPERM", "EPERM", false, call(unix.SYS_PRLIMIT64, parentID, unix.RLIMIT_NOFILE, 0, buf)},
	// Memory.
	{
		"map-512-MiB", "ENOMEM", "ENOMEM", true,
		call(unix.SYS_MMAP, 0, 512<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANONYMOUS|unix.MAP_PRIVATE, -1, 0),
	},
	{
		"map-code", "SIGSYS", "success", true,
		call(unix.SYS_MMAP, 0, 4096, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_ANONYMOUS|unix.MAP_PRIVATE, -1, 0),
	},
	{"map-a-descriptor", "SIGSYS", "ENODEV", false, call(unix.SYS_MMAP, 0, 4096, unix.PROT_READ, unix.MAP_SHARED, 3, 0)},
	{"make-code", "SIGSYS", "success", false, call(unix.SYS_MPROTECT, 0, 0, unix.PROT_READ|unix.PROT_EXEC)},
	{"lock-memory", "EPERM", "ENOMEM", false, call(unix.SYS_MLOCKALL, 1)},
	// Large parts of the kernel.
	{"io-uring", "SIGSYS", "EPERM", false, call(unix.SYS_IO_URING_SETUP, 1, buf)},
	{"perf", "SIGSYS", "EPERM", false, call(unix.SYS_PERF_EVENT_OPEN, buf, 0, -1, -1, 0)},
	{"bpf", "SIGSYS", "EPERM", false, call(unix.SYS_BPF, 0, buf, 64)},
	{"keyctl", "SIGSYS", "EPERM", false, call(unix.SYS_KEYCTL, 0, -3, 0)},
	{"add-key", "SIGSYS", "EPERM", false, call(unix.SYS_ADD_KEY, path("user"), path("k"), buf, 1, -3)},
	{"userfaultfd", "SIGSYS", "EPERM", false, call(unix.SYS_USERFAULTFD, 1)},
	{"loosen-seccomp", "SIGSYS", "EINVAL", false, call(unix.SYS_SECCOMP, 1, 0, buf)},
	{"remap-pages", "SIGSYS", "EPERM", false, call(unix.SYS_REMAP_FILE_PAGES, buf, 4096, 0, 0, 0)},
	{"kernel-log", "EPERM", "EPERM", false, call(unix.SYS_SYSLOG, 3, buf, 16)},
	{"set-clock", "EPERM", "EPERM", false, call(unix.SYS_CLOCK_SETTIME, unix.CLOCK_REALTIME, buf)},
	{"set-host-name", "EPERM", "EPERM", false, call(unix.SYS_SETHOSTNAME, buf, 1)},
	{"x32-call", "SIGSYS", "SIGSYS", false, call(1<<30 | 39)}, // getpid, in amd64's other table
	{"unknown-call", "EPERM", "ENOSYS", false, call(9999)},
	// Allowed operations.
	{"signal-itself", "success", "success", true, func() syscall.Errno { return call(unix.SYS_KILL, os.Getpid(), 0)() }},
	{"read-own-limits", "success", "success", true, call(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_AS, 0, buf)},
	{"read-flags", "success", "success", true, call(unix.SYS_FCNTL, 3, unix.F_GETFL)},
	{"set-flags", "success", "success", true, call(unix.SYS_FCNTL, 3, unix.F_SETFL, unix.O_NONBLOCK)},
	{"random", "success", "success", true, call(unix.SYS_GETRANDOM, buf, 16, 0)},
	{"clock", "success", "success", true, call(unix.SYS_CLOCK_GETTIME, unix.CLOCK_PROCESS_CPUTIME_ID, buf)},
	{
		"map-1-MiB", "success", "success", true,
		call(unix.SYS_MMAP, 0, 1<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANONYMOUS|unix.MAP_PRIVATE, -1, 0),
	},
}
