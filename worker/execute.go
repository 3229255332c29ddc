package worker

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/failpoint"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/tool"
)

// take runs one delivered call to its end: engine, result and record, ack.
func (w *Worker) take(d *bus.Delivery) {
	pool := w.pools[d.Pool]
	pool.SlotTaken()
	pool.Started(time.Since(d.Accepted()))
	if d.Attempt > 1 {
		w.kit.Metrics.Redelivered()
	}
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	run := &attempt{delivery: d, stop: stop, free: sync.OnceFunc(func() {
		d.Release()
		pool.SlotFreed()
		pool.Ended()
	})}
	if !w.begin(ctx, run) {
		return
	}
	started := w.tellStarted(d)
	ctx, span := w.kit.Tracing.StartCall(ctx, parentOf(d), d.Tool, d.CallID)
	j := w.job(d, started)
	out := w.engine.Execute(ctx, j)
	telemetry.EndCall(span, errorType(&out))
	started()
	switch {
	case out.Control == nil:
		w.conclude(run, j, &out)
	case errors.Is(out.Control, engine.ErrParked):
		w.settle(run)
	case errors.Is(out.Control, engine.ErrSettled):
		w.resettle(run)
	case errors.Is(out.Control, engine.ErrElsewhere):
		w.leave(run)
	default:
		w.giveBack(run)
	}
}

// begin makes a call this worker's. Where it is not to be run it deals with it
// and returns false.
func (w *Worker) begin(ctx context.Context, run *attempt) bool {
	d := run.delivery
	if !w.running.add(run) {
		// This very process runs the call already: the redelivery came because
		// a heartbeat was late. Its result will take the call off the queue.
		w.leave(run)
		return false
	}
	if d.Attempt > w.cfg.Worker.MaxAttempts {
		w.giveUp(ctx, run)
		return false
	}
	if w.overtaken(ctx, run) || !w.load(ctx, run) {
		return false
	}
	if err := failpoint.Hit(failpoint.WorkerTaken); err != nil {
		w.giveBack(run)
		return false
	}
	if w.refused.has(key(d.Tenant, d.CallID)) {
		run.stop(engine.ErrCancelled)
	}
	return true
}

// lookAfter is how long a call has waited when its fence is looked at before it
// runs. None is ended in the queue sooner: a dispatcher asks twice who has it,
// and waits this long for each answer. So clocks may differ by as much, and a
// call that was quick costs nothing.
const lookAfter = 150 * time.Millisecond

// overtaken deals with a call that a dispatcher has ended while it was queued,
// which this worker may not have heard: it was not there yet, or NATS was away.
// A redelivered call is looked at by the engine.
func (w *Worker) overtaken(ctx context.Context, run *attempt) bool {
	d := run.delivery
	if d.Redelivered() || time.Since(d.Accepted()) < lookAfter {
		return false
	}
	switch fence, err := w.bus.Fenced(ctx, d.Tenant, d.CallID); {
	case err != nil:
		w.giveBack(run)
	case fence == nil || fence.Ended == "":
		return false
	default:
		w.resettle(run)
	}
	return true
}

// load fetches arguments that were too large for the message. Where it cannot it
// deals with the call and returns false.
func (w *Worker) load(ctx context.Context, run *attempt) bool {
	err := run.delivery.LoadArguments(ctx)
	switch {
	case errors.Is(err, bus.ErrNoObject):
		w.refuse(run, tool.Fail(tool.Internal, "the call's arguments are no longer stored, so it could not be run; send it again"))
	case err != nil:
		w.kit.Log.Warn("arguments not readable now", zap.String("call_id", run.delivery.CallID), zap.Error(err))
		w.giveBack(run)
	}
	return err == nil
}

// giveUp ends a call that was delivered too often: most likely it kills its
// worker. One that another worker still runs was only not heard of, and one that
// has a result keeps that.
func (w *Worker) giveUp(ctx context.Context, run *attempt) {
	d := run.delivery
	if w.bus.ProbeOthers(ctx, d.Tenant, d.CallID) != nil {
		w.leave(run)
		return
	}
	fence, err := w.bus.Fenced(ctx, d.Tenant, d.CallID)
	if err != nil {
		w.giveBack(run)
		return
	}
	reason := tool.Fail(tool.ExecutionError, "the call was given up after %d attempts that left no result", d.Attempt-1)
	if fence != nil && fence.Ended == "" {
		reason = unknownOutcome()
	}
	w.refuse(run, reason)
}

// parentOf is the trace a call belongs to: its W3C parent, or its bare trace id.
func parentOf(d *bus.Delivery) string {
	if d.Traceparent != "" {
		return d.Traceparent
	}
	return d.TraceID
}

func errorType(out *engine.Outcome) string {
	if out.Err == nil {
		return ""
	}
	return string(out.Err.Kind)
}

func (w *Worker) job(d *bus.Delivery, started func()) *engine.Job {
	j := &engine.Job{
		Origin: d.Via,
		Call: tool.Call{
			ID: d.CallID, TraceID: d.TraceID, Tenant: d.Tenant, User: d.User, Agent: d.Agent, Conversation: d.Conversation,
			Attempt: d.Attempt, Deadline: d.Deadline(), Events: teller{w.bus, d, started},
		},
		Name: d.Tool, Args: json.RawMessage(d.Arguments), Timeout: time.Duration(d.TimeoutMS) * time.Millisecond,
		Redelivered: d.Redelivered(), Token: d.ConfirmToken, Granted: d.ConsentID != "",
	}
	if start := d.StartBy(); time.Now().After(start) {
		j.Deadline = start // the call waited too long: the engine ends it
	}
	return j
}
