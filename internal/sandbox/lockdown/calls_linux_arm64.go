package lockdown

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

// numbersEnd is beyond every number this processor's table will ever have.
const numbersEnd = 0x40000000

// deadlyHere is what not every table has.
var deadlyHere = []uintptr{unix.SYS_ACCEPT, unix.SYS_KEXEC_FILE_LOAD}
