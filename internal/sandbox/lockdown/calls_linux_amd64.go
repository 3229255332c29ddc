package lockdown

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_X86_64

// numbersEnd is where the numbers of the x32 table begin.
const numbersEnd = 0x40000000

// deadlyHere is what not every table has.
var deadlyHere = []uintptr{
	unix.SYS_ACCEPT, unix.SYS_FORK, unix.SYS_VFORK, unix.SYS_MODIFY_LDT, unix.SYS_IOPL, unix.SYS_IOPERM,
	unix.SYS_KEXEC_FILE_LOAD, unix.SYS_MAP_SHADOW_STACK, unix.SYS_URETPROBE, unix.SYS_UPROBE,
}
