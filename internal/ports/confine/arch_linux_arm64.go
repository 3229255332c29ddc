package confine

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

// numbersEnd is above every number of this processor's table.
const numbersEnd = 0x40000000

// olderModeCalls is empty on this processor.
var olderModeCalls []modeCall

// wayOutHere holds the calls of wayOut that not every processor has.
var wayOutHere = []uintptr{unix.SYS_KEXEC_FILE_LOAD}

// deadlyHere holds the deadly calls that not every table has.
var deadlyHere = []uintptr{unix.SYS_ACCEPT, unix.SYS_KEXEC_FILE_LOAD}
