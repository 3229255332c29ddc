package telemetry

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// check is one named check and its run in progress, if any. A check that ignores its
// context keeps one goroutine, however often it is probed.
type check struct {
	run func(context.Context) error

	mu      sync.Mutex
	current *verdict
}

// verdict is one run of a check: done is closed once err is set.
type verdict struct {
	done chan struct{}
	err  error
}

// probe starts a run or joins the one in progress, and waits for it at most
// checkTimeout.
func (c *check) probe(ctx context.Context) error {
	v := c.join(ctx)
	timer := time.NewTimer(checkTimeout)
	defer timer.Stop()
	select {
	case <-v.done:
		return v.err
	case <-timer.C:
		return fmt.Errorf("no answer within %v", checkTimeout)
	}
}

func (c *check) join(ctx context.Context) *verdict {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current != nil {
		return c.current
	}
	v := &verdict{done: make(chan struct{})}
	c.current = v
	go func() {
		// Other probes may wait for this run, so it outlives this probe.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkTimeout)
		defer cancel()
		defer c.finish(v)
		v.err = fmt.Errorf("the check ended without an answer") // unless it returns
		v.err = c.run(ctx)
	}()
	return v
}

// finish publishes v, even if the check panicked.
func (c *check) finish(v *verdict) {
	if p := recover(); p != nil {
		v.err = fmt.Errorf("the check panicked: %v", p)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.current = nil
	close(v.done)
}
