//go:build linux && (amd64 || arm64)

package launch

import "golang.org/x/sys/unix"

const (
	whole     = 0xffffffff
	typeMask  = 0xf // of a socket, without its flags
	newSpaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
	tiocLinux = 0x541c

	ioprioProcess = 1 // IOPRIO_WHO_PROCESS
)

// rules are those of a job on a kernel with that version of Landlock.
func (j *Job) rules(version int) []rule {
	all := j.sockets(version)
	all = append(all,
		rule{unix.SYS_CLONE, []check{{0, newSpaces, 0}}, allow},
		rule{unix.SYS_CLONE, nil, deny},
		// There is no looking into a struct: without this call, libraries use clone.
		rule{unix.SYS_CLONE3, nil, unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
		// Text typed into somebody's terminal.
		rule{unix.SYS_IOCTL, []check{{1, whole, unix.TIOCSTI}}, deny},
		rule{unix.SYS_IOCTL, []check{{1, whole, tiocLinux}}, deny},
	)
	all = append(all, notLauncher(uint32(unix.Getpid()), uint32(unix.Gettid()))...)
	if !j.Pids {
		all = append(all, onlySelf()...)
	}
	if !j.IPC {
		all = append(all, denied(unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMCTL,
			unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK)...)
	}
	return append(all, denied(wayOut...)...)
}

func denied(numbers ...uintptr) (all []rule) {
	for _, n := range numbers {
		all = append(all, rule{n, nil, deny})
	}
	return all
}

// sockets are refused but for those that lead nowhere, and those of the network
// where the program may use it. Landlock says nothing of connecting to a socket with
// a name before its version 9: such sockets are for programs in a root of their own.
func (j *Job) sockets(version int) []rule {
	named := j.Mounts || version >= namedSockets
	abstract := j.Net || version >= scopedSignals
	all := []rule{
		{unix.SYS_SOCKETPAIR, []check{{0, whole, unix.AF_UNIX}, {1, typeMask, unix.SOCK_STREAM}}, allow},
		{unix.SYS_SOCKETPAIR, []check{{0, whole, unix.AF_UNIX}, {1, typeMask, unix.SOCK_SEQPACKET}}, allow},
	}
	if named && abstract {
		all = append(all,
			rule{unix.SYS_SOCKET, []check{{0, whole, unix.AF_UNIX}}, allow},
			rule{unix.SYS_SOCKETPAIR, []check{{0, whole, unix.AF_UNIX}}, allow}, // a datagram has an address of its own
		)
	}
	if j.Network {
		for _, family := range []uint32{unix.AF_INET, unix.AF_INET6} {
			for _, kind := range []uint32{unix.SOCK_STREAM, unix.SOCK_DGRAM} {
				all = append(all, rule{unix.SYS_SOCKET, []check{{0, whole, family}, {1, typeMask, kind}}, allow})
			}
		}
		// Which addresses the machine has, as resolvers ask.
		all = append(all, rule{unix.SYS_SOCKET, []check{{0, whole, unix.AF_NETLINK}, {2, whole, unix.NETLINK_ROUTE}}, allow})
	}
	return append(all, denied(unix.SYS_SOCKET, unix.SYS_SOCKETPAIR)...)
}

// onlySelf keeps a program from slowing down, or limiting, others of its user.
func onlySelf() []rule {
	var all []rule
	for _, n := range []uintptr{unix.SYS_PRLIMIT64, unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR, unix.SYS_MOVE_PAGES, unix.SYS_MIGRATE_PAGES} {
		all = append(all, rule{n, []check{{0, whole, 0}}, allow}, rule{n, nil, deny})
	}
	return append(all,
		rule{unix.SYS_SETPRIORITY, []check{{0, whole, unix.PRIO_PROCESS}, {1, whole, 0}}, allow}, rule{unix.SYS_SETPRIORITY, nil, deny},
		rule{unix.SYS_IOPRIO_SET, []check{{0, whole, ioprioProcess}, {1, whole, 0}}, allow}, rule{unix.SYS_IOPRIO_SET, nil, deny},
	)
}

// notLauncher keeps signals from the launcher. Landlock does that for all processes
// but those that are restricted alike, and the calling thread of the launcher is.
func notLauncher(pid, tid uint32) (all []rule) {
	for _, n := range []uintptr{unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_TGKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO, unix.SYS_PIDFD_OPEN} {
		for _, number := range []uint32{pid, tid} {
			all = append(all, rule{n, []check{{0, whole, number}}, deny})
		}
	}
	return all
}

// wayOut is what leads to other processes, to the kernel's wide doors, or to files
// by other ways than their names, and what few programs need.
var wayOut = []uintptr{
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP,
	unix.SYS_PROCESS_MADVISE, unix.SYS_PROCESS_MRELEASE, unix.SYS_PIDFD_GETFD,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_FANOTIFY_INIT,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_ADD_KEY, unix.SYS_KEYCTL, unix.SYS_REQUEST_KEY,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_REBOOT, unix.SYS_SYSLOG,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_FSOPEN, unix.SYS_FSMOUNT, unix.SYS_FSPICK,
	unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_MOUNT_SETATTR, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_QUOTACTL, unix.SYS_ACCT,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_VHANGUP,
}
