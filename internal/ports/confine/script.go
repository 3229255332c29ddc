package confine

import "fmt"

// Script describes what the profile of scripts allows.
type Script struct {
	// AddressSpace is the number of bytes that the process may map in addition to those
	// it has.
	AddressSpace uint64
	// CPUSeconds is the hard limit of the process's total CPU time.
	CPUSeconds uint64
	// Keep lists the descriptors, beside standard error, that stay open. Each must be
	// an end of a pipe or a socket, and not 0, 1 or 2.
	Keep []int
}

// Reexec is the first of two steps for a program linked with cgo: it drops privileges
// and files in one thread and runs the program again from there, with these arguments,
// so that every thread lacks them from its start. It returns only if it fails, or nil
// in a program without cgo, where it does nothing. Call it first, and Apply in the
// program that it runs.
func Reexec(again []string) error {
	if err := reexec(again); err != nil {
		return fmt.Errorf("cannot be locked down: %w", err)
	}
	return nil
}

// Apply confines the process and all its threads permanently. Call it once, at the
// start of a program, while no other goroutine opens files; if the program is linked
// with cgo, call it in the program that Reexec has run. If it returns an error, the
// process may be partly confined: report the error and exit.
func Apply(s Script) error {
	if err := apply(s); err != nil {
		return fmt.Errorf("cannot be locked down: %w", err)
	}
	return nil
}

// Part is one feature that a host may support.
type Part struct {
	Name      string // landlock, seccomp, no_new_privs, rlimits, user_namespace, …
	Mandatory bool
	OK        bool
	Detail    string // a version, or advice if it is missing
}

// Probe returns what this host supports, without changing this process.
func Probe() []Part { return probe() }

// BestEffort returns the namespaces that a child of this process can have, for
// SysProcAttr.Cloneflags, by starting a process. None of them is mandatory: flags is 0
// if none is available.
func BestEffort() (flags uintptr, parts []Part) { return namespaces() }
