package launch

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

// numbersEnd is above every number there is.
const numbersEnd = 0x40000000
