package consent

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/tool"
)

// Get returns a consent as it stands.
func (d *Desk) Get(ctx context.Context, tenant, id string) (Request, error) {
	p, err := d.parkedFor(ctx, tenant, id)
	if err != nil {
		return Request{}, err
	}
	if p == nil {
		return Request{}, fail(NotFound, "no consent with this id is known; they are kept for a limited time")
	}
	data, err := d.Bus.Verdict(ctx, tenant, id)
	if err != nil {
		return Request{}, err
	}
	var v *Verdict
	if data != nil {
		v = new(Verdict)
		if err := json.Unmarshal(data, v); err != nil {
			return Request{}, err
		}
	}
	r, err := requestOf(p, v)
	if err != nil {
		return Request{}, err
	}
	return *r, nil
}

// parkedFor returns the call that a consent was opened for.
func (d *Desk) parkedFor(ctx context.Context, tenant, id string) (*bus.Parked, error) {
	p, err := d.Bus.ParkedFor(ctx, tenant, id)
	if p == nil || err != nil || bus.ConsentOf(tenant, p.Envelope.CallID) == id {
		return p, err
	}
	calls, err := d.Bus.ParkedCalls(ctx, tenant, id)
	if len(calls) == 0 || err != nil {
		return nil, err
	}
	return opener(id, calls), nil
}

// readers bounds how many consents of a page are read at once.
const readers = 16

// freshness bounds how long a list waits for what was asked just before it.
const (
	freshness     = 500 * time.Millisecond
	freshnessLook = 2 * time.Millisecond
)

// catchUp waits until this desk knows every request that waits: whoever was told
// that a call awaits consent finds it in the list, on any dispatcher.
func (d *Desk) catchUp(ctx context.Context, tenant string) error {
	seq, err := d.Bus.LastAsked(ctx, tenant)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, freshness)
	defer cancel()
	look := time.NewTicker(freshnessLook)
	defer look.Stop()
	for !d.inbox.knows(seq) {
		select {
		case <-ctx.Done():
			return nil // it may have been decided meanwhile
		case <-look.C:
		}
	}
	return nil
}

// List returns the consents that f wants, the newest first.
func (d *Desk) List(ctx context.Context, tenant string, f Filter) ([]Request, string, error) {
	if err := d.catchUp(ctx, tenant); err != nil {
		return nil, "", err
	}
	ids, next := d.inbox.find(tenant, f)
	found := make([]*Request, len(ids))
	errs := make([]error, len(ids))
	slots := make(chan struct{}, readers)
	var all sync.WaitGroup
	for i, id := range ids {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			r, err := d.Get(ctx, tenant, id)
			if err == nil && (f.Status == "" || r.Status == f.Status) {
				found[i] = &r
			}
			if gone, ok := errors.AsType[*Error](err); !ok || gone.Kind != NotFound {
				errs[i] = err
			}
		})
	}
	all.Wait()
	list := make([]Request, 0, len(found))
	for _, r := range found {
		if r != nil {
			list = append(list, *r)
		}
	}
	return list, next, errors.Join(errs...)
}

// Decide stores a person's verdict. Whoever is first decides; what follows from
// it is carried out by any desk, also when this one dies now.
func (d *Desk) Decide(ctx context.Context, tenant, id string, say Decision, by identity.Principal) (Request, error) {
	r, err := d.Get(ctx, tenant, id)
	if err != nil {
		return Request{}, err
	}
	if err := mayDecide(by, r.User, r.Agent); err != nil {
		return Request{}, err
	}
	if err := say.fits(&r); err != nil {
		return Request{}, err
	}
	if r.Status != Pending {
		return r, over(&r)
	}
	v := Verdict{
		Status: Denied, By: by.Called(), At: time.Now().UTC().Truncate(time.Millisecond), NeverAsk: say.NeverAsk && !say.Grant, Comment: say.Comment,
	}
	if say.Grant {
		v.Status, v.Remember = Granted, say.Remember
	}
	if v.At.After(r.ExpiresAt) {
		v = Verdict{Status: Expired, By: "helve", At: v.At}
	}
	data, err := json.Marshal(v)
	if err != nil {
		return Request{}, err
	}
	first, err := d.Bus.Decide(ctx, tenant, id, data)
	if err != nil && !errors.Is(err, bus.ErrExists) {
		return Request{}, err
	}
	if err != nil {
		v = Verdict{}
		if err := json.Unmarshal(first, &v); err != nil {
			return Request{}, err
		}
	}
	r.Status, r.Verdict = v.Status, &v
	if err != nil || v.Status == Expired {
		return r, over(&r)
	}
	return r, nil
}

// Cancel ends a call that waits for a person. It reports false for a call that
// does not, or no longer, and for one whose request others share: that one is
// ended without a word about the request.
func (d *Desk) Cancel(ctx context.Context, tenant, callID, by string) (bool, error) {
	p, err := d.Bus.ParkedCall(ctx, tenant, callID)
	if p == nil || err != nil {
		return false, err
	}
	calls, err := d.calls(ctx, tenant, p.ConsentID)
	if err != nil || len(calls) > 1 {
		return false, err
	}
	verdict, err := json.Marshal(Verdict{Status: Cancelled, By: by, At: time.Now().UTC()})
	if err != nil {
		return false, err
	}
	_, err = d.Bus.Decide(ctx, tenant, p.ConsentID, verdict)
	if errors.Is(err, bus.ErrExists) {
		return false, nil
	}
	return err == nil, err
}

// Revoke takes back a grant.
func (d *Desk) Revoke(ctx context.Context, tenant, id string, by identity.Principal) error {
	g, err := d.grants.find(ctx, tenant, id)
	if err != nil {
		return err
	}
	if g == nil || !by.Open && !by.Has(identity.Approver, identity.Admin) && by.User != g.User {
		return fail(NotFound, "no grant with this id is known")
	}
	if err := d.Trail.Write(ctx, grantRecord(g, by.Called(), "revoked")); err != nil {
		return err
	}
	return d.grants.Bucket.Delete(ctx, g.key())
}

// Grants returns a tenant's grants, or with a user that user's.
func (d *Desk) Grants(ctx context.Context, tenant, user string) ([]Grant, error) {
	return d.grants.List(ctx, tenant, user)
}

// over says that a consent has its verdict.
func over(r *Request) error {
	if r.Status == Expired {
		return fail(Conflict, "the request expired at %s, so it can no longer be decided; the call must be made again", r.ExpiresAt.Format(time.RFC3339))
	}
	return fail(Conflict, "the request was already %s by %s", r.Status, r.Verdict.By)
}

// fits refuses a decision that cannot be made about r.
func (say Decision) fits(r *Request) error {
	if say.Grant && r.Risk == tool.High && say.Remember != Once && say.Remember != "" {
		return fail(BadRequest, "a call of high risk can be granted only once; leave remember out")
	}
	if say.Grant && say.Remember == Session && r.Conversation == "" {
		return fail(BadRequest, "the call belongs to no conversation, so its grant cannot last for one; use once or always")
	}
	return nil
}
