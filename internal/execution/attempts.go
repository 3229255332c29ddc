package execution

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/helve-dev/helve/tool"
)

// attemptMark stands between the call_id and the number in the record of an attempt. No
// call_id contains it.
const attemptMark = "="

const (
	// againAtOnce is the number of redelivered calls that begin concurrently. The others wait,
	// so that a worker that dies takes few attempts with it: with workers that were killed every
	// second all calls in their 256 slots had lost one each time, and of 1,500 one or two were
	// given up.
	againAtOnce = 8
	// againWithin is the longest time that a call waits for its turn. Long calls do not block
	// it for longer.
	againWithin = 250 * time.Millisecond
)

// beginAttempt records that a call that was delivered before begins on this worker, and ends the
// call if it has begun on [Deps.MaxAttempts] other workers: most likely it kills them. A
// delivery that no worker began, as that of a stopped process, is no attempt, and neither is a
// second one to the same process, which survived the first.
func (x *Executor) beginAttempt(ctx context.Context, r *run) state {
	c := r.call
	if c.Attempt <= 1 || c.GivenUp != nil {
		return running
	}
	r.turn = x.again.enter(ctx)
	for n := 2; n <= x.MaxAttempts; n++ {
		first, err := x.Fences.Write(ctx, c.Tenant, c.ID+attemptMark+strconv.Itoa(n), Fence{By: x.Worker, Attempt: c.Attempt})
		switch {
		case err == nil, errors.Is(err, ErrExists) && first.By == x.Worker:
			return running
		case !errors.Is(err, ErrExists):
			return returned
		}
	}
	return x.giveUp(ctx, r, x.MaxAttempts)
}

// giveUp ends a call after so many attempts without a result. An attempt of a transactional
// tool may have committed the call: then the engine reads the store, and does not run the tool.
func (x *Executor) giveUp(ctx context.Context, r *run, attempts int) state {
	c := r.call
	reason := tool.Fail(tool.ExecutionError, "the call was given up after %d attempts that left no result", attempts)
	if !x.Router.Commits(c) {
		return x.abandonDelivery(ctx, r, reason)
	}
	if to := x.elsewhere(ctx, c); to != pending {
		return to
	}
	c.GivenUp = reason
	return running
}

// turns lets a bounded number of calls pass at a time. The zero value is not usable.
type turns chan struct{}

// enter waits for a turn, at most againWithin, and returns the function that ends it, nil for
// a call that passed without one.
func (t turns) enter(ctx context.Context) (leave func()) {
	limit := time.NewTimer(againWithin)
	defer limit.Stop()
	select {
	case t <- struct{}{}:
		return func() { <-t }
	case <-limit.C:
	case <-ctx.Done():
	}
	return nil
}
