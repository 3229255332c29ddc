package storm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// Run puts the load on processes of its own, with faults, and returns its findings. An
// error means that the run failed.
func Run(ctx context.Context, opts Options) (report *Report, err error) {
	if err := opts.Check(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, opts.limit(), fmt.Errorf("the run did not end within %v", opts.limit()))
	defer cancel()
	callers := cmp.Or(opts.Callers, 32)
	f, err := newFleet(ctx, opts)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.close()) }()
	r := &Report{Seed: opts.Seed, Nodes: max(opts.Nodes, 1), Calls: opts.Calls, Outcomes: map[string]int{}}
	l := newLoad(f, callers)
	began := time.Now()

	var crashes []operation
	x := &faults{fleet: f, report: r, rand: rand.New(rand.NewPCG(opts.Seed, opts.Seed)), crash: func(at time.Time, what string) {
		crashes = append(crashes, operation{what: crash, answer: answer{outcome: what}, began: at.UnixNano(), over: at.UnixNano()})
	}}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var striking sync.WaitGroup
	striking.Go(func() {
		if err := x.run(ctx, func() int { return int(l.done.Load()) }); err != nil {
			stop(fmt.Errorf("fault not made: %w", err))
		}
	})
	err = l.run(ctx, callers)
	striking.Wait()
	if err := cmp.Or(err, context.Cause(ctx)); err != nil {
		return nil, err
	}
	r.Seconds = time.Since(began).Seconds()
	opts.logf("%d calls and %d kills in %.0f s; checking", opts.Calls, r.Kills, r.Seconds)
	if err := l.verify(ctx, r, crashes, callers); err != nil {
		return nil, err
	}
	r.Recoveries = l.recoveries(crashes)
	r.Requests, r.Failed, r.Refused = l.requests.Load(), l.failed.Load(), l.refused.Load()
	return r, nil
}
