package worker

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/failpoint"
	"github.com/helve-dev/helve/internal/schema"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/tool"
)

// retryPause is how long a call rests that could not be decided now.
const retryPause = time.Second

// take runs one delivered call to its end: engine, result, ack.
func (w *Worker) take(d *bus.Delivery) {
	pool := w.pools[d.Pool]
	pool.SlotTaken()
	pool.Started(time.Since(d.Accepted()))
	if d.Attempt > 1 {
		w.kit.Metrics.Redelivered()
	}
	free := sync.OnceFunc(func() {
		d.Release()
		pool.SlotFreed()
		pool.Ended()
	})
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	if !w.begin(ctx, d, &attempt{delivery: d, stop: stop}) {
		free()
		return
	}
	started := w.tellStarted(d)
	ctx, span := w.kit.Tracing.StartCall(ctx, parentOf(d), d.Tool, d.CallID)
	j := w.job(d, started)
	out := w.engine.Execute(ctx, j)
	telemetry.EndCall(span, errorType(&out))
	started()
	if out.Control == nil {
		w.conclude(d, j, &out, free)
		return
	}
	free()
	switch {
	case errors.Is(out.Control, engine.ErrSettled), errors.Is(out.Control, engine.ErrParked):
		w.settle(d)
	case errors.Is(out.Control, engine.ErrElsewhere):
		w.running.remove(d)
		d.Leave()
	default:
		w.giveBack(d)
	}
}

// begin makes a call this worker's. Where it is not to be run it deals with it
// and returns false.
func (w *Worker) begin(ctx context.Context, d *bus.Delivery, run *attempt) bool {
	if !w.running.add(run) {
		// This very process runs the call already: the redelivery came because
		// a heartbeat was late. Its result will take the call off the queue.
		d.Leave()
		return false
	}
	if d.Attempt > w.cfg.Worker.MaxAttempts {
		w.giveUp(ctx, d)
		return false
	}
	if !w.load(ctx, d) {
		return false
	}
	if err := failpoint.Hit(failpoint.WorkerTaken); err != nil {
		w.giveBack(d)
		return false
	}
	if w.refused.has(key(d.Tenant, d.CallID)) {
		run.stop(engine.ErrCancelled)
	}
	return true
}

// unsettledPerSlot bounds how many calls that have ended may wait to be stored,
// for each slot: beyond that they keep their slots, so that a worker which can
// store nothing takes no more.
const unsettledPerSlot = 4

// conclude stores what came of a call, its record and its result, and frees its
// slot.
func (w *Worker) conclude(d *bus.Delivery, j *engine.Job, out *engine.Outcome, free func()) {
	if w.unsettled.Add(1) <= int64(unsettledPerSlot*w.cfg.Worker.Slots) {
		free() // what is left to do needs none
	}
	settled := both(func() {
		w.unsettled.Add(-1)
		w.settle(d)
		free()
	})
	w.record(d.CallID, func(done func(error)) { w.records.end(j, out, done) }, settled)
	el := w.element(d, out)
	el.ArgsHash = j.ArgsHash()
	w.finish(d, el, settled)
}

// load fetches arguments that were too large for the message. Where it cannot it
// deals with the call and returns false.
func (w *Worker) load(ctx context.Context, d *bus.Delivery) bool {
	err := d.LoadArguments(ctx)
	switch {
	case errors.Is(err, bus.ErrNoObject):
		w.refuse(d, tool.Fail(tool.Internal, "the call's arguments are no longer stored, so it could not be run; send it again"))
	case err != nil:
		w.kit.Log.Warn("arguments not readable now", zap.String("call_id", d.CallID), zap.Error(err))
		w.giveBack(d)
	}
	return err == nil
}

// settle takes a call off the queue: all there is to know of it is stored.
func (w *Worker) settle(d *bus.Delivery) {
	w.running.remove(d)
	d.Ack()
}

// giveBack returns a call to the queue: this worker no longer has it.
func (w *Worker) giveBack(d *bus.Delivery) {
	w.running.remove(d)
	d.Retry(retryPause)
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

// giveUp ends a call that was delivered too often: most likely it kills its
// worker. One that another worker still runs was only not heard of.
func (w *Worker) giveUp(ctx context.Context, d *bus.Delivery) {
	if w.bus.ProbeOthers(ctx, d.Tenant, d.CallID) != nil {
		w.running.remove(d)
		d.Leave()
		return
	}
	fence, err := w.bus.Fenced(ctx, d.Tenant, d.CallID)
	if err != nil {
		w.giveBack(d)
		return
	}
	reason := tool.Fail(tool.ExecutionError, "the call was given up after %d attempts that left no result", d.Attempt-1)
	if fence != nil && fence.Ended == "" {
		reason = unknownOutcome()
	}
	w.refuse(d, reason)
}

// refuse ends a call that this worker does not run.
func (w *Worker) refuse(d *bus.Delivery, reason *tool.Error) {
	el := bus.Failed(d.CallID, d.ToolCallID, d.TraceID, d.Tool, reason)
	el.Attempt, el.Worker = d.Attempt, w.ID()
	if hash, err := schema.Hash(d.Arguments); err == nil { // arguments that were refused have nothing to compare
		el.ArgsHash = hash
	}
	settled := both(func() { w.settle(d) })
	w.record(d.CallID, func(done func(error)) { w.records.refuse(d, &el, done) }, settled)
	w.finish(d, &el, settled)
}

func (w *Worker) element(d *bus.Delivery, out *engine.Outcome) *bus.Element {
	el := &bus.Element{
		CallID: d.CallID, ToolCallID: d.ToolCallID, TraceID: d.TraceID, Tool: d.Tool, State: bus.StateDone,
		DurationMS: float64(out.Ran.Microseconds()) / 1000, Attempt: d.Attempt, Worker: w.ID(),
		Metadata: out.Result.Metadata,
	}
	if out.Err != nil {
		el.Status, el.ErrorType, el.Message = bus.StatusError, out.Err.Kind, out.Err.Msg
		return el
	}
	el.Status, el.Result, el.Text, el.Truncated = bus.StatusSuccess, []byte(out.Result.Value), out.Result.Text, out.Result.Truncated
	return el
}

// finish stores the result, and then says that it is settled. While it cannot be
// stored the call is held, and counts as running: its outcome is known here, and
// nobody else may declare it unknown.
func (w *Worker) finish(d *bus.Delivery, el *bus.Element, settled func()) {
	if len(el.Result)+len(el.Text) > bus.InlineLimit {
		if err := w.moveOut(d, el); err != nil {
			w.kit.Log.Warn("large result not stored; trying again", zap.String("call_id", d.CallID), zap.Error(err))
			w.later(func() { w.finish(d, el, settled) })
			return
		}
	}
	data, err := el.Encode()
	if err != nil {
		bad := bus.Failed(d.CallID, d.ToolCallID, d.TraceID, d.Tool, tool.Fail(tool.ExecutionError, "the tool returned a result that cannot be encoded as JSON"))
		w.finish(d, &bad, settled)
		return
	}
	w.publish(d, el, data, settled)
}

func (w *Worker) publish(d *bus.Delivery, el *bus.Element, data []byte, settled func()) {
	if err := failpoint.Hit(failpoint.WorkerAfterTool); err != nil {
		w.later(func() { w.publish(d, el, data, settled) })
		return
	}
	w.bus.Finish(d.Tenant, d.Origin, d.CallID, data, func(err error) {
		if err == nil {
			err = failpoint.Hit(failpoint.WorkerAfterResult)
		}
		if err != nil && !errors.Is(err, bus.ErrExists) {
			w.kit.Log.Warn("result not stored; trying again", zap.String("call_id", d.CallID), zap.Error(err))
			w.later(func() { w.publish(d, el, data, settled) })
			return
		}
		settled()
		if failpoint.Hit(failpoint.WorkerAfterAck) == nil && err == nil {
			w.bus.Tell(d.Tenant, d.TraceID, d.CallID, d.Tool, bus.EventDone, doneData(el))
		}
	})
}

func doneData(el *bus.Element) []byte {
	data := append([]byte(`{"status":"`), el.Status...)
	if el.ErrorType != "" {
		data = append(append(data, `","error_type":"`...), el.ErrorType...)
	}
	return append(data, `"}`...)
}

// later tries again after a pause, unless the worker is gone: the call then is
// delivered to another.
func (w *Worker) later(again func()) {
	time.AfterFunc(retryPause, func() {
		select {
		case <-w.closed:
		default:
			again()
		}
	})
}

// moveTimeout bounds moving one large result.
const moveTimeout = 30 * time.Second

// moveOut puts what is too large for a message into the object store.
func (w *Worker) moveOut(d *bus.Delivery, el *bus.Element) error {
	ctx, cancel := context.WithTimeout(context.Background(), moveTimeout)
	defer cancel()
	attempt := w.ID() + "-" + strconv.Itoa(d.Attempt)
	var err error
	if el.TextRef == nil && len(el.Text) > 0 {
		if el.TextRef, err = w.bus.StoreResult(ctx, d.Tenant, d.CallID, attempt+"-text", []byte(el.Text)); err != nil {
			return err
		}
		el.Text = ""
	}
	if el.ResultRef, err = w.bus.StoreResult(ctx, d.Tenant, d.CallID, attempt, el.Result); err != nil {
		return err
	}
	el.Result = nil
	return nil
}
