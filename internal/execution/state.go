package execution

import (
	"context"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// state is where a delivery is in its life. doc.go has the table.
type state uint8

const (
	// taken: the delivery has a slot and nothing was done.
	taken state = iota
	// running: this worker owns the call, and the engine has it.
	running
	// fencing: the outcome is known and the tool did not run; the fence that keeps other
	// deliveries from starting the call is being written.
	fencing
	// preempted: another delivery has written the start fence.
	preempted
	// encoding: the result and its record are being encoded, a large result is moved out.
	encoding
	// publishing: the result is being stored.
	publishing
	// comparing: the result was refused since there is one, which is being read.
	comparing
	// moving: the call goes onto another lane after a pause; it has no slot.
	moving

	// The ends. A delivery has exactly one.

	// stored: the result of this delivery is durable.
	stored
	// settled: the result of another delivery is durable, or the call is parked.
	settled
	// left: another delivery of the call runs it.
	left
	// returned: the queue delivers the call again.
	returned
	// moved: a copy of the call is put onto another lane.
	moved

	// pending is no state: an answer or a timer advances the delivery.
	pending
)

var stateNames = [...]string{
	"taken", "running", "fencing", "preempted", "encoding", "publishing", "comparing", "moving",
	"stored", "settled", "left", "returned", "moved", "pending",
}

// String implements [fmt.Stringer].
func (s state) String() string { return stateNames[s] }

// final reports whether s is an end.
func (s state) final() bool { return s >= stored && s <= moved }

// transitions holds the states that may follow each state.
var transitions = [...][]state{
	taken:      {running, fencing, moving, settled, left, returned},
	running:    {fencing, encoding, moving, settled, left, returned},
	fencing:    {fencing, preempted, encoding, settled, left},
	preempted:  {preempted, encoding, settled, left},
	encoding:   {encoding, publishing},
	publishing: {publishing, comparing, stored},
	comparing:  {publishing, stored, settled},
	moving:     {moved},
	stored:     {}, settled: {}, left: {}, returned: {}, moved: {},
}

// run is one delivery on this worker, from when it takes a slot until it ends.
type run struct {
	call     *Call
	delivery Delivery
	state    state
	stop     context.CancelCauseFunc
	// free releases the slot, once.
	free func()
	// turn ends the turn of a redelivered call; nil without one.
	turn func()

	// lane is the lane that the call moves to.
	lane string
	// result and record are the outcome, set when it is known; encoded and line are both as
	// they are stored.
	result        *protocol.Result
	record        *protocol.AuditRecord
	encoded, line []byte
	// args are the arguments, as they are kept with the result; nil if they are not.
	args []byte
	// ended counts this run among those that wait for the store.
	ended bool
	// repeatable is set if another delivery may run the call without a fence.
	repeatable bool
	// uncertain adds the tool's advice to an unknown outcome; nil before the tool is known.
	uncertain func(*tool.Error) *tool.Error
	// asked is set if no other process had the call when this attempt was about to begin.
	asked bool
	// acts is set if an attempt of the call may change something.
	acts bool
	// lost receives a sentence about the attempt before this one, once; nil for a first one.
	lost <-chan string
	// nested holds the ids of calls that this one made and that remote processes run.
	nested map[string]bool
	// span is that of the call, nil before it runs; finished is its end.
	span     telemetry.Span
	finished time.Time
}

// advance brings a delivery into the state to, and on until it ends or waits for an
// answer. Only the goroutine that is given the delivery calls it.
func (x *Executor) advance(ctx context.Context, r *run, to state) {
	for to != pending {
		if !follows(r.state, to) {
			x.Log.DPanic("delivery in a state that cannot follow",
				zap.Stringer("from", r.state), zap.Stringer("to", to), zap.String("call_id", r.call.ID))
		}
		r.state = to
		if to.final() {
			x.end(r)
			return
		}
		to = x.step(ctx, r, to)
	}
}

func follows(from, to state) bool {
	return slices.Contains(transitions[from], to)
}

// step runs what a state does and returns the next one.
func (x *Executor) step(ctx context.Context, r *run, s state) state {
	switch s {
	case running:
		return x.execute(ctx, r)
	case fencing:
		return x.fence(ctx, r)
	case preempted:
		return x.afterForeignFence(ctx, r)
	case encoding:
		return x.encode(ctx, r)
	case publishing:
		return x.publish(r)
	case comparing:
		return x.onDuplicateResult(ctx, r)
	default: // moving
		return x.rest(r)
	}
}

// retry brings a delivery into a state again after a pause.
func (x *Executor) retry(r *run, s state) state {
	x.retries.after(func() { x.advance(context.Background(), r, s) })
	return pending
}
