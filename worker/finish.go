package worker

import (
	"context"
	"errors"
	"strconv"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/failpoint"
	"github.com/helve-dev/helve/tool"
)

func (w *Worker) element(d *bus.Delivery, out *engine.Outcome) *bus.Element {
	el := &bus.Element{
		CallID: d.CallID, ToolCallID: d.ToolCallID, TraceID: d.TraceID, Tool: d.Tool, State: bus.StateDone,
		DurationMS: ran(out), Attempt: d.Attempt, Worker: w.ID(),
		Metadata: out.Result.Metadata,
	}
	if out.Err != nil {
		el.Status, el.ErrorType, el.Message = bus.StatusError, out.Err.Kind, out.Err.Msg
		return el
	}
	el.Status, el.Result, el.Text, el.Truncated = bus.StatusSuccess, []byte(out.Result.Value), out.Result.Text, out.Result.Truncated
	return el
}

// ran is how long the tool ran, in milliseconds to the microsecond, rounded up:
// 0 means that it was not started.
func ran(out *engine.Outcome) float64 {
	return float64((out.Ran + time.Microsecond - 1).Microseconds()) / 1000
}

// finish stores the result, and then says that one is stored: this one, unless
// run.lost. While it cannot be stored the call is held, and counts as running:
// its outcome is known here, and nobody else may declare it unknown.
func (w *Worker) finish(run *attempt, el *bus.Element, stored func()) {
	d := run.delivery
	if len(el.Result)+len(el.Text) > bus.InlineLimit {
		if err := w.moveOut(d, el); err != nil {
			w.kit.Log.Warn("large result not stored; trying again", zap.String("call_id", d.CallID), zap.Error(err))
			w.later(func() { w.finish(run, el, stored) })
			return
		}
	}
	data, err := el.Encode()
	if err != nil {
		bad := bus.Failed(d.CallID, d.ToolCallID, d.TraceID, d.Tool, tool.Fail(tool.ExecutionError, "the tool returned a result that cannot be encoded as JSON"))
		bad.Attempt, bad.Worker = el.Attempt, el.Worker
		w.finish(run, &bad, stored)
		return
	}
	w.publish(run, el, data, stored)
}

func (w *Worker) publish(run *attempt, el *bus.Element, data []byte, stored func()) {
	if err := failpoint.Hit(failpoint.WorkerAfterTool); err != nil {
		w.later(func() { w.publish(run, el, data, stored) })
		return
	}
	d := run.delivery
	w.bus.Finish(d.Tenant, d.Origin, d.CallID, data, func(err error) {
		if err == nil {
			err = failpoint.Hit(failpoint.WorkerAfterResult)
		}
		switch {
		case errors.Is(err, bus.ErrExists):
			go w.beaten(run, el, data, stored) // it asks and waits, and acknowledgements must not
		case err != nil:
			w.kit.Log.Warn("result not stored; trying again", zap.String("call_id", d.CallID), zap.Error(err))
			w.later(func() { w.publish(run, el, data, stored) })
		default:
			w.stored(run, el, stored)
		}
	})
}

// stored says that the result of this attempt is stored.
func (w *Worker) stored(run *attempt, el *bus.Element, next func()) {
	next()
	if d := run.delivery; failpoint.Hit(failpoint.WorkerAfterAck) == nil {
		w.bus.Tell(d.Tenant, d.TraceID, d.CallID, d.Tool, bus.EventDone, doneData(el))
	}
}

// beaten finds out whose result stands where this one was refused: another's,
// or this very one, whose acknowledgement was lost.
func (w *Worker) beaten(run *attempt, el *bus.Element, data []byte, stored func()) {
	d := run.delivery
	first, err := w.bus.Result(context.Background(), d.Tenant, d.CallID)
	if first == nil || err != nil {
		w.later(func() { w.publish(run, el, data, stored) })
		return
	}
	is, err := bus.DecodeElement(first.Element)
	if run.lost = err != nil || is.Worker != el.Worker || is.Attempt != el.Attempt; run.lost {
		stored()
		return
	}
	w.stored(run, el, stored)
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
