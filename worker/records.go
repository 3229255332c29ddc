package worker

import (
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/trail"
	"github.com/helve-dev/helve/tool"
)

// records are those that this worker writes about the calls it runs.
type records struct{ trail.Trail }

// begin stores that a call starts to act. What it returns gets one error.
func (t records) begin(j *engine.Job) <-chan error {
	done := make(chan error, 1)
	r := t.record(j, audit.Started)
	r.AuditID = auditID("s-", j.ID, j.Attempt)
	now := time.Now()
	r.StartedAt = &now
	t.insist(r, startTries, func(err error) { done <- err })
	return done
}

// startTries bounds how often a record is sent whose acknowledgement did not
// come: as often as the fence beside it, so that one lasts as long as the other
// when NATS is away for a moment.
const startTries = 3

// insist sends a record until it is stored, or the trail is full, or tries are
// used up.
func (t records) insist(r *audit.Record, tries int, done func(error)) {
	t.Send(r, func(err error) {
		if err == nil || errors.Is(err, bus.ErrFull) || tries == 1 {
			done(err)
			return
		}
		t.insist(r, tries-1, done)
	})
}

// outcome tells how a call ended that the engine has judged.
func (t records) outcome(j *engine.Job, o *engine.Outcome) *audit.Record {
	r := t.record(j, audit.Finished)
	r.AuditID = auditID("f-", j.ID, j.Attempt)
	started := o.Started
	ended := started.Add(o.Total)
	r.StartedAt, r.EndedAt, r.DurationMS = &started, &ended, ran(o)
	r.Result = &audit.Result{Status: bus.StatusSuccess}
	if o.Err == nil {
		r.Result.Summary = audit.Summarize(o.Result.Value)
	} else {
		r.Result.Status, r.Result.ErrorType = bus.StatusError, string(o.Err.Kind)
		if j.Decision.Outcome != audit.Allowed {
			r.Phase = audit.Refused
		}
		if o.Err.Kind == tool.Cancelled {
			r.Phase = audit.Cancelled
		}
	}
	return r
}

// told tells how a call ended of which only its result is known. What ran was
// allowed; what did not was refused, for the reason that its result has.
func told(d *bus.Delivery, el *bus.Element) *audit.Record {
	r := &audit.Record{
		AuditID: auditID("f-", d.CallID, el.Attempt),
		Phase:   audit.Finished, TraceID: d.TraceID, CallID: d.CallID, Tenant: d.Tenant, User: d.User, Agent: d.Agent,
		Conversation: d.Conversation, Tool: d.Tool, ArgsHash: el.ArgsHash, Attempt: el.Attempt, DurationMS: el.DurationMS,
		Decision: &audit.Decision{Outcome: audit.Allowed},
		Result:   &audit.Result{Status: el.Status, ErrorType: string(el.ErrorType)},
	}
	switch {
	case el.ResultRef != nil:
		r.Result.Summary = fmt.Sprintf("result of %d bytes", el.ResultRef.Size)
	case el.Status == bus.StatusSuccess:
		r.Result.Summary = audit.Summarize(el.Result)
	case el.DurationMS == 0:
		r.Phase, r.Decision.Outcome, r.Decision.Reason = audit.Refused, audit.Blocked, el.Message
	}
	if el.ErrorType == tool.Cancelled {
		r.Phase = audit.Cancelled
	}
	return r
}

// auditID is the same for a record that is written again, because nobody knew
// whether it was stored.
func auditID(phase, callID string, attempt int) string {
	return phase + callID + "-" + strconv.Itoa(attempt)
}

// record stores the last record of a call, however often it must be tried: the
// call is on the queue until it is stored.
func (w *Worker) record(r *audit.Record, send func(*audit.Record, func(error)), stored func()) {
	send(r, func(err error) {
		if err == nil {
			stored()
			return
		}
		w.kit.Log.Warn("audit record not stored; trying again", zap.String("call_id", r.CallID), zap.Error(err))
		w.later(func() { w.record(r, send, stored) })
	})
}

func (t records) record(j *engine.Job, phase audit.Phase) *audit.Record {
	r := &audit.Record{
		Phase: phase, TraceID: j.TraceID, CallID: j.ID, Tenant: j.Tenant, User: j.User, Agent: j.Agent, Conversation: j.Conversation,
		Tool: j.Name, ArgsHash: j.ArgsHash(), Attempt: j.Attempt,
		Decision: &audit.Decision{Outcome: j.Decision.Outcome, Reason: j.Decision.Reason, Rule: j.Decision.Rule},
	}
	if j.Decision.Outcome == "" { // it was refused before the gate: no such tool, wrong arguments
		r.Decision.Outcome = audit.Blocked
	}
	if def := j.Definition(); def != nil {
		r.Tool, r.ToolVersion = def.Name, def.Version
	}
	return r
}

// both calls done when it was called as often as there are parts: the result
// and the record of a call must both be stored before the queue lets go of it.
func both(done func()) func() {
	var left atomic.Int32
	left.Store(2)
	return func() {
		if left.Add(-1) == 0 {
			done()
		}
	}
}
