//go:build failpoint

package failpoint

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// armed is one point of FAILPOINTS with its number of hits.
type armed struct {
	fault
	hits atomic.Int64
}

// ErrInjected is the error of Hit for the action error.
var ErrInjected = errors.New("failed by a failpoint")

const exitUsage = 2

// points is read from the environment once, at the first hit.
var points = sync.OnceValue(func() map[string]*armed {
	faults, err := parse(os.Getenv("FAILPOINTS"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitUsage)
	}
	all := map[string]*armed{}
	for name, f := range faults {
		all[name] = &armed{fault: f}
	}
	return all
})

// Hit performs the action of FAILPOINTS for the point of this name. It returns an error
// only for the action error.
func Hit(name string) error {
	p := points()[name]
	if p == nil || !p.due(p.hits.Add(1)) {
		return nil
	}
	fmt.Fprintf(os.Stderr, "failpoint %s %s\n", name, p.do)
	switch p.do {
	case kill:
		signalSelf(syscall.SIGKILL)
	case stop:
		signalSelf(syscall.SIGSTOP)
	case pause:
		time.Sleep(p.wait)
	case fail:
		return fmt.Errorf("%w: %s", ErrInjected, name)
	}
	return nil
}

// arrival is longer than the kernel takes to stop every thread.
const arrival = 50 * time.Millisecond

// signalSelf sends the signal; when it returns the process has been stopped
// and continued.
func signalSelf(sig syscall.Signal) {
	if err := syscall.Kill(os.Getpid(), sig); err != nil {
		fmt.Fprintln(os.Stderr, "failpoint:", err)
		os.Exit(exitUsage)
	}
	time.Sleep(arrival)
}
