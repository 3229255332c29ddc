package execution

import (
	"errors"
	"strconv"
	"time"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/lib/reason"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// startTries bounds how often a record is sent whose acknowledgement did not come: as often
// as the fence beside it, so that both last as long when NATS is away for a moment.
const startTries = 3

// begin stores that a call starts to act. The channel it returns gets one error.
func begin(records Records, j *engine.Job) <-chan error {
	done := make(chan error, 1)
	r := recordOf(j, protocol.AuditStarted)
	r.ID = auditID("s-", j.ID, j.Attempt)
	now := time.Now()
	r.StartedAt = &now
	sendRepeatedly(records, r, startTries, func(err error) { done <- err })
	return done
}

// sendRepeatedly sends a record until it is stored, there is no room, or tries are used up.
func sendRepeatedly(records Records, r *protocol.AuditRecord, tries int, done func(error)) {
	records.Send(r, func(err error) {
		if err == nil || errors.Is(err, ErrFull) || tries == 1 {
			done(err)
			return
		}
		sendRepeatedly(records, r, tries-1, done)
	})
}

// Record stores the final record of a nested call and tries again until it is stored: the
// call has no result of its own that the record could be stored with.
func (x *Executor) Record(r *protocol.AuditRecord, done func()) {
	x.Records.Send(r, func(err error) {
		if err == nil {
			done()
			return
		}
		x.notStored("audit record not stored; trying again", r.CallID, err)
		x.retries.after(func() { x.Record(r, done) })
	})
}

// FinalRecord returns the final record of a call that the engine has judged.
func FinalRecord(records Records, j *engine.Job, o *engine.Outcome) *protocol.AuditRecord {
	r := recordOf(j, protocol.AuditFinished)
	r.ID = auditID("f-", j.ID, j.Attempt)
	started := o.Started
	ended := started.Add(o.Total)
	r.StartedAt, r.EndedAt, r.DurationMS = &started, &ended, milliseconds(o.Ran)
	if !j.Accepted.IsZero() {
		r.AcceptedAt = &j.Accepted
	}
	r.Result = &protocol.AuditResult{Status: protocol.StatusSuccess}
	if o.Err == nil {
		r.Result.Summary = records.Summary(o.Result.Value)
		return r
	}
	r.Result.Status, r.Result.ErrorType, r.Result.Summary = protocol.StatusError, string(o.Err.Kind), reason.Of(o.Err.Msg, j.Args)
	if j.Decision.Outcome != protocol.OutcomeAllowed {
		r.Phase = protocol.AuditRefused
	}
	if o.Err.Kind == tool.Cancelled {
		r.Phase = protocol.AuditCancelled
	}
	return r
}

// refusalRecord returns the final record of a call that was not run.
func refusalRecord(c *Call, el *protocol.Result) *protocol.AuditRecord {
	now, accepted := time.Now(), c.Accepted()
	r := &protocol.AuditRecord{
		ID:    auditID("f-", c.ID, el.Attempt),
		Phase: protocol.AuditRefused, TraceID: c.TraceID, CallID: c.ID, Tenant: c.Tenant, User: c.User, Agent: c.Agent,
		Conversation: c.Conversation, Tool: c.Tool, ArgsHash: el.ArgsHash, Attempt: el.Attempt, AcceptedAt: &accepted, EndedAt: &now,
		Origin:   c.Via,
		Decision: &protocol.AuditDecision{Outcome: protocol.OutcomeBlocked, Reason: el.Message},
		Result:   &protocol.AuditResult{Status: el.Status, ErrorType: string(el.ErrorType), Summary: reason.Of(el.Message, c.Arguments)},
	}
	if el.ErrorType == tool.Cancelled {
		r.Phase = protocol.AuditCancelled
	}
	return r
}

// auditID returns the id of a record. It is the same for a record that is written again
// because its acknowledgement did not come.
func auditID(phase, callID string, attempt int) string {
	return phase + callID + "-" + strconv.Itoa(attempt)
}

// recordOf returns a record of a job in the given phase.
func recordOf(j *engine.Job, phase protocol.AuditPhase) *protocol.AuditRecord {
	r := &protocol.AuditRecord{
		Phase: phase, TraceID: j.TraceID, CallID: j.ID, Tenant: j.Tenant, User: j.User, Agent: j.Agent, Conversation: j.Conversation,
		Tool: j.Name, ArgsHash: j.ArgsHash(), Attempt: j.Attempt, Origin: j.CameBy(),
		Decision: &protocol.AuditDecision{Outcome: j.Decision.Outcome, Reason: j.Decision.Reason, Rule: j.Decision.Rule},
	}
	if j.Decision.Outcome == "" { // it was refused before the gate: no such tool, wrong arguments
		r.Decision.Outcome = protocol.OutcomeBlocked
	}
	if j.RerunOf != "" {
		r.Detail = "rerun of call " + j.RerunOf
	}
	if def := j.Definition(); def != nil {
		r.Tool, r.ToolVersion = def.Name, def.Version
	}
	return r
}
