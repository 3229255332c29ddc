//go:build linux && (amd64 || arm64)

package confine

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// listed returns an error if there is no list of system calls for the processor.
func listed() error { return nil }

// install installs a filter: for the calling thread and what it starts, or, with
// SECCOMP_FILTER_FLAG_TSYNC, for all threads or none.
func install(filter []unix.SockFilter, flags uintptr) error {
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	r, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(filter)
	if errno != 0 {
		return fmt.Errorf("%w; the kernel needs CONFIG_SECCOMP_FILTER, and a container a profile that lets seccomp pass", errno)
	}
	if r != 0 {
		return fmt.Errorf("thread %d has a filter of its own", r)
	}
	return nil
}

// Offsets into the kernel's struct seccomp_data. An argument is two words, the lower
// one first on the listed processors.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16
)

// The lower word of each argument. The kernel reads an int from there. The upper half
// is the next word.
const (
	arg0 = 2 * iota
	arg1
	arg2
	arg3

	upper = 1
	all   = 0xffffffff // a mask
)

// Verdicts of a filter. The number 0 would be a verdict too, which ends a thread and
// leaves the process hanging; here it means that a later rule decides.
const (
	none    = 0
	allow   = unix.SECCOMP_RET_ALLOW
	kill    = unix.SECCOMP_RET_KILL_PROCESS
	fail    = unix.SECCOMP_RET_ERRNO // plus the number of the error
	refused = unix.EPERM
	deny    = fail | uint32(refused)
)

// rule is a system call and its verdict: pass if all checks hold, otherwise refuse.
type rule struct {
	number       uintptr
	checks       []check
	pass, refuse uint32
}

// check holds if word, masked with mask, equals want.
type check struct {
	word, mask, want uint32
}

// verdicts returns a rule for each of the calls whose arguments do not matter.
func verdicts(verdict uint32, numbers ...uintptr) []rule {
	rules := make([]rule, len(numbers))
	for i, n := range numbers {
		rules[i] = rule{n, nil, verdict, none}
	}
	return rules
}

// assemble returns the filter that gives a call the verdict of the first rule that
// decides, otherwise the default. A call through the table of another processor
// (32-bit, x32) ends the process.
func assemble(rules []rule, otherwise uint32) []unix.SockFilter {
	p := []unix.SockFilter{
		load(offArch),
		jump(unix.BPF_JEQ, auditArch, 1, 0),
		verdict(kill),
		load(offNumber),
		jump(unix.BPF_JGE, numbersEnd, 0, 1),
		verdict(kill),
	}
	for _, r := range rules {
		p = append(p, r.code()...)
	}
	return append(p, verdict(otherwise))
}

func (r rule) code() []unix.SockFilter {
	if len(r.checks) == 0 {
		return []unix.SockFilter{jump(unix.BPF_JEQ, uint32(r.number), 0, 1), verdict(r.pass)}
	}
	var body []unix.SockFilter
	for i, c := range r.checks {
		left := len(r.checks) - 1 - i
		body = append(body,
			load(offArgs+4*c.word),
			unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: c.mask},
			jump(unix.BPF_JEQ, c.want, 0, uint8(3*left+1)), // past the other checks and the verdict
		)
	}
	refuse := verdict(r.refuse)
	if r.refuse == none {
		refuse = load(offNumber) // which the checks overwrote
	}
	body = append(body, verdict(r.pass), refuse)
	return append([]unix.SockFilter{jump(unix.BPF_JEQ, uint32(r.number), 0, uint8(len(body)))}, body...)
}

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

// jump skips yes instructions if the comparison holds, otherwise no.
func jump(comparison uint16, k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | comparison | unix.BPF_K, K: k, Jt: yes, Jf: no}
}

func verdict(v uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: v}
}
