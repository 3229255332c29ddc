package execution

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/tool"
)

// attemptMark stands between the call_id and the number in the record of an attempt. No
// call_id contains it.
const attemptMark = "="

const (
	// turnsAtOnce is the number of turns that redelivered calls share. A call that has lost one
	// attempt takes one, and twice as many for each further loss, so that one with many begins
	// alone. Then a worker that dies takes few attempts with it: with workers that were killed
	// every second, all calls in their slots lost one each time, and of 1,500 up to six lost
	// every one.
	turnsAtOnce = 32
	// turnTime is the longest time for which a call keeps its turns, for each attempt that it
	// has lost, so that long calls do not block those behind them.
	turnTime = 250 * time.Millisecond
	// apart bounds the random pause before a call that has lost several attempts, one apart for
	// each beyond the first. The queue delivers again after a fixed time, so calls would meet
	// workers that end at a fixed interval at the same moment of their lives every time.
	apart = 250 * time.Millisecond
)

// beginAttempt records that a call that was delivered before begins on this worker, and ends the
// call if it has begun on [Deps.MaxAttempts] other workers: most likely it kills them. A
// delivery that no worker began, as that of a stopped process, is no attempt, and neither is a
// second one to the same process, which survived the first.
func (x *Executor) beginAttempt(ctx context.Context, r *run) state {
	c := r.call
	lost, err := x.lostAttempts(ctx, c)
	if err != nil {
		return returned
	}
	// An attempt is short: it begins when the others have been asked, which takes most of the
	// time of a short call.
	if to := x.elsewhere(ctx, c); to != pending {
		return to
	}
	r.asked = true
	turn, ok := x.awaitTurn(ctx, lost)
	if !ok {
		return returned
	}
	r.turn = turn
	for n := 1 + lost; n <= x.MaxAttempts; n++ {
		first, err := x.Fences.Write(ctx, c.Tenant, attemptID(c, n), call.Fence{By: x.Worker, Attempt: c.Attempt})
		switch {
		case err == nil, errors.Is(err, ErrExists) && first.By == x.Worker:
			return running
		case !errors.Is(err, ErrExists):
			return returned
		}
	}
	return x.giveUp(ctx, r, x.MaxAttempts)
}

// lostAttempts returns how many attempts of a redelivered call are on record, at least the
// first, which has no record.
func (x *Executor) lostAttempts(ctx context.Context, c *Call) (int, error) {
	n := 1
	for ; n < min(c.Attempt-1, x.MaxAttempts); n++ { // a second delivery has no record before it
		switch fence, err := x.Fences.Read(ctx, c.Tenant, attemptID(c, n+1)); {
		case err != nil:
			return 0, err
		case fence == nil, fence.By == x.Worker:
			return n, nil
		}
	}
	return n, nil
}

// attemptID returns the id under which the record of the nth attempt of a call is stored.
func attemptID(c *Call, n int) string { return c.ID + attemptMark + strconv.Itoa(n) }

// awaitTurn waits, after a pause, for the turns of a call that has lost so many attempts, and
// returns the function that ends them; ok is false if the worker drains first. A call that was cancelled
// goes on to its end without a turn.
func (x *Executor) awaitTurn(ctx context.Context, lost int) (leave func(), ok bool) {
	weight := int64(min(1<<(lost-1), turnsAtOnce))
	wait, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(x.space.draining, stop)()
	if lost > 1 {
		select {
		case <-time.After(rand.N(time.Duration(lost-1) * apart)):
		case <-wait.Done():
		}
	}
	if x.turns.Acquire(wait, weight) != nil {
		return nil, ctx.Err() != nil
	}
	release := sync.OnceFunc(func() { x.turns.Release(weight) })
	limit := time.AfterFunc(time.Duration(lost)*turnTime, release)
	return func() { limit.Stop(); release() }, true
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
