package bench

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// load is the task of a caller process: keep Callers calls in progress for Warm and
// then for Run, and time the calls that end in Run.
type load struct {
	Way     string        `json:"way"`
	URL     string        `json:"url"`
	Callers int           `json:"callers"`
	Warm    time.Duration `json:"warm"`
	Run     time.Duration `json:"run"`
	// Calls ends the load, if above 0, when that many calls were made or have failed;
	// Run then limits the duration.
	Calls int64 `json:"calls,omitempty"`
}

// Marks are printed when the timing begins and ends.
const (
	markBegun = "begun"
	markEnded = "ended"
)

// tally holds the counts of a caller process.
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

// failurePause keeps callers from spinning if every call fails.
const failurePause = 10 * time.Millisecond

// run runs the load and prints a mark when the timing begins and ends.
func (l load) run(ctx context.Context, say func(any)) tally {
	call, hangUp, err := dial(ctx, l.Way, l.URL, l.Callers)
	if err != nil {
		say(markBegun)
		say(markEnded)
		return tally{Failed: 1, First: err.Error()}
	}
	defer hangUp()
	c := crowd{call: call, enough: make(chan struct{}), left: l.Calls}
	var callers sync.WaitGroup
	for range l.Callers {
		callers.Go(func() { c.keepCalling(ctx) })
	}
	wait(ctx, l.Warm)
	say(markBegun)
	before, began := ownUsage(), time.Now()
	c.phase.Store(timing)
	c.last(ctx, l.Run)
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

// last waits until there were enough calls, for at most d.
func (c *crowd) last(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.enough:
	case <-ctx.Done():
	}
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

// crowd is a set of callers that share their counts.
type crowd struct {
	call   func() error
	phase  atomic.Int32
	times  histogram
	failed atomic.Int64
	first  atomic.Pointer[string]

	left   int64 // number of calls to make, including failed ones; 0 for no limit
	made   atomic.Int64
	enough chan struct{}
}

// keepCalling makes one call after the other until the load is over.
func (c *crowd) keepCalling(ctx context.Context) {
	for c.phase.Load() != over && ctx.Err() == nil {
		began := time.Now()
		if err := c.call(); err != nil {
			text := err.Error()
			c.failed.Add(1)
			c.first.CompareAndSwap(nil, &text)
			c.count()
			wait(ctx, failurePause)
			continue
		}
		if took := time.Since(began); c.phase.Load() == timing {
			c.times.add(took)
			c.count()
		}
	}
}

// count ends the load after its number of calls.
func (c *crowd) count() {
	if c.left > 0 && c.phase.Load() == timing && c.made.Add(1) == c.left {
		close(c.enough)
	}
}
