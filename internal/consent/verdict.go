package consent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/events"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/consent/store"
	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/x/failpoint"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// carryOut executes a verdict, in this order: it records it, stores grants, resumes or
// ends the calls, and notifies subscribers. It may run twice if a service dies in it; each
// step is harmless the second time.
func (svc *Service) carryOut(ctx context.Context, verdict natsio.Work) error {
	s, err := svc.checked(ctx, verdict)
	if s == nil || err != nil {
		return err
	}
	calls, err := svc.calls(ctx, s)
	if len(calls) == 0 || err != nil {
		return err
	}
	r, err := requestOf(opener(verdict.ID, calls), &s.Verdict)
	if err != nil {
		svc.Log.Error("unreadable request", zap.String("consent_id", verdict.ID), zap.Error(err))
		return nil
	}
	if err := failpoint.Hit(failpoint.ConsentBeforeCarry); err != nil {
		return err
	}
	if err := svc.record(ctx, decidedRecord(r)); err != nil {
		return err
	}
	if err := svc.remember(ctx, r); err != nil {
		return err
	}
	for _, p := range calls {
		if err := svc.conclude(ctx, p, r, verdict.Again); err != nil {
			return err
		}
	}
	if err := failpoint.Hit(failpoint.ConsentAfterResume); err != nil {
		return err
	}
	return svc.close(ctx, r)
}

// unknownKeyTries is the number of attempts for a verdict whose key is not trusted yet:
// the key of a dispatcher that has just started reaches the others a moment later.
const unknownKeyTries = 30

// checked returns a stored verdict if a dispatcher signed it and it is the first of its
// consent, and nil if it must be dropped. A forged verdict is delivered, logged and
// counted once, and does not displace a valid one.
func (svc *Service) checked(ctx context.Context, verdict natsio.Work) (*signed, error) {
	s, err := svc.verdicts().open(verdict.Tenant, verdict.ID, verdict.Data)
	if err != nil {
		refusal, ok := errors.AsType[*token.Refusal](err)
		if ok && (refusal.Binding == token.Unconfirmed || refusal.Binding == token.Key && verdict.Tries < unknownKeyTries) {
			return nil, err
		}
		svc.Metrics.VerdictRefused()
		svc.Log.Error("verdict refused: no trusted key signed it",
			zap.String("tenant", verdict.Tenant), zap.String("consent_id", verdict.ID), zap.Error(err))
		return nil, nil
	}
	_, seq, err := store.On(svc.Queue).Verdict(ctx, verdict.Tenant, verdict.ID, svc.verdicts().valid(verdict.Tenant, verdict.ID))
	if err != nil || seq != verdict.Seq {
		return nil, err
	}
	return s, nil
}

// conclude resumes one parked call, or ends it.
func (svc *Service) conclude(ctx context.Context, p *store.Parked, r *protocol.Consent, again bool) error {
	stored, err := svc.Queue.Results.ResultOf(ctx, p.Tenant, p.Pool, p.Call.ID)
	if stored != nil || err != nil {
		return err
	}
	svc.Tracing.Past(ctx, p.Traceparent, "consent wait", r.RequestedAt, r.Verdict.At, telemetry.ConsentStatus(string(r.Status)))
	if r.Status == protocol.GrantedConsent && r.Kind == protocol.ConsentQuestion {
		return svc.answer(ctx, p, r)
	}
	if r.Status == protocol.GrantedConsent && r.Kind == protocol.ConsentAccount {
		return svc.goOn(ctx, p, r, again)
	}
	if r.Status == protocol.GrantedConsent {
		return svc.resume(ctx, p, r, again)
	}
	return svc.end(ctx, p, r)
}

// resume queues a granted call again, with a token for exactly that call. The time in
// which it was parked does not count: its deadline starts over. again is set if a service
// may have queued it before.
func (svc *Service) resume(ctx context.Context, p *store.Parked, r *protocol.Consent, again bool) error {
	e, start := p.Call, svc.startOver(p.Call)
	var own protocol.Consent // of this call: several may share one consent
	if err := json.Unmarshal(p.Request, &own); err != nil {
		return err
	}
	var err error
	if e.ConfirmToken, err = svc.tokenFor(p, &own, r, start); err != nil {
		return err
	}
	e.Copy, e.ConsentID = again, r.ID
	return svc.queueAgain(ctx, e, r)
}

// startOver lets the times of a call begin now, and returns when it must have started.
func (svc *Service) startOver(e *call.Call) time.Time {
	now := time.Now()
	start := now.Add(svc.QueueTTL)
	e.DeadlineMS = 0
	if e.TimeoutMS > 0 {
		deadline := now.Add(time.Duration(e.TimeoutMS) * time.Millisecond)
		e.DeadlineMS = deadline.UnixMilli()
		if deadline.Before(start) {
			start = deadline
		}
	}
	e.StartByMS = start.UnixMilli()
	return start
}

// queueAgain queues a call that goes on by a consent.
func (svc *Service) queueAgain(ctx context.Context, e *call.Call, r *protocol.Consent) error {
	svc.Queue.Events.Tell(events.AboutCall(e), protocol.EventResumed, fmt.Appendf(nil, `{"consent_id":%q}`, r.ID))
	done := make(chan error, 1)
	svc.Queue.Calls.Submit(e, func(err error) { done <- err })
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// end stores the result of a call that was not granted. It certainly had no effect:
// only a grant lets a parked call run.
func (svc *Service) end(ctx context.Context, p *store.Parked, r *protocol.Consent) error {
	e := p.Call
	reason := refusalOf(r)
	el := call.Failed(e.ID, e.ToolCallID, e.TraceID, e.Tool, e.Owner(), reason)
	el.Origin = e.Via
	el.ConsentID = r.ID
	data, err := call.EncodeResult(&el)
	if err != nil {
		return err
	}
	err = svc.Trail.End(ctx, e.Pool, e.Origin, data, endedRecord(e, r, reason))
	if errors.Is(err, natsio.ErrExists) {
		return nil
	}
	if err != nil {
		return err
	}
	svc.Metrics.CallDone(e.Tool, protocol.StatusError, string(reason.Kind), 0, 0)
	svc.Queue.Events.Tell(events.AboutCall(e), protocol.EventDone, fmt.Appendf(nil, `{"status":"error","error_type":%q}`, reason.Kind))
	return nil
}

// refusalOf returns the error of a call that was not granted.
func refusalOf(r *protocol.Consent) *tool.Error {
	switch {
	case r.Status == protocol.ExpiredConsent:
		return tool.Fail(tool.ConsentExpired, "nobody decided about this call in time, so it did not run; ask the person, then call again")
	case r.Status == protocol.RefusedConsent:
		return crowded()
	case r.Status == protocol.CancelledConsent:
		return tool.Fail(tool.Cancelled, "the call was cancelled while it waited for a person; it did nothing")
	case r.Adopts != "" && len(r.Permissions) == 1:
		return tool.Fail(tool.PermissionDenied,
			"the person does not want to use '%s', which somebody else made; do without it, or make a tool of your own", r.Tool)
	case len(r.Permissions) > 0:
		return denied(r.Permissions)
	}
	comment := ""
	if r.Verdict != nil && r.Verdict.Comment != "" {
		comment = ": " + r.Verdict.Comment
	}
	if r.Kind == protocol.ConsentAccount {
		return tool.Fail(tool.PermissionDenied, "the person does not want to connect an account of %s%s; the call did not run, go on without it",
			r.Service, comment)
	}
	if r.Kind == protocol.ConsentQuestion {
		return tool.Fail(tool.PermissionDenied, "the person does not want to answer this question%s; go on without the answer", comment)
	}
	return tool.Fail(tool.PermissionDenied,
		"the person said no to this call of '%s'%s; it did not run, and calling it again unchanged will not help", r.Tool, comment)
}

// close publishes the decision and cleans up.
func (svc *Service) close(ctx context.Context, r *protocol.Consent) error {
	told, err := json.Marshal(withoutTexts(r))
	if err != nil {
		return err
	}
	if err := store.On(svc.Queue).TellDecision(ctx, r.Tenant, r.User, r.ID, told); err != nil {
		return err
	}
	svc.Metrics.ConsentWaited(r.Verdict.At.Sub(r.RequestedAt))
	if err := svc.answered(ctx, r.Tenant, r.ID); err != nil {
		return err
	}
	if len(r.Permissions) == 0 && r.Kind != protocol.ConsentAccount {
		return nil
	}
	k := askKey(r)
	open, err := svc.asks.Get(ctx, k)
	if err != nil {
		return err
	}
	if id, _ := opened(open); id != r.ID {
		return nil
	}
	return svc.asks.Delete(ctx, k)
}

// remember stores the grants that follow from the verdict.
func (svc *Service) remember(ctx context.Context, r *protocol.Consent) error {
	v := r.Verdict
	if err := svc.rememberPlan(ctx, r); err != nil {
		return err
	}
	if v.Status == protocol.GrantedConsent && v.Remember == protocol.RememberProgram {
		return svc.rememberForProgram(ctx, r)
	}
	lasting := v.Status == protocol.GrantedConsent && (v.Remember == protocol.RememberAlways || v.Remember == protocol.RememberSession) ||
		v.Status == protocol.DeniedConsent && v.NeverAsk
	subjects := subjectsOf(r)
	switch {
	case lasting:
	case v.Status == protocol.GrantedConsent && r.Adopts != "":
		subjects = []Subject{{Permission: r.Adopts}}
	default:
		return nil
	}
	for _, s := range subjects {
		if err := svc.store(ctx, newGrant(r, v, s)); err != nil {
			return err
		}
	}
	return nil
}

// store stores a grant, on record.
func (svc *Service) store(ctx context.Context, grant protocol.Grant) error {
	if err := svc.grants.put(ctx, grant); err != nil {
		return err
	}
	return svc.record(ctx, grantRecord(&grant, grant.By, "remembered"))
}

// record writes an audit record for a service. A full trail must not prevent verdicts from
// being carried out: no call has effects because of that, since a worker runs none
// without a record of its own.
func (svc *Service) record(ctx context.Context, r *protocol.AuditRecord) error {
	err := svc.Trail.Write(ctx, r)
	if errors.Is(err, natsio.ErrFull) {
		svc.Log.Error("the audit trail is full; not on record", zap.String("phase", string(r.Phase)), zap.String("consent_id", r.ConsentID))
		return nil
	}
	return err
}

// calls returns the calls that a verdict applies to. Only requests for permissions are
// shared, so most have one. A call that was put under another call's consent without a
// request to the person is left out.
func (svc *Service) calls(ctx context.Context, s *signed) ([]*store.Parked, error) {
	if s.CallID != "" && s.ForTool {
		p, err := store.On(svc.Queue).Get(ctx, s.Tenant, s.ConsentID, s.CallID)
		if p == nil || err != nil {
			return nil, err
		}
		return svc.covered(s, p), nil
	}
	all, err := store.On(svc.Queue).ListByConsent(ctx, s.Tenant, s.ConsentID)
	if s.CallID == "" { // its request was not stored yet, and the person did not approve it
		return all, err
	}
	return svc.covered(s, all...), err
}

func (svc *Service) covered(s *signed, calls ...*store.Parked) []*store.Parked {
	return slices.DeleteFunc(calls, func(p *store.Parked) bool {
		own, err := requestOf(p, nil)
		if err == nil && s.covers(own) && own.Call.CallID == p.Call.ID && own.User == p.Call.User {
			return false
		}
		svc.Log.Error("parked call refused: it is not what the person was asked about",
			zap.String("consent_id", s.ConsentID), zap.String("call_id", p.Call.ID))
		return true
	})
}

// opener returns the call for which a request was opened, among those that share it.
func opener(consentID string, calls []*store.Parked) *store.Parked {
	for _, p := range calls {
		if p.Opens(consentID) {
			return p
		}
	}
	return calls[0]
}

// requestOf returns the request of a parked call with its verdict.
func requestOf(p *store.Parked, v *protocol.Verdict) (*protocol.Consent, error) {
	r := new(protocol.Consent)
	if err := json.Unmarshal(p.Request, r); err != nil {
		return nil, err
	}
	if v != nil {
		r.Status, r.Verdict = v.Status, v
	}
	return r, nil
}

// denied returns the error for permissions that are permanently denied.
func denied(permissions []string) *tool.Error {
	return tool.Fail(tool.PermissionDenied, "Required permissions were denied: %s", list(permissions))
}

func decidedRecord(r *protocol.Consent) *protocol.AuditRecord {
	outcome := protocol.OutcomeBlocked
	if r.Status == protocol.GrantedConsent {
		outcome = protocol.OutcomeAllowed
	}
	return &protocol.AuditRecord{
		ID:    "decided-" + r.ID, // the same ID if it is written twice
		Phase: protocol.AuditConsentDecided, TraceID: r.Call.TraceID, CallID: r.Call.CallID, Tenant: r.Tenant, User: r.User, Agent: r.Agent,
		Conversation: r.Conversation, By: r.Verdict.By, Tool: r.Tool, ArgsHash: r.ArgsHash, ConsentID: r.ID,
		Decision: &protocol.AuditDecision{Outcome: outcome, Reason: reasonOf(r), Rule: r.Rule},
	}
}
