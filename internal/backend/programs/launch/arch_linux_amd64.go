package launch

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_X86_64

// numbersEnd is where the numbers of the x32 table begin.
const numbersEnd = 0x40000000
