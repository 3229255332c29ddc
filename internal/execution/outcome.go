package execution

import (
	"cmp"
	"context"
	"time"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// conclude takes the outcome that the engine returned.
func (x *Executor) conclude(r *run, j *engine.Job, out *engine.Outcome) state {
	r.result = x.resultOf(r.call, out)
	r.result.ArgsHash = j.SentHash()
	if x.Arguments != nil {
		r.args = x.Arguments(j)
	}
	r.record = FinalRecord(x.Records, j, out)
	r.finished = time.Now()
	r.acts = r.call.ConsentID != "" || acts(j)
	x.countEnded(r)
	if !unstarted(j, out) {
		return encoding
	}
	r.repeatable = j.Invocation().Idempotent || !j.Invocation().Mutates || j.Definition().Durable
	r.uncertain = j.Uncertain
	return fencing
}

// acts reports whether an attempt of the job's call may change something. Calls that make
// others have fences, as those with side effects. A call whose arguments were not judged does
// not act, since an earlier attempt may have judged them and ended well.
func acts(j *engine.Job) bool { return j.Entry() == nil || j.Invocation().Mutates || rerunnable(j) }

// refuse ends a call that this worker does not run.
func (x *Executor) refuse(r *run, reason *tool.Error) state {
	x.fail(r, reason)
	x.countEnded(r)
	r.repeatable = true
	return fencing
}

// abandonDelivery ends a call for a reason that this delivery alone knows. If another
// worker runs the call, its heartbeat was merely late; if a result exists, that result
// stands; and if an attempt started it, its outcome is unknown.
func (x *Executor) abandonDelivery(ctx context.Context, r *run, reason *tool.Error) state {
	if to := x.elsewhere(ctx, r.call); to != pending {
		return to
	}
	return x.refuse(r, reason)
}

// elsewhere returns the end of a delivery whose call another worker runs, or has finished
// in a group; pending if no process answers.
func (x *Executor) elsewhere(ctx context.Context, c *Call) state {
	switch x.Owners.Elsewhere(ctx, c.Tenant, c.ID) {
	case RunningElsewhere:
		return left
	case FinishedElsewhere:
		return settled
	default:
		return pending
	}
}

// alreadyFinished ends the delivery of a call that has a result, or returns it to the queue
// if its fence announces a result that is not stored yet.
func (x *Executor) alreadyFinished(r *run) state {
	ctx, c := context.Background(), r.call
	first, err := x.Results.Find(ctx, c.Tenant, c.Pool, c.ID)
	if first != nil && err == nil || x.Owners.Elsewhere(ctx, c.Tenant, c.ID) == FinishedElsewhere {
		return settled
	}
	return returned
}

// fail sets the outcome of a call that the engine has not judged.
func (x *Executor) fail(r *run, reason *tool.Error) {
	c := r.call
	r.result = x.failedResult(c, reason)
	r.result.Attempt, r.result.Worker = c.Attempt, x.Worker
	if hash, err := schema.Hash(c.Arguments); err == nil { // arguments that were refused have no hash
		r.result.ArgsHash = hash
	}
	r.record = refusalRecord(c, r.result)
}

func (x *Executor) failedResult(c *Call, reason *tool.Error) *protocol.Result {
	return &protocol.Result{
		CallID: c.ID, ToolCallID: c.ToolCallID, TraceID: c.TraceID, Tool: c.Tool, Owner: c.Owner(), Origin: c.Via,
		Status: protocol.StatusError, State: protocol.StateDone, ErrorType: reason.Kind, Message: reason.Msg,
	}
}

// resultOf returns the result element of an outcome.
func (x *Executor) resultOf(c *Call, out *engine.Outcome) *protocol.Result {
	el := &protocol.Result{
		CallID: c.ID, ToolCallID: c.ToolCallID, TraceID: c.TraceID, Tool: c.Tool, State: protocol.StateDone,
		DurationMS: milliseconds(out.Ran), Attempt: cmp.Or(out.Attempt, c.Attempt), Worker: x.Worker,
		Metadata: out.Result.Metadata, Owner: c.Owner(), Origin: c.Via, Content: out.Result.Content,
	}
	if out.Err != nil {
		el.Status, el.ErrorType, el.Message = protocol.StatusError, out.Err.Kind, out.Err.Msg
		return el
	}
	el.Status, el.Result, el.Text, el.Truncated = protocol.StatusSuccess, []byte(out.Result.Value), out.Result.Text, out.Result.Truncated
	el.Notes = out.Result.Notes
	return el
}

// milliseconds returns the time that a tool ran, to the microsecond, rounded up: 0 means
// that it was not started.
func milliseconds(ran time.Duration) float64 {
	return float64((ran + time.Microsecond - 1).Microseconds()) / 1000
}

// endedPerSlot bounds how many calls that have ended may wait for the store, for each slot.
// Beyond that they keep their slots, so that a worker that can store nothing takes no new calls.
const endedPerSlot = 4

// countEnded counts a call that has ended, and frees its slot: storing needs none.
func (x *Executor) countEnded(r *run) {
	r.ended = true
	if x.ended.Add(1) <= int64(endedPerSlot*x.Slots) {
		r.free()
	}
}
