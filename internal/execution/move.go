package execution

import (
	"context"
	"errors"
	"time"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/tool"
)

const (
	// quickMoves is the number of times a call is moved without a pause. A second move is already
	// rare: two kinds of worker share a lane, or their tools have just changed.
	quickMoves = 3
	// movePause is the first pause after that, and longestPause the longest.
	movePause, longestPause = 20 * time.Millisecond, time.Second
)

// to sets the lane that the call moves to.
func (r *run) to(lane string) state {
	r.lane = lane
	return moving
}

// handOver moves a call whose tool this worker lacks to workers that have it. It does not
// count as an attempt. If no worker has it the call ends, unless its caller waits for one.
func (x *Executor) handOver(ctx context.Context, r *run) state {
	c := r.call
	lane, ok, reason := x.Router.Lane(c)
	switch {
	case time.Now().After(c.StartBy()):
		return x.abandonDelivery(ctx, r, tool.Fail(tool.Timeout, "the call waited too long for a worker that has '%s' and did not run", c.Tool))
	case ok:
		return r.to(lane)
	}
	return x.abandonDelivery(ctx, r,
		tool.Fail(tool.ToolNotAvailable, "Tool '%s' is not available now: %s; try again later, or tell the operator", c.Tool, reason))
}

// waitElsewhere moves a call whose tool has no room here to the lane in which it may wait,
// for any worker that has room. It does not count as an attempt. If there is no time for
// that, the call ends in overloaded, which is the reason.
func (x *Executor) waitElsewhere(r *run, reason error) state {
	if time.Until(r.call.StartBy()) >= engine.Hold {
		return r.to(r.delivery.WaitLane())
	}
	overloaded := tool.Fail(tool.Overloaded, "there was no room for '%s' in time", r.call.Tool)
	if e, ok := errors.AsType[*tool.Error](reason); ok {
		overloaded = e
	}
	return x.refuse(r, overloaded)
}

// rest frees the slot of a call that moves. A call that was moved often rests before, so
// that a call whose workers are all busy is not moved without end. Once it is moved, the
// worker that gets the copy requests its owner: so this one owns it no longer by then.
func (x *Executor) rest(r *run) state {
	r.free()
	moves := r.call.Moves
	if moves < quickMoves {
		return moved
	}
	pause := min(movePause<<min(moves-quickMoves, 10), longestPause)
	time.AfterFunc(pause, func() { x.advance(context.Background(), r, moved) })
	return pending
}
