package bench

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// pacer starts calls at a fixed rate, however long they take. A call is timed from the
// moment when it was due, so that a system that stands still is not measured as fast.
type pacer struct {
	// call makes call number n.
	call func(ctx context.Context, n int64) error
	// rate is in calls a second; 0 starts each call when another has ended.
	rate    float64
	callers int

	times              atomic.Pointer[histogram]
	next, made, failed atomic.Int64
	first              atomic.Pointer[string]
}

// paceTick is the interval at which calls are started.
const paceTick = 2 * time.Millisecond

// run makes calls until stop ends, and returns when all have ended. A call that fails after
// ctx has ended does not count.
func (p *pacer) run(ctx, stop context.Context) {
	p.times.CompareAndSwap(nil, &histogram{})
	due := make(chan time.Time)
	var callers sync.WaitGroup
	for range p.callers {
		callers.Go(func() {
			for at := range due {
				p.one(ctx, at)
			}
		})
	}
	p.pace(stop, due)
	close(due)
	callers.Wait()
}

func (p *pacer) one(ctx context.Context, due time.Time) {
	times := p.times.Load()
	if err := p.call(ctx, p.next.Add(1)-1); err != nil {
		if ctx.Err() == nil {
			text := err.Error()
			p.failed.Add(1)
			p.first.CompareAndSwap(nil, &text)
			wait(ctx, failurePause)
		}
		return
	}
	p.made.Add(1)
	times.add(time.Since(due))
}

// pace sends the moments at which calls are due.
func (p *pacer) pace(stop context.Context, due chan<- time.Time) {
	tick := time.NewTicker(paceTick)
	defer tick.Stop()
	began := time.Now()
	for n := 0.0; ; {
		at := time.Now()
		if p.rate > 0 {
			if at = began.Add(time.Duration(n / p.rate * float64(time.Second))); at.After(time.Now()) {
				select {
				case <-tick.C:
					continue
				case <-stop.Done():
					return
				}
			}
		}
		select {
		case due <- at:
			n++
		case <-stop.Done():
			return
		}
	}
}

// swap returns the times since the last swap.
func (p *pacer) swap() *histogram { return p.times.Swap(&histogram{}) }
