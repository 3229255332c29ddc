//go:build linux && (amd64 || arm64)

package launch

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// listed fails where there is no list of system calls for the processor.
func listed() error { return nil }

// filterCalls has the kernel refuse calls to the calling thread and to what it will
// start. Programs of any kind run here, so that all is allowed which is not known to
// lead out.
func (j *Job) filterCalls() error {
	version, err := landlockVersion()
	if err != nil {
		return err
	}
	filter := j.program(version)
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(filter)
	if errno != 0 {
		return fmt.Errorf("%w; the kernel needs CONFIG_SECCOMP_FILTER, and a container a profile that lets seccomp pass", errno)
	}
	return nil
}

// refused is what a refused call ends in.
const refused = unix.EPERM

// Offsets into the kernel's struct seccomp_data; an argument is two words, the lower
// one first on the processors listed.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16

	allow = unix.SECCOMP_RET_ALLOW
	deny  = unix.SECCOMP_RET_ERRNO | uint32(refused)
	kill  = unix.SECCOMP_RET_KILL_PROCESS
)

// rule gives a call its verdict if all checks hold; else a later rule decides.
type rule struct {
	number  uintptr
	checks  []check
	verdict uint32
}

// check holds if the lower half of an argument, under mask, is want.
type check struct {
	arg, mask, want uint32
}

// program is the filter. A call by the table of another processor (32-bit, x32) ends
// the process.
func (j *Job) program(version int) []unix.SockFilter {
	p := []unix.SockFilter{
		load(offArch),
		jump(unix.BPF_JEQ, auditArch, 1, 0),
		verdict(kill),
		load(offNumber),
		jump(unix.BPF_JGE, numbersEnd, 0, 1),
		verdict(kill),
	}
	for _, r := range j.rules(version) {
		p = append(p, r.code()...)
	}
	return append(p, verdict(allow))
}

func (r rule) code() []unix.SockFilter {
	if len(r.checks) == 0 {
		return []unix.SockFilter{jump(unix.BPF_JEQ, uint32(r.number), 0, 1), verdict(r.verdict)}
	}
	var body []unix.SockFilter
	for i, c := range r.checks {
		left := len(r.checks) - 1 - i
		body = append(body,
			load(offArgs+8*c.arg),
			unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: c.mask},
			jump(unix.BPF_JEQ, c.want, 0, uint8(3*left+1)), // past the other checks and the verdict
		)
	}
	body = append(body, verdict(r.verdict), load(offNumber)) // which the checks overwrote
	return append([]unix.SockFilter{jump(unix.BPF_JEQ, uint32(r.number), 0, uint8(len(body)))}, body...)
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
