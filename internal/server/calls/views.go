package calls

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
)

// Views implements [api.Views]. An inbox that is open all day requests the same consents
// every few seconds, and a search the same calls, so a look at one is recorded once in
// viewAgain for each person who looks, by each dispatcher.
type Views struct {
	trail trail.Writer

	mu   sync.Mutex
	seen map[view]time.Time
}

// view is a look of a person at a consent, at a call, or at something of a user.
type view struct{ tenant, by, consent, call, user, what string }

// look is a view with its record.
type look struct {
	view
	record protocol.AuditRecord
}

const (
	viewAgain = time.Hour
	// maxViews bounds the looks that are remembered. Beyond it they are recorded again.
	maxViews = 20_000
)

// NewViews returns views that are recorded on the trail.
func NewViews(t trail.Writer) *Views { return &Views{trail: t, seen: map[view]time.Time{}} }

// Consents implements [api.Views].
func (v *Views) Consents(ctx context.Context, tenant, operation string, list []protocol.Consent) error {
	looks := make([]look, 0, len(list))
	for i := range list {
		c := &list[i]
		looks = append(looks, look{view{tenant: tenant, consent: c.ID}, protocol.AuditRecord{
			TraceID: c.Call.TraceID, CallID: c.Call.CallID, User: c.User, Agent: c.Agent, Conversation: c.Conversation, Tool: c.Tool,
			ConsentID: c.ID, Decision: &protocol.AuditDecision{Outcome: protocol.OutcomeAllowed, Reason: "the role approver, admin or auditor"},
			Detail: operation,
		}})
	}
	return v.record(ctx, looks)
}

// Calls records looks at the arguments or the results of calls of others.
func (v *Views) Calls(ctx context.Context, tenant, operation string, list []protocol.CallSummary) error {
	looks := make([]look, 0, len(list))
	for i := range list {
		c := &list[i]
		looks = append(looks, look{view{tenant: tenant, call: c.CallID}, protocol.AuditRecord{
			TraceID: c.TraceID, CallID: c.CallID, User: c.User, Agent: c.Agent, Conversation: c.Conversation, Tool: c.Tool,
			Decision: &protocol.AuditDecision{Outcome: protocol.OutcomeAllowed, Reason: "the role admin or auditor"}, Detail: operation,
		}})
	}
	return v.record(ctx, looks)
}

// Person implements [api.Views].
func (v *Views) Person(ctx context.Context, tenant, user, operation, what string) error {
	return v.record(ctx, []look{{view{tenant: tenant, user: user, what: operation + " " + what}, protocol.AuditRecord{
		Phase: protocol.AuditPersonalData, User: user, Tool: operation,
		Decision: &protocol.AuditDecision{Outcome: protocol.OutcomeAllowed, Reason: "the role approver, admin or auditor"}, Detail: what,
	}}})
}

// own reports whether a look is at what belongs to the caller. What belongs to everybody
// does not belong to the caller.
func (l look) own(by identity.Principal) bool {
	return by.SpeaksFor(l.record.User, l.record.Agent) && (l.what == "" || l.user != "" || by.Has(identity.User))
}

// record writes the records of looks at what is of others, and waits until they are stored.
func (v *Views) record(ctx context.Context, looks []look) error {
	by := identity.Of(ctx)
	if by.Open {
		return nil
	}
	var fresh []view
	var written []<-chan error
	for i := range looks {
		r := &looks[i].record
		look := looks[i].view
		look.by = by.Called()
		if looks[i].own(by) || v.known(look) {
			continue
		}
		r.Phase, r.Tenant, r.By = cmp.Or(r.Phase, protocol.AuditCallViewed), look.tenant, look.by
		done := make(chan error, 1)
		v.trail.Send(r, func(err error) { done <- err })
		fresh, written = append(fresh, look), append(written, done)
	}
	var failed error
	for _, done := range written {
		select {
		case err := <-done:
			failed = errors.Join(failed, err)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if failed == nil {
		v.remember(fresh)
	}
	return failed
}

func (v *Views) known(look view) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	at, ok := v.seen[look]
	return ok && time.Since(at) < viewAgain
}

func (v *Views) remember(looks []view) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.seen)+len(looks) > maxViews {
		clear(v.seen)
	}
	for _, look := range looks {
		v.seen[look] = time.Now()
	}
}
