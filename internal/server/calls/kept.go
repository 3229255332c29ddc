package calls

import (
	"context"
	"encoding/json"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/audit/keep"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/protocol"
)

// Kept implements [api.KeptCalls]: the final record of a call tells whose it is and how it
// ended, and its block has the rest.
type Kept struct {
	Trail   Records
	History History
	Views   *Views
	Log     *zap.Logger
}

// History has the calls that are kept, and until when each is; nil if one is not.
type History interface {
	Find(ctx context.Context, tenant, user, callID string, ended time.Time) (*keep.Call, time.Time, error)
}

// recordsMost bounds the records of a call among which its final one is looked for: those of
// looks at it come later.
const recordsMost = 100

// Get implements [api.KeptCalls].
func (k Kept) Get(ctx context.Context, tenant, callID string) (*api.KeptCall, error) {
	page, err := k.Trail.Query(ctx, audit.Query{Tenant: tenant, CallID: callID, Limit: recordsMost})
	if err != nil {
		return nil, err
	}
	for i := range page.Records {
		r := &page.Records[i]
		if audit.FinalOf(r) == "" || r.Result == nil {
			continue
		}
		if may, err := k.permit(ctx, tenant, r); !may || err != nil {
			return nil, err
		}
		return k.of(ctx, tenant, r)
	}
	return nil, nil
}

// permit reports whether the caller may see the call of a record. A look at a call of somebody
// else is on the trail before it is answered.
func (k Kept) permit(ctx context.Context, tenant string, r *protocol.AuditRecord) (bool, error) {
	by := identity.Of(ctx)
	switch {
	case by.Open, by.SpeaksFor(r.User, r.Agent):
		return true, nil
	case !by.Oversees():
		return false, nil
	}
	err := k.Views.Calls(ctx, tenant, "calls.get", []protocol.CallSummary{{
		CallID: r.CallID, TraceID: r.TraceID, Tool: r.Tool, User: r.User, Agent: r.Agent, Conversation: r.Conversation,
	}})
	return err == nil, err
}

// of returns the call of a final record as it was kept, else as far as the record knows it.
func (k Kept) of(ctx context.Context, tenant string, r *protocol.AuditRecord) (*api.KeptCall, error) {
	ended := r.Time
	if r.EndedAt != nil {
		ended = *r.EndedAt
	}
	c, until, err := k.History.Find(ctx, tenant, r.User, r.CallID, ended)
	if ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		k.Log.Warn("kept call not read; its final record is shown", zap.String("call_id", r.CallID), zap.Error(err))
	}
	if c == nil {
		return recorded(r)
	}
	return found(c, until)
}

// found returns a call as it was kept. The values that its references name have expired.
func found(c *keep.Call, until time.Time) (*api.KeptCall, error) {
	el, err := call.DecodeResult(c.Element)
	if err != nil {
		return nil, err
	}
	detail := protocol.KeptDetail{By: protocol.KeptHistory, Until: &until, LeftOut: c.LeftOut}
	for _, ref := range []**protocol.ResultRef{&el.ResultRef, &el.TextRef, &el.ContentRef} {
		if *ref != nil {
			detail.LeftOut, *ref = detail.LeftOut+(*ref).Size, nil
		}
	}
	el.State = protocol.StateDone
	element, err := call.EncodeResult(el)
	return &api.KeptCall{Element: element, Arguments: c.Arguments, Detail: detail}, err
}

// recorded returns a call as its final record knows it.
func recorded(r *protocol.AuditRecord) (*api.KeptCall, error) {
	el := protocol.Result{
		CallID: r.CallID, TraceID: r.TraceID, Tool: r.Tool, Status: r.Result.Status, State: protocol.StateDone,
		ErrorType: protocol.Kind(r.Result.ErrorType), DurationMS: r.DurationMS, Attempt: r.Attempt, Worker: r.Worker, ArgsHash: r.ArgsHash,
		Owner: &protocol.Owner{User: r.User, Agent: r.Agent}, Origin: r.Origin,
	}
	if r.Result.Status != protocol.StatusSuccess {
		el.Message = r.Result.Summary
	}
	element, err := json.Marshal(&el)
	return &api.KeptCall{Element: element, Detail: protocol.KeptDetail{By: protocol.KeptRecord}}, err
}
