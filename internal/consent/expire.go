package consent

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus"
)

// time has the server fire when nobody has decided in time.
func (d *Desk) time(ctx context.Context, asked bus.Shared) error {
	var r Request
	if err := json.Unmarshal(asked.Data, &r); err != nil {
		d.Log.Warn("unreadable request in an inbox", zap.Error(err))
		return nil
	}
	return d.Bus.SetTimer(ctx, asked.Tenant, r.ConsentID, r.ExpiresAt)
}

// fired ends a consent whose timer fired.
func (d *Desk) fired(ctx context.Context, timer bus.Shared) error {
	return d.expire(ctx, timer.Tenant, timer.ID)
}

func (d *Desk) expire(ctx context.Context, tenant, consentID string) error {
	return rule(ctx, d.Bus, tenant, consentID, Expired)
}

// refused ends a consent whose request found no room in its inbox.
func (d *Desk) refused(ctx context.Context, asked bus.Shared) error {
	return rule(ctx, d.Bus, asked.Tenant, asked.ID, Refused)
}

// rule gives a verdict that no person gave.
func rule(ctx context.Context, b *bus.Bus, tenant, consentID string, status Status) error {
	verdict, err := json.Marshal(Verdict{Status: status, By: "helve", At: time.Now().UTC()})
	if err != nil {
		return err
	}
	if _, err := b.Decide(ctx, tenant, consentID, verdict); err != nil && !errors.Is(err, bus.ErrExists) {
		return err
	}
	return nil
}

const (
	// sweepEvery is how often a desk looks for what no timer ended, sweepGrace
	// how much later than a timer it acts.
	sweepEvery = 5 * time.Second
	sweepGrace = 2 * time.Second
	// forgetAfter is how long after its time a decided consent is still listed.
	forgetAfter = 2 * time.Hour
)

// sweep ends what is over although no timer fired: the server may know no
// timers, or have lost one.
func (d *Desk) sweep(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			for _, k := range d.inbox.overdue(now.Add(-sweepGrace)) {
				if err := d.expire(ctx, k.tenant, k.consentID); err != nil && ctx.Err() == nil {
					d.Log.Warn("a request is over and could not be ended; trying again", zap.String("consent_id", k.consentID), zap.Error(err))
				}
			}
			d.tidy(ctx)
			d.inbox.forget(now.Add(-forgetAfter))
			d.Metrics.ConsentsPending(d.inbox.waiting())
		}
	}
}

// tidyMost bounds how many requests one sweep takes out of inboxes.
const tidyMost = 1000

// tidy takes requests out of the inbox that were decided and are still there: a
// verdict can come before its request does.
func (d *Desk) tidy(ctx context.Context) {
	for _, left := range d.inbox.leftover(tidyMost) {
		if err := d.answered(ctx, left.tenant, left.consentID); err != nil {
			if ctx.Err() == nil {
				d.Log.Warn("a decided request is still in its inbox; trying again", zap.String("consent_id", left.consentID), zap.Error(err))
			}
			return
		}
	}
}

// answered takes the request of a consent out of its inbox.
func (d *Desk) answered(ctx context.Context, tenant, consentID string) error {
	for _, seq := range d.inbox.seqs(tenant, consentID) {
		if err := d.Bus.Answered(ctx, seq); err != nil {
			return err
		}
		d.inbox.gone(tenant, consentID, seq)
	}
	return nil
}
