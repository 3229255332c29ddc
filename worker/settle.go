package worker

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/schema"
	"github.com/helve-dev/helve/tool"
)

// How a call leaves this worker. The queue lets go of it (settle) when its
// result and its record are stored, whoever stored them; it is given back where
// it could not be decided, and left where another delivery of it is at work.

// conclude stores what came of a call that the engine has judged.
func (w *Worker) conclude(run *attempt, j *engine.Job, out *engine.Outcome) {
	el := w.element(run.delivery, out)
	el.ArgsHash = j.SentHash()
	w.end(run, el, w.records.outcome(j, out), contested(j, out))
}

// contested says that somebody else may end the call too: a dispatcher one that
// no fence keeps, or that nobody came to in time, another worker one that was
// delivered again. What acted is never contested: it is to be told in any case.
func contested(j *engine.Job, out *engine.Outcome) bool {
	if out.Err == nil || out.Ran > 0 {
		return !j.Invocation().Mutates
	}
	return j.Redelivered || out.Err.Kind == tool.Cancelled || out.Err.Kind == tool.Timeout
}

// refuse ends a call that this worker does not run.
func (w *Worker) refuse(run *attempt, reason *tool.Error) {
	d := run.delivery
	el := bus.Failed(d.CallID, d.ToolCallID, d.TraceID, d.Tool, reason)
	el.Attempt, el.Worker = d.Attempt, w.ID()
	if hash, err := schema.Hash(d.Arguments); err == nil { // arguments that were refused have nothing to compare
		el.ArgsHash = hash
	}
	r := told(d, &el)
	now := time.Now()
	r.EndedAt = &now
	w.end(run, &el, r, true)
}

// end stores the result of a call and its record, side by side. The record of a
// contested end follows its result, and only if that is the call's: an attempt
// that did nothing and came too late has nothing to tell.
func (w *Worker) end(run *attempt, el *bus.Element, r *audit.Record, contested bool) {
	w.unsettle(run)
	settled := func() {
		if run.lost {
			go w.resettle(run) // it asks and waits, and acknowledgements must not
			return
		}
		w.settle(run)
	}
	if !contested {
		settled = both(settled)
		w.record(r, w.records.Send, settled)
		w.finish(run, el, settled)
		return
	}
	w.finish(run, el, func() {
		if run.lost {
			settled()
			return
		}
		w.record(r, w.records.Send, settled)
	})
}

// resettle deals with a call whose end another has stored, or, by its fence, is
// about to store.
func (w *Worker) resettle(run *attempt) {
	d := run.delivery
	stored, err := w.bus.Result(context.Background(), d.Tenant, d.CallID)
	if stored == nil || err != nil {
		w.giveBack(run)
		return
	}
	el, err := bus.DecodeElement(stored.Element)
	switch {
	case err != nil:
		w.kit.Log.Error("a stored result cannot be read; its call leaves the queue", zap.String("call_id", d.CallID), zap.Error(err))
		w.settle(run)
	case el.Worker == "", el.Worker == w.ID(), el.Attempt == d.Attempt:
		// A dispatcher, which names no worker, stores the record first. This
		// process has settled what it ended. And of two deliveries with one
		// number the other is of another message, which has not left the queue
		// before the record was stored.
		w.settle(run)
	case el.Attempt > d.Attempt, w.bus.ProbeOthers(context.Background(), d.Tenant, d.CallID) != nil:
		w.leave(run) // it is theirs now, or still
	default:
		// The worker that ended it was lost before the queue let go of the call:
		// nobody knows whether it stored the record.
		w.unsettle(run)
		r := told(d, el)
		r.Worker, r.Detail = el.Worker, "told by "+w.ID()+" from the stored result: the worker that ended the call was lost"
		w.record(r, w.records.SendOnce, func() { w.settle(run) })
	}
}

// unsettledPerSlot bounds how many calls that have ended may wait to be stored,
// for each slot: beyond that they keep their slots, so that a worker which can
// store nothing takes no more.
const unsettledPerSlot = 4

// unsettle counts a call that has ended, and frees its slot: what is left to do
// needs none.
func (w *Worker) unsettle(run *attempt) {
	if run.unsettled {
		return
	}
	run.unsettled = true
	if w.unsettled.Add(1) <= int64(unsettledPerSlot*w.cfg.Worker.Slots) {
		run.free()
	}
}

// settle takes a call off the queue: all there is to know of it is stored.
func (w *Worker) settle(run *attempt) { w.letGo(run, run.delivery.Ack) }

// leave lets go of a call that another delivery of it takes care of.
func (w *Worker) leave(run *attempt) { w.letGo(run, run.delivery.Leave) }

// retryPause is how long a call rests that could not be decided now.
const retryPause = time.Second

// giveBack returns a call to the queue: this worker no longer has it.
func (w *Worker) giveBack(run *attempt) {
	w.letGo(run, func() { run.delivery.Retry(retryPause) })
}

func (w *Worker) letGo(run *attempt, tell func()) {
	w.running.remove(run.delivery)
	tell()
	if run.unsettled {
		w.unsettled.Add(-1)
	}
	run.free()
}
