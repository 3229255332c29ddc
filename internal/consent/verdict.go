package consent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/failpoint"
	"github.com/helve-dev/helve/tool"
)

// carryOut does what a verdict says, in this order: it is put on record, then
// remembered, then the calls go on or end, then everybody is told. It may be
// done twice if a desk dies in it; each step is harmless the second time.
func (d *Desk) carryOut(ctx context.Context, verdict bus.Shared) error {
	var v Verdict
	if err := json.Unmarshal(verdict.Data, &v); err != nil {
		d.Log.Error("unreadable verdict", zap.String("consent_id", verdict.ID), zap.Error(err))
		return nil
	}
	calls, err := d.calls(ctx, verdict.Tenant, verdict.ID)
	if len(calls) == 0 || err != nil {
		return err
	}
	r, err := requestOf(opener(verdict.ID, calls), &v)
	if err != nil {
		d.Log.Error("unreadable request", zap.String("consent_id", verdict.ID), zap.Error(err))
		return nil
	}
	if err := failpoint.Hit(failpoint.ConsentBeforeCarry); err != nil {
		return err
	}
	if err := d.record(ctx, decidedRecord(r)); err != nil {
		return err
	}
	if err := d.remember(ctx, r); err != nil {
		return err
	}
	for _, p := range calls {
		if err := d.conclude(ctx, p, r, verdict.Again); err != nil {
			return err
		}
	}
	if err := failpoint.Hit(failpoint.ConsentAfterResume); err != nil {
		return err
	}
	return d.close(ctx, r)
}

// conclude lets one parked call go on, or ends it.
func (d *Desk) conclude(ctx context.Context, p *bus.Parked, r *Request, again bool) error {
	stored, err := d.Bus.Result(ctx, p.Tenant, p.Envelope.CallID)
	if stored != nil || err != nil {
		return err
	}
	if r.Status == Granted {
		return d.resume(ctx, p, r, again)
	}
	return d.end(ctx, p, r)
}

// resume queues a granted call again, with a token for exactly it. The time it
// was parked does not count: its deadline begins anew. Again says that a desk
// may have queued it before.
func (d *Desk) resume(ctx context.Context, p *bus.Parked, r *Request, again bool) error {
	e, now := p.Envelope, time.Now()
	start := now.Add(d.QueueTTL)
	e.DeadlineMS = 0
	if e.TimeoutMS > 0 {
		deadline := now.Add(time.Duration(e.TimeoutMS) * time.Millisecond)
		e.DeadlineMS = deadline.UnixMilli()
		if deadline.Before(start) {
			start = deadline
		}
	}
	e.StartByMS = start.UnixMilli()
	var own Request // of this call: several may share one consent
	if err := json.Unmarshal(p.Request, &own); err != nil {
		return err
	}
	var err error
	if e.ConfirmToken, err = d.tokenFor(p, &own, r, start); err != nil {
		return err
	}
	e.Again, e.ConsentID = again, r.ConsentID
	d.Bus.Tell(e.Tenant, e.TraceID, e.CallID, e.Tool, bus.EventResumed, fmt.Appendf(nil, `{"consent_id":%q}`, r.ConsentID))
	done := make(chan error, 1)
	d.Bus.Submit(e, func(err error) { done <- err })
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// end stores the result of a call that was not granted. It certainly did
// nothing: only a grant lets a parked call run.
func (d *Desk) end(ctx context.Context, p *bus.Parked, r *Request) error {
	e := p.Envelope
	reason := r.refusal()
	el := bus.Failed(e.CallID, e.ToolCallID, e.TraceID, e.Tool, reason)
	el.ConsentID = r.ConsentID
	data, err := el.Encode()
	if err != nil {
		return err
	}
	if err := d.record(ctx, endedRecord(e, r, reason)); err != nil {
		return err
	}
	err = d.Bus.FinishWait(ctx, e.Tenant, e.Origin, e.CallID, data)
	if errors.Is(err, bus.ErrExists) {
		return nil
	}
	if err != nil {
		return err
	}
	d.Metrics.CallDone(e.Tool, bus.StatusError, string(reason.Kind), 0, 0)
	d.Bus.Tell(e.Tenant, e.TraceID, e.CallID, e.Tool, bus.EventDone, fmt.Appendf(nil, `{"status":"error","error_type":%q}`, reason.Kind))
	return nil
}

// refusal is the answer to a call that was not granted.
func (r *Request) refusal() *tool.Error {
	switch {
	case r.Status == Expired:
		return tool.Fail(tool.ConsentExpired, "nobody decided about this call in time, so it did not run; ask the person, then call again")
	case r.Status == Refused:
		return crowded()
	case r.Status == Cancelled:
		return tool.Fail(tool.Cancelled, "the call was cancelled while it waited for a person; it did nothing")
	case len(r.Permissions) > 0:
		return denied(r.Permissions)
	}
	comment := ""
	if r.Verdict != nil && r.Verdict.Comment != "" {
		comment = ": " + r.Verdict.Comment
	}
	return tool.Fail(tool.PermissionDenied, "the person said no to this call of '%s'%s; it did not run, and calling it again unchanged will not help", r.Tool, comment)
}

// close tells everybody and tidies up.
func (d *Desk) close(ctx context.Context, r *Request) error {
	told, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := d.Bus.TellDecision(ctx, r.Tenant, r.User, r.ConsentID, told); err != nil {
		return err
	}
	d.Metrics.ConsentWaited(r.Verdict.At.Sub(r.RequestedAt))
	if err := d.answered(ctx, r.Tenant, r.ConsentID); err != nil {
		return err
	}
	if len(r.Permissions) == 0 {
		return nil
	}
	k := askKey(r)
	open, err := d.asks.Get(ctx, k)
	if err != nil {
		return err
	}
	if id, _ := opened(open); id != r.ConsentID {
		return nil
	}
	return d.asks.Delete(ctx, k)
}

// remember stores what the verdict says for longer than the call.
func (d *Desk) remember(ctx context.Context, r *Request) error {
	v := r.Verdict
	lasting := v.Status == Granted && (v.Remember == Always || v.Remember == Session) || v.Status == Denied && v.NeverAsk
	if !lasting {
		return nil
	}
	for _, s := range r.subjects() {
		grant := newGrant(r, v, s)
		if err := d.grants.put(ctx, grant); err != nil {
			return err
		}
		if err := d.record(ctx, grantRecord(&grant, v.By, "remembered")); err != nil {
			return err
		}
	}
	return nil
}

// record puts what a desk does on record. A trail that takes no more must not
// keep people's verdicts from being carried out: no call acts by that, since a
// worker lets none act without its own record.
func (d *Desk) record(ctx context.Context, r *audit.Record) error {
	err := d.Trail.Write(ctx, r)
	if errors.Is(err, bus.ErrFull) {
		d.Log.Error("the audit trail is full; not on record", zap.String("phase", string(r.Phase)), zap.String("consent_id", r.ConsentID))
		return nil
	}
	return err
}

// calls returns every call that waits for a consent. Only requests for
// permissions are shared, so most have one, which is quick to find.
func (d *Desk) calls(ctx context.Context, tenant, consentID string) ([]*bus.Parked, error) {
	p, err := d.Bus.ParkedFor(ctx, tenant, consentID)
	if p == nil || err != nil {
		return nil, err
	}
	if r, err := requestOf(p, nil); err == nil && r.ForTool {
		return []*bus.Parked{p}, nil
	}
	return d.Bus.ParkedCalls(ctx, tenant, consentID)
}

// opener is the call that a request was opened for, among those that share it.
func opener(consentID string, calls []*bus.Parked) *bus.Parked {
	for _, p := range calls {
		if bus.ConsentOf(p.Tenant, p.Envelope.CallID) == consentID {
			return p
		}
	}
	return calls[0]
}

// requestOf is the request of a parked call with its verdict.
func requestOf(p *bus.Parked, v *Verdict) (*Request, error) {
	r := new(Request)
	if err := json.Unmarshal(p.Request, r); err != nil {
		return nil, err
	}
	if v != nil {
		r.Status, r.Verdict = v.Status, v
	}
	return r, nil
}

// denied is the answer where permissions are missing for good.
func denied(permissions []string) *tool.Error {
	return tool.Fail(tool.PermissionDenied, "Required permissions were denied: %s", list(permissions))
}

func decidedRecord(r *Request) *audit.Record {
	outcome := audit.Blocked
	if r.Status == Granted {
		outcome = audit.Allowed
	}
	return &audit.Record{
		AuditID: "decided-" + r.ConsentID, // the same when it is written twice
		Phase:   audit.ConsentDecided, TraceID: r.Call.TraceID, CallID: r.Call.CallID, Tenant: r.Tenant, User: r.User, Agent: r.Agent,
		Conversation: r.Conversation, By: r.Verdict.By, Tool: r.Tool, ArgsHash: r.ArgsHash, ConsentID: r.ConsentID,
		Decision: &audit.Decision{Outcome: outcome, Reason: r.told(), Rule: r.Rule},
	}
}
