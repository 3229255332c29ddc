//go:build linux && (amd64 || arm64)

package confine

import "golang.org/x/sys/unix"

const (
	typeMask  = 0xf // of a socket, without its flags
	newSpaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID |
		unix.CLONE_NEWNET
	tiocLinux = 0x541c

	ioprioProcess = 1 // IOPRIO_WHO_PROCESS
)

// filter makes the kernel refuse calls of the calling thread and of everything it will
// start. Any kind of program runs here, so all calls are allowed except those known to
// lead outside.
func (p *Program) filter() error {
	version, err := LandlockVersion()
	if err != nil {
		return err
	}
	return install(assemble(p.rules(version), allow), 0)
}

// rules returns the rules for a program on a kernel with that version of Landlock.
func (p *Program) rules(version int) []rule {
	rules := p.sockets(version)
	rules = append(rules,
		rule{unix.SYS_CLONE, []check{{arg0, newSpaces, 0}}, allow, none},
		rule{unix.SYS_CLONE, nil, deny, none},
		// A filter cannot read a struct: without this call, libraries use clone.
		rule{unix.SYS_CLONE3, nil, unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS), none},
		// Input injected into another process's terminal.
		rule{unix.SYS_IOCTL, []check{{arg1, all, unix.TIOCSTI}}, deny, none},
		rule{unix.SYS_IOCTL, []check{{arg1, all, tiocLinux}}, deny, none},
	)
	rules = append(rules, noSetID()...)
	rules = append(rules, notLauncher(uint32(unix.Getpid()), uint32(unix.Gettid()))...)
	if !p.Pids {
		rules = append(rules, onlySelf()...)
	}
	if !p.IPC {
		rules = append(rules, verdicts(deny, unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMCTL,
			unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK)...)
	}
	rules = append(rules, harmlessPersonality()...)
	rules = append(rules, verdicts(deny, wayOut...)...)
	return append(rules, verdicts(deny, wayOutHere...)...)
}

// harmlessPersonality prevents a program from disabling protections of memory, such as
// the random layout. It may read its personality, and imitate other systems.
func harmlessPersonality() (rules []rule) {
	const ask, uname26, likeLinux32 = all, 0x20000, 0x8 // UNAME26, PER_LINUX32
	for _, persona := range []uint32{0, ask, uname26, likeLinux32, uname26 | likeLinux32} {
		rules = append(rules, rule{unix.SYS_PERSONALITY, []check{{arg0, all, persona}}, allow, none})
	}
	return append(rules, rule{unix.SYS_PERSONALITY, nil, deny, none})
}

// sockets allows only sockets that lead nowhere, and network sockets if the program may
// use the network. Before version 9 Landlock does not restrict connecting to a named
// socket: such sockets are only for programs with a root of their own.
func (p *Program) sockets(version int) []rule {
	named := p.Mounts || version >= namedSockets
	abstract := p.Net || version >= scopedSignals
	rules := []rule{
		{unix.SYS_SOCKETPAIR, []check{{arg0, all, unix.AF_UNIX}, {arg1, typeMask, unix.SOCK_STREAM}}, allow, none},
		{unix.SYS_SOCKETPAIR, []check{{arg0, all, unix.AF_UNIX}, {arg1, typeMask, unix.SOCK_SEQPACKET}}, allow, none},
	}
	if named && abstract {
		rules = append(rules,
			rule{unix.SYS_SOCKET, []check{{arg0, all, unix.AF_UNIX}}, allow, none},
			rule{unix.SYS_SOCKETPAIR, []check{{arg0, all, unix.AF_UNIX}}, allow, none}, // a datagram has an address of its own
		)
	}
	if p.Network {
		for _, family := range []uint32{unix.AF_INET, unix.AF_INET6} {
			for _, kind := range []uint32{unix.SOCK_STREAM, unix.SOCK_DGRAM} {
				rules = append(rules, rule{unix.SYS_SOCKET, []check{{arg0, all, family}, {arg1, typeMask, kind}}, allow, none})
			}
		}
		// Resolvers ask for the addresses of the machine.
		rules = append(rules, rule{unix.SYS_SOCKET, []check{{arg0, all, unix.AF_NETLINK}, {arg2, all, unix.NETLINK_ROUTE}}, allow, none})
	}
	return append(rules, verdicts(deny, unix.SYS_SOCKET, unix.SYS_SOCKETPAIR)...)
}

// onlySelf prevents a program from slowing down or limiting other processes of its
// user.
func onlySelf() []rule {
	var rules []rule
	for _, n := range []uintptr{
		unix.SYS_PRLIMIT64, unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR,
		unix.SYS_MOVE_PAGES, unix.SYS_MIGRATE_PAGES,
	} {
		rules = append(rules, rule{n, []check{{arg0, all, 0}}, allow, none}, rule{n, nil, deny, none})
	}
	return append(rules,
		rule{unix.SYS_SETPRIORITY, []check{{arg0, all, unix.PRIO_PROCESS}, {arg1, all, 0}}, allow, none},
		rule{unix.SYS_SETPRIORITY, nil, deny, none},
		rule{unix.SYS_IOPRIO_SET, []check{{arg0, all, ioprioProcess}, {arg1, all, 0}}, allow, none}, rule{unix.SYS_IOPRIO_SET, nil, deny, none},
	)
}

// notLauncher keeps signals from the launcher. Landlock does so for all processes
// except those with the same restriction, and the calling thread of the launcher has
// it.
func notLauncher(pid, tid uint32) (rules []rule) {
	for _, n := range []uintptr{
		unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_TGKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO, unix.SYS_PIDFD_OPEN,
	} {
		for _, number := range []uint32{pid, tid} {
			rules = append(rules, rule{n, []check{{arg0, all, number}}, deny, none})
		}
	}
	return rules
}

// wayOut lists calls that reach other processes, large parts of the kernel, or files by
// other ways than their names, and calls that few programs need.
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
	unix.SYS_MEMFD_SECRET, unix.SYS_REMAP_FILE_PAGES,
}
