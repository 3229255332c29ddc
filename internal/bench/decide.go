package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/helve-dev/helve/client"
)

// decideAll grants every parked call, waits until all have run, and shows that
// a second decision does nothing.
func decideAll(ctx context.Context, f *fleet, s *Sheet, parked []waitingCall, results *results, worker *node) error {
	c, err := client.New(f.nats)
	if err != nil {
		return err
	}
	defer c.Close()
	alone := parked[:min(roundTrips, len(parked)/2)]
	if err := oneByOne(ctx, f.nats, c, alone, s); err != nil {
		return err
	}
	rest := parked[len(alone):]
	began := time.Now()
	if err := together(ctx, rest, func(w waitingCall) error { return grant(ctx, c, w) }); err != nil {
		return err
	}
	decided := time.Since(began)
	if _, err := results.await(ctx, worker); err != nil {
		return err
	}
	ran := results.last().Sub(began)
	s.put("decisions_per_s", float64(len(rest))/decided.Seconds(), fmt.Sprintf("decisions a second, %d deciders at once", deciders))
	s.put("granted_runs_per_s", float64(len(rest))/ran.Seconds(), "granted calls that had run a second, in the same time")
	err = together(ctx, alone, func(w waitingCall) error {
		refused, ok := errors.AsType[*client.RequestError](grant(ctx, c, w))
		if !ok || refused.Type != client.Conflict {
			return fmt.Errorf("consent %s was decided twice", w.consent)
		}
		return nil
	})
	return err
}

func grant(ctx context.Context, c *client.Client, w waitingCall) error {
	_, err := c.Decide(ctx, w.consent, client.Decision{Grant: true})
	return err
}

// together does something with each call, deciders at once, until the first
// error.
func together(ctx context.Context, calls []waitingCall, do func(waitingCall) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	queue := make(chan waitingCall)
	var all sync.WaitGroup
	for range deciders {
		all.Go(func() {
			for w := range queue {
				if err := do(w); err != nil {
					stop(err)
				}
			}
		})
	}
	for _, w := range calls {
		select {
		case queue <- w:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(queue)
	all.Wait()
	return context.Cause(ctx)
}
