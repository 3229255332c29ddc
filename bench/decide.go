package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/helve-dev/helve/client"
)

// decideAll grants every parked call, waits until all have run, and checks that a
// second decision has no effect. The first of nodes is the worker.
func decideAll(ctx context.Context, url string, s *Sheet, parked []waitingCall, results *results, nodes []*node) error {
	c, err := client.New(url)
	if err != nil {
		return err
	}
	defer c.Close()
	alone := parked[:min(roundTrips, len(parked)/2)]
	if err := oneByOne(ctx, url, c, alone, s); err != nil {
		return err
	}
	rest := parked[len(alone):]
	err = spending(ctx, s, nodes, "decision", func() (int, error) {
		began := time.Now()
		if err := together(ctx, rest, func(w waitingCall) error { return grant(ctx, c, w) }); err != nil {
			return 0, err
		}
		s.put("decisions_per_s", float64(len(rest))/time.Since(began).Seconds(),
			fmt.Sprintf("decisions a second, %d concurrent deciders", deciders))
		if _, err := results.await(ctx, nodes[0]); err != nil {
			return 0, err
		}
		s.put("granted_runs_per_s", float64(len(rest))/results.last().Sub(began).Seconds(),
			"granted calls that had run a second, in the same time")
		return len(rest), nil
	})
	if err != nil {
		return err
	}
	return together(ctx, alone, func(w waitingCall) error {
		refused, ok := errors.AsType[*client.RequestError](grant(ctx, c, w))
		if !ok || refused.Type != client.Conflict {
			return fmt.Errorf("consent %s was decided twice", w.consent)
		}
		return nil
	})
}

func grant(ctx context.Context, c *client.Client, w waitingCall) error {
	_, err := c.Decide(ctx, w.consent, client.Decision{Grant: true})
	return err
}

// together does something with each call, deciders concurrently, until the first error.
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
