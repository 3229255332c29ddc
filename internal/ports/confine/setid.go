//go:build linux && (amd64 || arm64)

package confine

import "golang.org/x/sys/unix"

// modeCall is a system call that sets the mode of a file: the index of the mode
// argument, and, for calls that set it only with certain flags, these flags and their
// argument.
type modeCall struct {
	number uintptr
	mode   uint32 // its word
	making []check
}

// modeCalls lists those that every processor has.
var modeCalls = []modeCall{
	{unix.SYS_FCHMOD, arg1, nil},
	{unix.SYS_FCHMODAT, arg2, nil},
	{unix.SYS_FCHMODAT2, arg2, nil},
	{unix.SYS_MKNODAT, arg2, nil},
	{unix.SYS_OPENAT, arg3, []check{{arg2, unix.O_CREAT, unix.O_CREAT}}},
	{unix.SYS_OPENAT, arg3, []check{{arg2, unix.O_TMPFILE, unix.O_TMPFILE}}},
}

// noSetID prevents a program from creating a file that runs as its owner or group: the
// file would stay in the workspace, where other users of the directory could run it. A
// library that opens files with the call whose flags are in a struct falls back to
// another call.
func noSetID() []rule {
	rules := []rule{{unix.SYS_OPENAT2, nil, fail | uint32(unix.ENOSYS), none}}
	for _, calls := range [][]modeCall{modeCalls, olderModeCalls} {
		for _, c := range calls {
			for _, bit := range []uint32{unix.S_ISUID, unix.S_ISGID} {
				checks := append([]check{{c.mode, bit, bit}}, c.making...)
				rules = append(rules, rule{c.number, checks, deny, none})
			}
		}
	}
	return rules
}
