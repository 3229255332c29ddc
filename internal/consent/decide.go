package consent

import (
	"context"
	"errors"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/consent/store"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/x/gopool"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Get returns a consent with its current status.
func (svc *Service) Get(ctx context.Context, tenant, id string) (protocol.Consent, error) {
	p, err := svc.parkedFor(ctx, tenant, id)
	if err != nil {
		return protocol.Consent{}, err
	}
	if p == nil {
		return protocol.Consent{}, NoSuch()
	}
	v, err := svc.verdicts().Of(ctx, tenant, id)
	if err != nil {
		return protocol.Consent{}, err
	}
	r, err := requestOf(p, v)
	if err != nil {
		return protocol.Consent{}, err
	}
	return *r, nil
}

// Verdict returns the verdict of a consent, or nil if there is none.
func (svc *Service) Verdict(ctx context.Context, tenant, id string) (*protocol.Verdict, error) {
	return svc.verdicts().Of(ctx, tenant, id)
}

// parkedFor returns the call for which a consent was opened.
func (svc *Service) parkedFor(ctx context.Context, tenant, id string) (*store.Parked, error) {
	p, err := store.On(svc.Queue).OpenerOf(ctx, tenant, id)
	if p == nil || err != nil || p.Opens(id) {
		return p, err
	}
	calls, err := store.On(svc.Queue).ListByConsent(ctx, tenant, id)
	if len(calls) == 0 || err != nil {
		return nil, err
	}
	return opener(id, calls), nil
}

// readers bounds the consents of a page that are read concurrently.
const readers = 16

// freshness bounds the wait of a list for requests stored just before it.
const (
	freshness     = 500 * time.Millisecond
	freshnessLook = 2 * time.Millisecond
)

// catchUp waits until this service has seen every pending request, so that a caller who
// was told that a call awaits consent finds it in the list, on any dispatcher.
func (svc *Service) catchUp(ctx context.Context, tenant string) error {
	seq, err := store.On(svc.Queue).LastAsked(ctx, tenant)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, freshness)
	defer cancel()
	look := time.NewTicker(freshnessLook)
	defer look.Stop()
	for !svc.inbox.knows(seq) {
		select {
		case <-ctx.Done():
			return nil // it may have been decided meanwhile
		case <-look.C:
		}
	}
	return nil
}

// List returns the consents that match f, newest first.
func (svc *Service) List(ctx context.Context, tenant string, f Filter) ([]protocol.Consent, string, error) {
	if err := svc.catchUp(ctx, tenant); err != nil {
		return nil, "", err
	}
	ids, next := svc.inbox.find(tenant, f)
	found := make([]*protocol.Consent, len(ids))
	err := together(ids, func(i int, id string) error {
		r, err := svc.Get(ctx, tenant, id)
		if err == nil && (f.Status == "" || r.Status == f.Status) {
			found[i] = &r
		}
		if gone, ok := errors.AsType[*Error](err); ok && gone.Kind == NotFound {
			return nil
		}
		return err
	})
	list, room := make([]protocol.Consent, 0, len(found)), listedTexts
	for _, r := range found {
		if r == nil {
			continue
		}
		if room -= sizeOfTexts(r); room < 0 {
			r = withoutTexts(r)
		}
		list = append(list, *r)
	}
	return list, next, err
}

// together calls read for each of the ids, some of them concurrently, and joins the errors.
func together(ids []string, read func(i int, id string) error) error {
	errs := make([]error, len(ids))
	slots := make(chan struct{}, readers)
	var all gopool.Group
	for i, id := range ids {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			errs[i] = read(i, id)
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// Decide stores a person's verdict. The first verdict counts; any service carries it
// out, even if this one dies now.
func (svc *Service) Decide(ctx context.Context, tenant, id string, say Decision, by identity.Principal) (protocol.Consent, error) {
	r, err := svc.Get(ctx, tenant, id)
	if err != nil {
		return protocol.Consent{}, err
	}
	if err := mayDecide(by, r.User, r.Agent); err != nil {
		return protocol.Consent{}, err
	}
	if r.Kind == protocol.ConsentAccount && say.Grant {
		return r, notConnected(&r)
	}
	if r.ApproverOnly && say.Grant && !approves(by) {
		return protocol.Consent{}, fail(Forbidden, "only somebody with the role approver may grant this; you may deny it")
	}
	if err := say.fits(&r); err != nil {
		return protocol.Consent{}, err
	}
	answer, err := say.answers(&r)
	if err != nil {
		return protocol.Consent{}, err
	}
	if r.Status != protocol.PendingConsent {
		return r, over(&r)
	}
	v := protocol.Verdict{
		Status: protocol.DeniedConsent, By: by.Called(), At: time.Now().UTC().Truncate(time.Millisecond), NeverAsk: say.NeverAsk && !say.Grant,
		Comment: say.Comment,
	}
	if say.Grant {
		v.Status, v.Remember, v.Approver, v.Answer = protocol.GrantedConsent, say.Remember, approves(by), answer
	}
	if v.At.After(r.ExpiresAt) {
		v = protocol.Verdict{Status: protocol.ExpiredConsent, By: "helve", At: v.At}
	}
	first, err := svc.give(ctx, &r, v)
	if err != nil && !errors.Is(err, natsio.ErrExists) {
		return protocol.Consent{}, err
	}
	r.Status, r.Verdict = first.Status, first
	if err != nil || first.Status == protocol.ExpiredConsent {
		return r, over(&r)
	}
	return r, nil
}

// Cancel ends a call that waits for a person. It returns false for a call that does not
// wait, and for a call whose request is shared with others: that call is ended without
// a verdict on the request.
func (svc *Service) Cancel(ctx context.Context, tenant, callID, by string) (bool, error) {
	p, err := store.On(svc.Queue).ByCall(ctx, tenant, callID)
	if p == nil || err != nil {
		return false, err
	}
	r, err := requestOf(p, nil)
	if err != nil {
		return false, err
	}
	if !r.ForTool { // other calls may share it
		calls, err := store.On(svc.Queue).ListByConsent(ctx, tenant, p.ConsentID)
		if err != nil || len(calls) > 1 {
			return false, err
		}
	}
	_, err = svc.give(ctx, r, protocol.Verdict{Status: protocol.CancelledConsent, By: by, At: time.Now().UTC()})
	if errors.Is(err, natsio.ErrExists) {
		return false, nil
	}
	return err == nil, err
}

// Revoke removes a grant.
func (svc *Service) Revoke(ctx context.Context, tenant, id string, by identity.Principal) error {
	g, err := svc.grants.find(ctx, tenant, id)
	if err != nil {
		return err
	}
	if g == nil || !by.Open && !by.Has(identity.Approver, identity.Admin) && by.User != g.User {
		return fail(NotFound, "no grant with this id is known")
	}
	if err := svc.Trail.Write(ctx, grantRecord(g, by.Called(), "revoked")); err != nil {
		return err
	}
	return svc.grants.Bucket.Delete(ctx, keyOf(g))
}

// Grants returns a tenant's grants, or with a user that user's.
func (svc *Service) Grants(ctx context.Context, tenant, user string) ([]protocol.Grant, error) {
	list, err := svc.grants.List(ctx, tenant, user)
	if err != nil {
		return nil, err
	}
	return svc.withoutEnded(ctx, list)
}

// over returns the Conflict error for a consent that is already decided.
func over(r *protocol.Consent) error {
	if r.Status == protocol.ExpiredConsent {
		return fail(Conflict, "the request expired at %s, so it can no longer be decided; the call must be made again",
			r.ExpiresAt.Format(time.RFC3339))
	}
	return fail(Conflict, "the request was already %s by %s", r.Status, r.Verdict.By)
}

// fits refuses a decision that cannot be made about r.
func (say Decision) fits(r *protocol.Consent) error {
	if say.Grant && r.Risk == tool.High && say.Remember != protocol.RememberOnce && say.Remember != "" {
		return fail(BadRequest, "a call of high risk can be granted only once; leave remember out")
	}
	if say.Grant && r.ApproverOnly && say.Remember != protocol.RememberOnce && say.Remember != "" {
		return fail(BadRequest, "this can be granted only once; leave remember out")
	}
	if say.Grant && say.Remember == protocol.RememberProgram && r.Program == nil {
		return fail(BadRequest, "the call is no step of a program, so its grant cannot last for one; use once, session or always")
	}
	if say.Grant && say.Remember == protocol.RememberSession && r.Conversation == "" {
		return fail(BadRequest, "the call belongs to no conversation, so its grant cannot last for one; use once or always")
	}
	return nil
}
