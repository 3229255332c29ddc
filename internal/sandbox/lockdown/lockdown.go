package lockdown

import "fmt"

// Options say what a process keeps.
type Options struct {
	// AddressSpace is how many bytes the process may map beyond what it has.
	AddressSpace uint64
	// CPUSeconds is the hard end of the process's whole CPU time.
	CPUSeconds uint64
	// Keep are the descriptors, beside standard error, that stay open. Each must be
	// an end of a pipe or a socket, and not 0, 1 or 2.
	Keep []int
}

// Apply locks the process down: for good, and for all its threads. Call it once,
// first thing in a program built without cgo, while no other goroutine opens
// files. If it returns an error, the process may be anywhere between free and
// locked: say why, and end it.
func Apply(o Options) error {
	if err := apply(o); err != nil {
		return fmt.Errorf("cannot be locked down: %w", err)
	}
	return nil
}

// Part is one thing a host offers, or not.
type Part struct {
	Name      string // landlock, seccomp, no_new_privs, rlimits, user_namespace, …
	Mandatory bool
	OK        bool
	Detail    string // a version, or what to do about its absence
}

// Probe finds out what this host offers, without changing this process.
func Probe() []Part { return probe() }

// BestEffort finds the namespaces a child of this process can be given, for
// SysProcAttr.Cloneflags, by really starting one. None of them is mandatory: flags
// is 0 where none can be had.
func BestEffort() (flags uintptr, parts []Part) { return namespaces() }
