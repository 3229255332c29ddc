package consent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/events"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/consent/store"
	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/internal/x/failpoint"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Trail stores audit records. Write returns when the record is stored.
type Trail interface {
	Write(ctx context.Context, r *protocol.AuditRecord) error
}

// ErrDecided means that a call was already parked and decided: this copy must be
// dropped, since the verdict ends or resumes the call.
var ErrDecided = errors.New("the call was parked and decided before")

// Parker parks calls, on a worker.
type Parker struct {
	Queue *queue.Queue
	Asks  *natsio.Bucket
	// Ring has the keys whose verdicts are valid.
	Ring  *token.Keyring
	Trail Trail
}

// Ask describes a request of a parked call, without its IDs and times.
type Ask struct {
	Request protocol.Consent
	// TTL is the time for the person's decision.
	TTL time.Duration
	// Shared is set if only permissions, or an account, are requested: other calls of the
	// user that need the same join this request.
	Shared bool
	// Again is set if the call was approved once and what it changes is another since.
	Again bool
	// Page is the address below which the person connects an account, if one is requested.
	Page string
}

// Park stores the call, stores the request, and notifies the waiting dispatcher. After
// nil the call may be removed from the queue. A *tool.Error ends the call; [ErrDecided]
// drops it; after any other error it must be retried, which repeats nothing that was
// done.
func (p *Parker) Park(ctx context.Context, e *call.Call, a Ask) error {
	r := &a.Request
	own := store.ConsentOf(e.Tenant, e.ID)
	switch account := r.Kind == protocol.ConsentAccount; {
	case account && e.Connects >= maxConnects:
		return tool.Fail(tool.NotConfigured,
			"the account of %s is missing again, after the person has connected one %d times; see helve config test %[1]s --user %[3]s",
			r.Service, e.Connects, r.User)
	case account:
		own = store.AccountConsentOf(e.Tenant, e.ID, e.Connects)
	case e.ConsentID != "" && a.Again:
		own = store.FurtherConsentOf(e.Tenant, e.ID, e.ConsentID)
	case e.ConsentID != "":
		return tool.Fail(tool.PermissionDenied, "what the person granted no longer suffices for this call; make the call again to ask again")
	}
	r.ID, r.Status = own, protocol.PendingConsent
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
	if r.Kind == protocol.ConsentAccount {
		r.ConnectURL = pageOf(a.Page, r)
	}
	if err := p.Trail.Write(ctx, requested(e, r)); err != nil {
		return trail.Refusal(err)
	}
	request, err := json.Marshal(r)
	told, failed := json.Marshal(withoutTexts(r))
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	if !again {
		if again, err = p.store(ctx, e, r.ID, request); err != nil {
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
	if r.ID == own {
		if err := p.ask(ctx, r, told, again); err != nil {
			return err
		}
	}
	data := fmt.Appendf(nil, `{"consent_id":%q}`, r.ID)
	p.Queue.Events.Tell(events.AboutCall(e), protocol.EventAwaitingConsent, data)
	return p.Queue.Owners.TellAwaits(e.Tenant, e.Origin, e.ID, r.ID)
}

func (p *Parker) verdicts() Verdicts { return Verdicts{p.Queue, p.Ring} }

// before checks whether an earlier delivery parked the call, and sets r to the request
// it was parked with. A call that came too late for its verdict is parked again.
func (p *Parker) before(ctx context.Context, e *call.Call, r *protocol.Consent) (bool, error) {
	parked, err := store.On(p.Queue).ByCall(ctx, e.Tenant, e.ID)
	if parked == nil || err != nil || parked.ConsentID == e.ConsentID || parked.ConsentID == e.Connected {
		return false, err // it went on with that consent
	}
	verdict, listed, err := store.On(p.Queue).VerdictOn(ctx, parked, p.verdicts().valid(parked.Tenant, parked.ConsentID))
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

// store parks the call. It returns true if the call was already parked under this
// consent.
func (p *Parker) store(ctx context.Context, e *call.Call, consentID string, request []byte) (again bool, err error) {
	err = store.On(p.Queue).Park(ctx, &store.Parked{ConsentID: consentID, Call: e, Request: request})
	again = errors.Is(err, natsio.ErrExists)
	if err != nil && !again {
		return false, err
	}
	parked, err := store.On(p.Queue).Get(ctx, e.Tenant, consentID, e.ID)
	if err != nil {
		return false, err
	}
	if parked == nil {
		return false, fmt.Errorf("call %s was parked and is gone", e.ID)
	}
	verdict, listed, err := store.On(p.Queue).VerdictOn(ctx, parked, p.verdicts().valid(parked.Tenant, parked.ConsentID))
	switch {
	case err != nil:
		return false, err
	case listed:
		return false, ErrDecided
	case verdict != nil:
		// It joined a request at the moment of its decision: it must be authorized
		// again.
		return false, fmt.Errorf("consent %s was decided while the call joined it", consentID)
	}
	return again, nil
}

// stillWanted returns [ErrDecided] for a call that a dispatcher cancelled while it was
// being parked. No person is asked about it then.
func (p *Parker) stillWanted(ctx context.Context, e *call.Call, r *protocol.Consent) error {
	fence, err := p.Queue.Calls.Fenced(ctx, e.Tenant, e.ID)
	if err != nil || fence == nil || fence.Ended == "" {
		return err
	}
	// A dispatcher must give the verdict, since a worker's is not valid. The dispatcher
	// that carries it out ends the call, even if the first dispatcher is gone.
	if err := store.On(p.Queue).Refuse(ctx, e.Tenant, r.ID); err != nil {
		return err
	}
	return ErrDecided
}

// ask stores the request in the person's inbox. If too many are pending there the
// request is closed instead, and the dispatcher that carries this out ends the call.
//
// With again, the call was already parked by an earlier delivery. A request that is in
// the inbox is then left there: another copy would take up room.
func (p *Parker) ask(ctx context.Context, r *protocol.Consent, request []byte, again bool) error {
	if again {
		asked, err := store.On(p.Queue).WasAsked(ctx, r.Tenant, r.ID)
		if asked || err != nil {
			return err
		}
	}
	err := store.On(p.Queue).Ask(ctx, r.Tenant, r.User, r.ID, request)
	if err == nil {
		return store.On(p.Queue).NoteAsked(ctx, r.Tenant, r.ID)
	}
	if !errors.Is(err, natsio.ErrFull) {
		return err
	}
	if err := store.On(p.Queue).Refuse(ctx, r.Tenant, r.ID); err != nil {
		return err
	}
	return ErrDecided
}

func crowded() *tool.Error {
	return tool.Fail(tool.RateLimited, "too many requests wait for this user's decision already; wait until some are decided, then call again")
}

// requested returns the record of a consent request.
func requested(e *call.Call, r *protocol.Consent) *protocol.AuditRecord {
	return &protocol.AuditRecord{
		ID:    "asked-" + r.ID + "-" + e.ID, // the same ID if it is written twice
		Phase: protocol.AuditConsentRequested, TraceID: e.TraceID, CallID: e.ID, Tenant: e.Tenant, User: e.User, Agent: e.Agent,
		Conversation: e.Conversation, Tool: r.Tool, ArgsHash: r.ArgsHash, ConsentID: r.ID,
		Decision: &protocol.AuditDecision{Outcome: protocol.OutcomeConfirmationRequired, Reason: r.Reason, Rule: r.Rule},
		Origin:   e.Via,
	}
}
