package consent

import (
	"context"
	"encoding/json"
	"net/url"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/consent/store"
	"github.com/helve-dev/helve/protocol"
)

// maxConnects bounds how often a call waits for an account.
const maxConnects = 8

// AccountOf returns the subject of a lasting decision about an account: a person who does
// not want to be asked for it.
func AccountOf(service string) Subject { return Subject{Permission: "account." + service} }

// defaultTenant is the tenant of a browser that names none.
const defaultTenant = "default"

// pageOf returns the address at which the account of r is connected. A browser sends no
// header, so without authentication the address names the tenant.
func pageOf(page string, r *protocol.Consent) string {
	at := page + r.ID
	if r.Tenant != defaultTenant {
		at += "?tenant=" + url.QueryEscape(r.Tenant)
	}
	return at
}

// notConnected returns the error for an approval of a request for an account, which only
// the account can end.
func notConnected(r *protocol.Consent) error {
	if r.Status != protocol.PendingConsent {
		return over(r)
	}
	return fail(Conflict,
		"the account of %s is not connected, so nothing can be granted; the person opens %s, or runs helve config connect %s --user %s",
		r.Service, r.ConnectURL, r.Service, r.User)
}

// AccountsChanged lets the service look for requests for accounts that were connected.
func (svc *Service) AccountsChanged() {
	select {
	case svc.changed <- struct{}{}:
	default: // it is about to look
	}
}

// followAccounts grants requests for accounts once these are connected. It also looks
// without a change, so that a verdict that could not be stored is stored later.
func (svc *Service) followAccounts(ctx context.Context) {
	if svc.HasAccount == nil {
		return
	}
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		for _, k := range svc.inbox.connectable(svc.HasAccount) {
			if err := svc.connected(ctx, k); err != nil && ctx.Err() == nil {
				svc.Log.Warn("an account is connected and its request could not be ended; trying again",
					zap.String("consent_id", k.consentID), zap.Error(err))
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-svc.changed:
		case <-tick.C:
		}
	}
}

// connected grants a request for an account. It runs in every dispatcher; the first verdict
// counts.
func (svc *Service) connected(ctx context.Context, k key) error {
	r, err := svc.Get(ctx, k.tenant, k.consentID)
	if err != nil || r.Status != protocol.PendingConsent || r.Kind != protocol.ConsentAccount {
		return err
	}
	return svc.rule(ctx, k.tenant, k.consentID, protocol.Verdict{
		Status: protocol.GrantedConsent, By: r.User, At: time.Now().UTC().Truncate(time.Millisecond), Remember: protocol.RememberOnce,
	})
}

// goOn queues a call again whose account is connected. The account approves nothing: a call
// that had been approved before gets a token for that approval again, since the first one
// may have expired, and any other call is judged as if it had just come.
func (svc *Service) goOn(ctx context.Context, p *store.Parked, r *protocol.Consent, again bool) error {
	e := p.Call
	start := svc.startOver(e)
	if e.ConsentID != "" {
		if err := svc.approveAgain(ctx, p, start); err != nil {
			return err
		}
	}
	e.Copy, e.Connected = again, r.ID
	e.Connects++
	return svc.queueAgain(ctx, e, r)
}

// approveAgain renews the token of the consent by which a call went on before it waited for
// an account.
func (svc *Service) approveAgain(ctx context.Context, p *store.Parked, start time.Time) error {
	e := p.Call
	s, err := svc.verdicts().signedOf(ctx, p.Tenant, e.ConsentID)
	if err != nil || s == nil || s.Verdict.Status != protocol.GrantedConsent {
		return err
	}
	approved, err := store.On(svc.Queue).Get(ctx, p.Tenant, e.ConsentID, e.ID)
	if err != nil || approved == nil || len(svc.covered(s, approved)) == 0 {
		return err
	}
	r, err := requestOf(approved, &s.Verdict)
	if err != nil {
		return err
	}
	var own protocol.Consent
	if err := json.Unmarshal(approved.Request, &own); err != nil {
		return err
	}
	e.ConfirmToken, err = svc.tokenFor(approved, &own, r, start)
	return err
}
