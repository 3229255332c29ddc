package system

import (
	"context"
	"fmt"
	"runtime/pprof"
	"sync"

	"github.com/helve-dev/helve/internal/test/testtime"
)

// process is a group of goroutines that runs until it is drained.
type process struct {
	drain func() error
}

// spawn runs a process and returns what it passed to ready. Its goroutines have the label
// name, by which a process that does not end in time is described.
func spawn(name string, run func(ctx context.Context, ready func(string)) error) (*process, string, error) {
	ctx, cancel := context.WithCancel(context.Background())
	ready := make(chan string, 1)
	done := make(chan error, 1)
	go pprof.Do(ctx, pprof.Labels(label, name), func(ctx context.Context) {
		done <- run(ctx, func(address string) { ready <- address })
	})
	p := &process{drain: sync.OnceValue(func() error {
		cancel()
		return within(testtime.Patience(), name, func() error { return <-done })
	})}
	var address string
	err := within(testtime.Patience(), name, func() error {
		select {
		case address = <-ready:
			return nil
		case err := <-done:
			done <- err
			return fmt.Errorf("%s ended before it was ready: %w", name, err)
		}
	})
	return p, address, err
}
