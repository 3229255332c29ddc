package lockdown

import (
	"fmt"
	"runtime"
	"time"
)

// apply finds out whether all of it can be done, and only then takes things away,
// in the order in which each step still has what it needs: /proc before Landlock,
// signals between threads (the runtime's way to reach them all) before seccomp.
func apply(o Options) error {
	if o.AddressSpace == 0 || o.CPUSeconds == 0 {
		return fmt.Errorf("AddressSpace is %d and CPUSeconds is %d; want both above 0", o.AddressSpace, o.CPUSeconds)
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
	for _, step := range []struct {
		part string
		do   func() error
	}{
		{"descriptors", func() error { return closeOthers(o.Keep, threads) }},
		{"privileges", dropPrivileges},
		{"no_new_privs", noNewPrivileges},
		{"landlock", restrictFiles},
		{"landlock", filesGone},
		{"rlimits", func() error { return setLimits(o, mapped) }},
		{"seccomp", filterCalls},
		{"check", threads.check},
	} {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.part, err)
		}
	}
	return nil
}

// settleRuntime has the Go runtime open now what it would open later: the first
// timer starts the poller (an epoll and an eventfd). A GOMAXPROCS that was set
// stops it from reading the CPU limit of its cgroup, through a file it holds open.
func settleRuntime() {
	time.AfterFunc(time.Hour, func() {}).Stop()
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
}
