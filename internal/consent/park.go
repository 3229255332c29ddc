package consent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/failpoint"
	"github.com/helve-dev/helve/internal/trail"
	"github.com/helve-dev/helve/tool"
)

// Trail stores audit records. Write returns when the record is stored.
type Trail interface {
	Write(ctx context.Context, r *audit.Record) error
}

// ErrDecided means that a call was parked and decided before: the copy at hand
// is to be dropped, since the verdict takes care of the call.
var ErrDecided = errors.New("the call was parked and decided before")

// Parker parks calls, on a worker.
type Parker struct {
	Bus   *bus.Bus
	Asks  *bus.Bucket
	Trail Trail
}

// Ask is what a parked call needs: the request without its ids and times.
type Ask struct {
	Request Request
	// TTL is how long the person may take.
	TTL time.Duration
	// Shared says that only permissions are asked for: other calls of the user
	// that need the same ones join this request.
	Shared bool
}

// Park stores the call, asks the person, and tells the dispatcher that waits.
// After nil the queue may let go of the call. A *tool.Error ends the call;
// [ErrDecided] drops it; after any other error it is to be tried again, which
// repeats nothing that was done.
func (p *Parker) Park(ctx context.Context, e *bus.Envelope, a Ask) error {
	if e.ConsentID != "" {
		return tool.Fail(tool.PermissionDenied, "what the person granted no longer suffices for this call; make the call again to ask anew")
	}
	r := &a.Request
	own := bus.ConsentOf(e.Tenant, e.CallID)
	r.ConsentID, r.Status = own, Pending
	r.RequestedAt = time.Now().UTC().Truncate(time.Millisecond)
	r.ExpiresAt = r.RequestedAt.Add(a.TTL)
	again, err := p.before(ctx, e, r)
	if err != nil {
		return err
	}
	if !again && a.Shared {
		if err := p.join(ctx, r); err != nil {
			return err
		}
	}
	if err := p.Trail.Write(ctx, requested(e, r)); err != nil {
		return trail.Refusal(err)
	}
	request, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if !again {
		if again, err = p.store(ctx, e, r.ConsentID, request); err != nil {
			return err
		}
	}
	if err := failpoint.Hit(failpoint.ConsentAfterPark); err != nil {
		return err
	}
	if !a.Shared {
		if err := p.stillWanted(ctx, e, r); err != nil {
			return err
		}
	}
	if r.ConsentID == own {
		if err := p.ask(ctx, r, request, again); err != nil {
			return err
		}
	}
	data := fmt.Appendf(nil, `{"consent_id":%q}`, r.ConsentID)
	p.Bus.Tell(e.Tenant, e.TraceID, e.CallID, e.Tool, bus.EventAwaitingConsent, data)
	return p.Bus.TellAwaits(e.Tenant, e.Origin, e.CallID, r.ConsentID)
}

// before looks whether the call was parked by an earlier delivery, and makes r
// the request it was parked with. A call that came too late for its verdict is
// parked anew.
func (p *Parker) before(ctx context.Context, e *bus.Envelope, r *Request) (bool, error) {
	parked, err := p.Bus.ParkedCall(ctx, e.Tenant, e.CallID)
	if parked == nil || err != nil {
		return false, err
	}
	verdict, listed, err := p.Bus.VerdictOn(ctx, parked)
	switch {
	case err != nil:
		return false, err
	case listed:
		return false, ErrDecided
	case verdict != nil:
		return false, nil
	}
	return true, json.Unmarshal(parked.Request, r)
}

// store parks the call. Again says that it was parked under this consent before.
func (p *Parker) store(ctx context.Context, e *bus.Envelope, consentID string, request []byte) (again bool, err error) {
	err = p.Bus.Park(ctx, &bus.Parked{ConsentID: consentID, Envelope: e, Request: request})
	again = errors.Is(err, bus.ErrExists)
	if err != nil && !again {
		return false, err
	}
	parked, err := p.Bus.ParkedUnder(ctx, e.Tenant, consentID, e.CallID)
	if err != nil {
		return false, err
	}
	if parked == nil {
		return false, fmt.Errorf("call %s was parked and is gone", e.CallID)
	}
	verdict, listed, err := p.Bus.VerdictOn(ctx, parked)
	switch {
	case err != nil:
		return false, err
	case listed:
		return false, ErrDecided
	case verdict != nil:
		// It joined a request in the moment that was decided: it is judged anew.
		return false, fmt.Errorf("consent %s was decided while the call joined it", consentID)
	}
	return again, nil
}

// stillWanted returns [ErrDecided] for a call that a dispatcher ended, because it
// was cancelled, while it was being parked. Nobody is asked about it then.
func (p *Parker) stillWanted(ctx context.Context, e *bus.Envelope, r *Request) error {
	fence, err := p.Bus.Fenced(ctx, e.Tenant, e.CallID)
	if err != nil || fence == nil || fence.Ended == "" {
		return err
	}
	// Whoever carries the verdict out ends the call, should that dispatcher be gone.
	if err := rule(ctx, p.Bus, e.Tenant, r.ConsentID, Cancelled); err != nil {
		return err
	}
	return ErrDecided
}

// ask puts the request before the person. When too many wait there the request
// is closed instead, and whoever carries that out ends the call.
//
// Again says that the call was parked before: it was delivered or sent again. A
// request that is in the inbox is then left alone: another would take its room.
func (p *Parker) ask(ctx context.Context, r *Request, request []byte, again bool) error {
	if again {
		asked, err := p.Bus.WasAsked(ctx, r.Tenant, r.ConsentID)
		if asked || err != nil {
			return err
		}
	}
	err := p.Bus.Ask(ctx, r.Tenant, r.User, r.ConsentID, request)
	if err == nil {
		return p.Bus.NoteAsked(ctx, r.Tenant, r.ConsentID)
	}
	if !errors.Is(err, bus.ErrFull) {
		return err
	}
	if err := p.Bus.Refuse(ctx, r.Tenant, r.ConsentID); err != nil {
		return err
	}
	return ErrDecided
}

func crowded() *tool.Error {
	return tool.Fail(tool.RateLimited, "too many requests wait for this user's decision already; wait until some are decided, then call again")
}

// requested tells that a person is asked.
func requested(e *bus.Envelope, r *Request) *audit.Record {
	return &audit.Record{
		AuditID: "asked-" + r.ConsentID + "-" + e.CallID, // the same when it is written twice
		Phase:   audit.ConsentRequested, TraceID: e.TraceID, CallID: e.CallID, Tenant: e.Tenant, User: e.User, Agent: e.Agent,
		Conversation: e.Conversation, Tool: r.Tool, ArgsHash: r.ArgsHash, ConsentID: r.ConsentID,
		Decision: &audit.Decision{Outcome: audit.ConfirmationRequired, Reason: r.Reason, Rule: r.Rule},
	}
}
