package consent

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/consent/store"
	"github.com/helve-dev/helve/protocol"
)

// Waiting is a call that waits for a person.
type Waiting struct {
	Call      *call.Call
	ConsentID string
	// Asked is when the person was asked.
	Asked time.Time
}

// Waiting returns the calls that wait for the pending consents of a page that f selects, and the
// cursor of the next page. Each call that shares a consent is among them, and so may be a call
// whose consent was decided a moment ago.
func (svc *Service) Waiting(ctx context.Context, tenant string, f Filter) ([]Waiting, string, error) {
	if err := svc.catchUp(ctx, tenant); err != nil {
		return nil, "", err
	}
	f.Status = protocol.PendingConsent
	ids, next := svc.inbox.find(tenant, f)
	found := make([][]Waiting, len(ids))
	err := together(ids, func(i int, id string) (err error) {
		found[i], err = svc.waitingFor(ctx, tenant, id)
		return err
	})
	var all []Waiting
	for _, calls := range found {
		all = append(all, calls...)
	}
	return all, next, err
}

// waitingFor returns the calls that wait for a consent.
func (svc *Service) waitingFor(ctx context.Context, tenant, id string) (all []Waiting, err error) {
	p, err := store.On(svc.Queue).OpenerOf(ctx, tenant, id)
	if p == nil || err != nil {
		return nil, err
	}
	r, err := requestOf(p, nil)
	if err != nil {
		return nil, err
	}
	calls := []*store.Parked{p}
	if !r.ForTool || r.Kind == protocol.ConsentAccount { // others are not shared
		if calls, err = store.On(svc.Queue).ListByConsent(ctx, tenant, id); err != nil {
			return nil, err
		}
	}
	for _, p := range calls {
		all = append(all, Waiting{Call: p.Call, ConsentID: id, Asked: r.RequestedAt})
	}
	return all, nil
}
