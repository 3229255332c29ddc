package confine

import (
	"fmt"
	"runtime"
	"time"
)

// apply checks first that every step can succeed, and only then applies the
// restrictions, in an order in which each step still has what it needs: /proc before
// Landlock, signals between threads (which the runtime uses to reach them all) before
// seccomp.
func apply(s Script) error {
	if s.AddressSpace == 0 || s.CPUSeconds == 0 {
		return fmt.Errorf("AddressSpace is %d and CPUSeconds is %d; want both above 0", s.AddressSpace, s.CPUSeconds)
	}
	if err := missing(needed()); err != nil {
		return err
	}
	settleRuntime()
	mapped, err := mappedBytes()
	if err != nil {
		return err
	}
	threads, err := openThreads()
	if err != nil {
		return err
	}
	defer threads.close()
	steps := []step{
		{"descriptors", func() error { return closeOthers(s.Keep, threads) }},
		{"privileges", dropPrivileges},
		{"no_new_privs", func() error { return noNewPrivileges(allThreads) }},
		{"landlock", takeFiles},
	}
	if withCgo() {
		if err := confined(threads); err != nil {
			return fmt.Errorf("cgo: %w", err)
		}
		steps = []step{steps[0], {"privileges", Hide}} // every thread has the rest
	}
	for _, step := range append(steps, []step{
		{"landlock", filesGone},
		{"rlimits", func() error { return limitScript(s, mapped) }},
		{"seccomp", filterScript},
		{"check", threads.check},
	}...) {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.part, err)
		}
	}
	return nil
}

// step is one step of apply.
type step struct {
	part string
	do   func() error
}

// settleRuntime makes the Go runtime open its descriptors now: the first timer starts
// the poller (an epoll and an eventfd). Setting GOMAXPROCS stops the runtime from
// reading the CPU limit of its cgroup through a file it holds open.
func settleRuntime() {
	time.AfterFunc(time.Hour, func() {}).Stop()
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
}

// takeFiles removes every right on files and the network that Landlock can restrict:
// the ruleset handles them all and allows none.
func takeFiles() error {
	files, err := newFiles(kept{signals: !threadsExempt()})
	if err != nil {
		return err
	}
	defer files.close()
	return files.restrict(allThreads)
}
