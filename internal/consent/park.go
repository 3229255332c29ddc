package consent

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/failpoint"
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
	r := &a.Request
	r.ConsentID, r.Status = callConsent(e.Tenant, e.CallID), Pending
	r.RequestedAt = time.Now().UTC().Truncate(time.Millisecond)
	r.ExpiresAt = r.RequestedAt.Add(a.TTL)
	first := true
	if a.Shared {
		var err error
		if first, err = p.join(ctx, r); err != nil {
			return err
		}
	}
	request, err := json.Marshal(r)
	if err != nil {
		return err
	}
	err = p.Bus.Park(ctx, &bus.Parked{ConsentID: r.ConsentID, Envelope: e, Request: request})
	if err != nil && !errors.Is(err, bus.ErrExists) {
		return err
	}
	if err := p.undecided(ctx, e.Tenant, r.ConsentID, err); err != nil {
		return err
	}
	if err := failpoint.Hit(failpoint.ConsentAfterPark); err != nil {
		return err
	}
	if first {
		if err := p.ask(ctx, r, request); err != nil {
			return err
		}
	}
	if err := p.Trail.Write(ctx, requested(e, r)); err != nil {
		return err
	}
	data := fmt.Appendf(nil, `{"consent_id":%q}`, r.ConsentID)
	p.Bus.Tell(e.Tenant, e.TraceID, e.CallID, e.Tool, bus.EventAwaitingConsent, data)
	return p.Bus.TellAwaits(e.Tenant, e.Origin, e.CallID, r.ConsentID)
}

// undecided looks for a verdict that came before the call was parked, or before
// it was parked again.
func (p *Parker) undecided(ctx context.Context, tenant, consentID string, parked error) error {
	verdict, err := p.Bus.Verdict(ctx, tenant, consentID)
	switch {
	case err != nil:
		return err
	case verdict == nil:
		return nil
	case parked == nil:
		// The call joined a request in the moment it was decided: it is judged
		// anew, with what was decided.
		return fmt.Errorf("consent %s was decided while the call joined it", consentID)
	}
	var v Verdict
	if json.Unmarshal(verdict, &v) == nil && v.Status == Refused {
		return crowded()
	}
	return ErrDecided
}

// ask puts the request before the person. When too many wait there, the request
// is closed again, so that the parked call is nobody's.
func (p *Parker) ask(ctx context.Context, r *Request, request []byte) error {
	err := p.Bus.Ask(ctx, r.Tenant, r.User, r.ConsentID, request)
	if !errors.Is(err, bus.ErrFull) {
		return err
	}
	verdict, err := json.Marshal(Verdict{Status: Refused, By: "helve", At: time.Now().UTC()})
	if err != nil {
		return err
	}
	if _, err := p.Bus.Decide(ctx, r.Tenant, r.ConsentID, verdict); err != nil && !errors.Is(err, bus.ErrExists) {
		return err
	}
	return crowded()
}

func crowded() *tool.Error {
	return tool.Fail(tool.RateLimited, "too many requests wait for this user's decision already; wait until some are decided, then call again")
}

// join makes r a part of the request that is open for the same permissions of
// the same user, if there is one; first reports that there was none.
func (p *Parker) join(ctx context.Context, r *Request) (first bool, err error) {
	key := askKey(r.Tenant, r.User, r.Permissions)
	own := r.ConsentID
	for range joinTries {
		err := p.Asks.Create(ctx, key, []byte(own))
		if !errors.Is(err, bus.ErrExists) {
			return true, err
		}
		open, err := p.Asks.Get(ctx, key)
		if err != nil {
			return false, err
		}
		if open == nil {
			continue // it was closed in between
		}
		if string(open) == own {
			return true, nil // an earlier attempt of this call opened it
		}
		there, err := p.open(ctx, r.Tenant, string(open))
		if err != nil {
			return false, err
		}
		if there != nil {
			*r = *there
			return false, nil
		}
		err = p.Asks.Replace(ctx, key, open, []byte(own))
		if !errors.Is(err, bus.ErrExists) {
			return true, err
		}
	}
	return false, fmt.Errorf("the request for %s changes too quickly", strings.Join(r.Permissions, ", "))
}

const joinTries = 5

// open returns the request of a consent that is undecided and not over.
func (p *Parker) open(ctx context.Context, tenant, consentID string) (*Request, error) {
	verdict, err := p.Bus.Verdict(ctx, tenant, consentID)
	if err != nil || verdict != nil {
		return nil, err
	}
	parked, err := p.Bus.ParkedFor(ctx, tenant, consentID)
	if err != nil {
		return nil, err
	}
	if parked == nil {
		return nil, fmt.Errorf("consent %s is being opened", consentID)
	}
	r := new(Request)
	if err := json.Unmarshal(parked.Request, r); err != nil {
		return nil, err
	}
	if time.Now().After(r.ExpiresAt) {
		return nil, nil
	}
	return r, nil
}

// callConsent is the consent of a call: the same however often the call is
// delivered.
func callConsent(tenant, callID string) string {
	return "c-" + short(tenant+"/"+callID)
}

func askKey(tenant, user string, permissions []string) string {
	return tenant + "." + user + "." + short(strings.Join(permissions, "\n"))
}

var letters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// short is a name of 26 letters for any text.
func short(text string) string {
	sum := sha256.Sum256([]byte(text))
	return letters.EncodeToString(sum[:16])
}

func requested(e *bus.Envelope, r *Request) *audit.Record {
	return &audit.Record{
		AuditID: "asked-" + r.ConsentID + "-" + e.CallID, // the same when it is written twice
		Phase:   audit.ConsentRequested, TraceID: e.TraceID, CallID: e.CallID, Tenant: e.Tenant, User: e.User, Agent: e.Agent,
		Conversation: e.Conversation, Tool: e.Tool, ArgsHash: r.ArgsHash, ConsentID: r.ConsentID,
		Decision: &audit.Decision{Outcome: audit.ConfirmationRequired, Reason: r.Reason, Rule: r.Rule},
	}
}
