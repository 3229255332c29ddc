//go:build linux && (amd64 || arm64)

package lockdown

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// listed fails where there is no list of system calls for the processor.
func listed() error { return nil }

// filterCalls gives the kernel the list of system calls this process may still
// make. The kernel puts it on all threads at once, or on none.
func filterCalls() error {
	filter := program(os.Getpid())
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	r, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(filter)
	if errno != 0 {
		return fmt.Errorf("%w; the kernel needs CONFIG_SECCOMP_FILTER", errno)
	}
	if r != 0 {
		return fmt.Errorf("thread %d has a filter of its own", r)
	}
	return nil
}

// Offsets into the kernel's struct seccomp_data; an argument is two words, the
// lower one first on the processors listed.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16
)

// verdicts of the filter. The number 0 would be one too, which ends a thread and
// leaves the process hanging: here it stands for none.
const (
	none  = 0
	allow = unix.SECCOMP_RET_ALLOW
	kill  = unix.SECCOMP_RET_KILL_PROCESS
	fail  = unix.SECCOMP_RET_ERRNO // and the number of the error
)

// program is the filter for the process pid: which processor, then the number,
// which each entry compares to its own, then EPERM for every call not listed. A
// call by the table of another processor (32-bit, x32) ends the process.
func program(pid int) []unix.SockFilter {
	p := []unix.SockFilter{
		load(offArch),
		jump(unix.BPF_JEQ, auditArch, 1, 0),
		verdict(kill),
		load(offNumber),
		jump(unix.BPF_JGE, numbersEnd, 0, 1),
		verdict(kill),
	}
	for _, c := range guarded(uint32(pid)) {
		p = append(p, c.code()...)
	}
	for _, n := range allowed {
		p = append(p, jump(unix.BPF_JEQ, uint32(n), 0, 1), verdict(allow))
	}
	for _, n := range slices.Concat(deadly, deadlyHere) {
		p = append(p, jump(unix.BPF_JEQ, uint32(n), 0, 1), verdict(kill))
	}
	return append(p, verdict(fail|uint32(unix.EPERM)))
}

// call is a system call whose arguments decide: pass is the verdict if all checks
// hold, else refuse, or if that is none, whatever a later entry says.
type call struct {
	number       uint32
	checks       []check
	pass, refuse uint32
}

// check holds if the 32 bits of word (0: the lower of argument 0, 1: its upper one,
// 2: the lower of argument 1, …), under mask, are want.
type check struct {
	word, mask, want uint32
}

func (c call) code() []unix.SockFilter {
	var body []unix.SockFilter
	for i, k := range c.checks {
		left := len(c.checks) - 1 - i
		body = append(body,
			load(offArgs+4*k.word),
			unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: k.mask},
			jump(unix.BPF_JEQ, k.want, 0, uint8(3*left+1)), // past the other checks and the verdict
		)
	}
	otherwise := verdict(c.refuse)
	if c.refuse == none {
		otherwise = load(offNumber) // which the checks overwrote
	}
	body = append(body, verdict(c.pass), otherwise)
	return append([]unix.SockFilter{jump(unix.BPF_JEQ, c.number, 0, uint8(len(body)))}, body...)
}

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

// jump skips yes instructions if the comparison holds, else no.
func jump(comparison uint16, k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | comparison | unix.BPF_K, K: k, Jt: yes, Jf: no}
}

func verdict(v uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: v}
}
