package confine

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_X86_64

// numbersEnd is the first number of the x32 table.
const numbersEnd = 0x40000000

// olderModeCalls holds the calls of setid.go that only this processor has.
var olderModeCalls = []modeCall{
	{unix.SYS_CHMOD, arg1, nil},
	{unix.SYS_CREAT, arg1, nil},
	{unix.SYS_MKNOD, arg1, nil},
	{unix.SYS_OPEN, arg2, []check{{arg1, unix.O_CREAT, unix.O_CREAT}}},
	{unix.SYS_OPEN, arg2, []check{{arg1, unix.O_TMPFILE, unix.O_TMPFILE}}},
}

// wayOutHere holds the calls of wayOut that not every processor has.
var wayOutHere = []uintptr{
	unix.SYS_KEXEC_FILE_LOAD, unix.SYS_MODIFY_LDT, unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_URETPROBE, unix.SYS_UPROBE,
}

// deadlyHere holds the deadly calls that not every table has.
var deadlyHere = []uintptr{
	unix.SYS_ACCEPT, unix.SYS_FORK, unix.SYS_VFORK, unix.SYS_MODIFY_LDT, unix.SYS_IOPL, unix.SYS_IOPERM,
	unix.SYS_KEXEC_FILE_LOAD, unix.SYS_MAP_SHADOW_STACK, unix.SYS_URETPROBE, unix.SYS_UPROBE,
}
