package dispatch

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
)

// subject is a call that somebody asks about, as far as it is known.
type subject struct {
	tenant, callID, traceID, tool string
	// owner is nil where it was not stored.
	owner *protocol.Owner
}

// permit returns nil if the caller may see the call, and hidden if not: for the
// caller such a call does not exist. A look at a call for which the caller does not
// speak is on the trail before it is answered; operation names the look.
func (d *Dispatcher) permit(ctx context.Context, operation string, s subject, hidden *Error) error {
	by := identity.Of(ctx)
	switch {
	case by.Open, s.owner != nil && by.SpeaksFor(s.owner.User, s.owner.Agent):
		return nil
	case !by.Oversees():
		return hidden
	}
	return d.recordView(ctx, operation, s)
}

// permitCall is permit for a call that is asked for by its id. To find that no call has an id
// takes an index that is complete; as long as it is not, a call that is hidden is answered as
// such an id is, or the answers would tell which ids exist.
func (d *Dispatcher) permitCall(ctx context.Context, operation string, s subject, hidden *Error) error {
	err := d.permit(ctx, operation, s, hidden)
	if !errors.Is(err, hidden) {
		return err
	}
	if late := d.results.CatchUp(ctx, s.tenant); late != nil {
		return readError(late)
	}
	return err
}

func (d *Dispatcher) recordView(ctx context.Context, operation string, s subject) error {
	r := &protocol.AuditRecord{
		Phase: protocol.AuditCallViewed, TraceID: s.traceID, CallID: s.callID, Tenant: s.tenant, Tool: s.tool,
		By: identity.Of(ctx).Called(), Decision: &protocol.AuditDecision{Outcome: protocol.OutcomeAllowed, Reason: "the role admin or auditor"},
		Detail: operation,
	}
	if s.owner != nil {
		r.User, r.Agent = s.owner.User, s.owner.Agent
	}
	if err := d.Trail.Write(ctx, r); err != nil {
		return cancelError(err)
	}
	return nil
}

// permitStored is permitCall for a call that has a result.
func (d *Dispatcher) permitStored(ctx context.Context, operation, tenant, callID string, stored *queue.Stored, hidden *Error) error {
	if identity.Of(ctx).Open {
		return nil // spares reading a large result
	}
	el, err := glance(stored.Element)
	if err != nil {
		return err
	}
	return d.permitCall(ctx, operation, subject{tenant, callID, el.TraceID, el.Tool, el.Owner}, hidden)
}

// glimpse is the part of a result element that tells whose it is.
type glimpse struct {
	TraceID  string          `json:"trace_id"`
	Tool     string          `json:"tool"`
	Status   string          `json:"status"`
	ArgsHash string          `json:"args_hash"`
	Owner    *protocol.Owner `json:"owner"`
}

// user returns the person of the call, "" if it has none.
func (g glimpse) user() string {
	if g.Owner == nil {
		return ""
	}
	return g.Owner.User
}

func glance(element []byte) (glimpse, error) {
	var g glimpse
	err := json.Unmarshal(element, &g, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return g, err
}

// permitCancel refuses callers that may see a call of others and not change it.
func permitCancel(ctx context.Context, s subject) error {
	by := identity.Of(ctx)
	if s.owner != nil && by.SpeaksFor(s.owner.User, s.owner.Agent) || by.Open || by.Has(identity.Admin) {
		return nil
	}
	return &Error{Kind: Forbidden, Msg: "an auditor may read the calls of others and not cancel them; ask an admin"}
}

// own reports whether a call that is sent again under its call_id is the sender's:
// the same person's, and of an agent that the credential speaks for.
func own(ctx context.Context, e *call.Call, owner *protocol.Owner) bool {
	by := identity.Of(ctx)
	if owner == nil {
		return by.Open || by.Oversees()
	}
	return owner.User == e.User && (owner.Agent == e.Agent || by.SpeaksFor(owner.User, owner.Agent))
}

func unknownCall() *Error {
	return notFound("no call with this call_id is known; results are kept for a limited time")
}

func unknownResult() *Error {
	return notFound("no result of this call_id is stored; ask calls.get for its state")
}
