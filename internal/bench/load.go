package bench

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// load is what a caller process is asked to do: keep Callers calls under way
// for Warm and then for Run, and time what ends in the latter.
type load struct {
	Way     string        `json:"way"`
	URL     string        `json:"url"`
	Callers int           `json:"callers"`
	Warm    time.Duration `json:"warm"`
	Run     time.Duration `json:"run"`
}

// Marks are said when the timing begins and ends.
const (
	markBegun = "begun"
	markEnded = "ended"
)

// tally is what a caller process has counted.
type tally struct {
	P50     float64 `json:"p50_us"`
	P99     float64 `json:"p99_us"`
	Calls   int64   `json:"calls"`
	Seconds float64 `json:"seconds"`
	// CPU is the caller's own, in microseconds.
	CPU    float64 `json:"cpu_us"`
	Failed int64   `json:"failed"`
	First  string  `json:"first_failure"`
}

// The phases of a load.
const (
	warming int32 = iota
	timing
	over
)

// failurePause keeps callers of something that always fails from spinning.
const failurePause = 10 * time.Millisecond

// run puts the load on and says when the timing begins and ends.
func (l load) run(ctx context.Context, say func(any)) tally {
	call, hangUp, err := dial(ctx, l.Way, l.URL, l.Callers)
	if err != nil {
		say(markBegun)
		say(markEnded)
		return tally{Failed: 1, First: err.Error()}
	}
	defer hangUp()
	c := crowd{call: call}
	var callers sync.WaitGroup
	for range l.Callers {
		callers.Go(func() { c.keepCalling(ctx) })
	}
	wait(ctx, l.Warm)
	say(markBegun)
	before, began := ownUsage(), time.Now()
	c.phase.Store(timing)
	wait(ctx, l.Run)
	c.phase.Store(over)
	took, after := time.Since(began), ownUsage()
	say(markEnded)
	callers.Wait()
	t := tally{
		P50: c.times.quantile(0.50), P99: c.times.quantile(0.99), Calls: c.times.count(),
		Seconds: took.Seconds(), CPU: after.CPU - before.CPU, Failed: c.failed.Load(),
	}
	if first := c.first.Load(); first != nil {
		t.First = *first
	}
	return t
}

// wait waits for d, or until ctx ends.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// crowd is callers that share what they count.
type crowd struct {
	call   func() error
	phase  atomic.Int32
	times  histogram
	failed atomic.Int64
	first  atomic.Pointer[string]
}

// keepCalling makes one call after the other until the load is over.
func (c *crowd) keepCalling(ctx context.Context) {
	for c.phase.Load() != over && ctx.Err() == nil {
		began := time.Now()
		if err := c.call(); err != nil {
			text := err.Error()
			c.failed.Add(1)
			c.first.CompareAndSwap(nil, &text)
			wait(ctx, failurePause)
			continue
		}
		if took := time.Since(began); c.phase.Load() == timing {
			c.times.add(took)
		}
	}
}
