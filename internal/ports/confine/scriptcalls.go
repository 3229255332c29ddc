//go:build linux && (amd64 || arm64)

package confine

import (
	"os"

	"golang.org/x/sys/unix"
)

// threadFlags are the flags with which the Go runtime starts a thread; CLONE_SETTLS may
// be added.
const threadFlags = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_SYSVSEM | unix.CLONE_THREAD

// prSetVMA names a mapping; the Go runtime stops trying it after EINVAL.
const prSetVMA = 0x53564d41

// filterScript installs the list of system calls that a script may still make, on all
// threads or on none. Other calls fail with EPERM.
func filterScript() error {
	rules := guarded(uint32(os.Getpid()), withCgo())
	rules = append(rules, verdicts(allow, allowed...)...)
	rules = append(rules, verdicts(kill, deadly...)...)
	rules = append(rules, verdicts(kill, deadlyHere...)...)
	return install(assemble(rules, deny), unix.SECCOMP_FILTER_FLAG_TSYNC)
}

// guarded lists calls that are allowed or not depending on their arguments.
func guarded(pid uint32, cgo bool) []rule {
	free := uint32(unix.CLONE_SETTLS)
	if cgo {
		free |= unix.CLONE_PARENT_SETTID | unix.CLONE_CHILD_CLEARTID // where the thread's id is written
	}
	self := []check{{arg0, all, pid}}
	rules := []rule{
		{unix.SYS_CLONE, []check{{arg0, all &^ free, threadFlags}, {arg0 + upper, all, 0}}, allow, kill},
		// A filter cannot read a struct: without this call, libraries use clone.
		{unix.SYS_CLONE3, nil, fail | uint32(unix.ENOSYS), none},
		{unix.SYS_TGKILL, self, allow, kill},
		{unix.SYS_KILL, self, allow, kill},
		// Memory, but not executable, and not backed by a descriptor.
		{unix.SYS_MMAP, []check{{arg2, unix.PROT_EXEC, 0}, {arg3, unix.MAP_ANONYMOUS, unix.MAP_ANONYMOUS}}, allow, kill},
		{unix.SYS_MPROTECT, []check{{arg2, unix.PROT_EXEC, 0}}, allow, kill},
		// Limits can be read, not set.
		{unix.SYS_PRLIMIT64, []check{{arg0, all, 0}, {arg2, all, 0}, {arg2 + upper, all, 0}}, allow, deny},
		{unix.SYS_PRCTL, []check{{arg0, all, prSetVMA}}, fail | uint32(unix.EINVAL), deny},
	}
	for _, command := range []uint32{unix.F_GETFD, unix.F_GETFL, unix.F_SETFL} {
		rules = append(rules, rule{unix.SYS_FCNTL, []check{{arg1, all, command}}, allow, none})
	}
	return rules
}

// allowed lists the calls that the Go runtime and reading and writing of descriptors
// need, with any arguments.
var allowed = []uintptr{
	unix.SYS_FUTEX, unix.SYS_READ, unix.SYS_WRITE, unix.SYS_EPOLL_PWAIT, unix.SYS_EPOLL_PWAIT2, unix.SYS_EPOLL_CTL,
	unix.SYS_MADVISE, unix.SYS_MUNMAP, unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_SCHED_YIELD,
	unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_GETRES, unix.SYS_GETTIMEOFDAY,
	unix.SYS_RT_SIGRETURN, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGACTION, unix.SYS_SIGALTSTACK, unix.SYS_RESTART_SYSCALL,
	unix.SYS_GETPID, unix.SYS_GETTID, unix.SYS_GETPPID, unix.SYS_GETRANDOM, unix.SYS_SCHED_GETAFFINITY,
	unix.SYS_GETRUSAGE, unix.SYS_READV, unix.SYS_WRITEV, unix.SYS_PREAD64, unix.SYS_FSTAT, unix.SYS_CLOSE,
	unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
}

// deadly lists calls that no script needs and no library makes incidentally: a process
// that makes one has escaped from the interpreter.
var deadly = []uintptr{
	// Programs and processes.
	unix.SYS_EXECVE, unix.SYS_EXECVEAT, unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_PERSONALITY,
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP, unix.SYS_PROCESS_MADVISE,
	unix.SYS_TKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO,
	unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_PIDFD_GETFD,
	// The network, and descriptors from elsewhere.
	unix.SYS_SOCKET, unix.SYS_SOCKETPAIR, unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_ACCEPT4,
	unix.SYS_SENDTO, unix.SYS_SENDMSG, unix.SYS_SENDMMSG, unix.SYS_RECVMSG, unix.SYS_RECVMMSG,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET,
	unix.SYS_VMSPLICE, unix.SYS_SPLICE, unix.SYS_TEE,
	// Large parts of the kernel.
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_SECCOMP,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, unix.SYS_IO_SETUP, unix.SYS_IO_SUBMIT,
	unix.SYS_ADD_KEY, unix.SYS_KEYCTL, unix.SYS_REQUEST_KEY,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_REBOOT,
	unix.SYS_PKEY_MPROTECT, unix.SYS_REMAP_FILE_PAGES, unix.SYS_SHMAT, unix.SYS_SHMGET,
	// The file system as a whole, and users.
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_FSOPEN, unix.SYS_FSMOUNT, unix.SYS_FSPICK,
	unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_MOUNT_SETATTR, unix.SYS_SWAPON, unix.SYS_QUOTACTL,
	unix.SYS_SETUID, unix.SYS_SETGID, unix.SYS_SETREUID, unix.SYS_SETREGID, unix.SYS_SETRESUID, unix.SYS_SETRESGID,
	unix.SYS_SETGROUPS, unix.SYS_CAPSET,
}
