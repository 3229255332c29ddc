package consent

import (
	"context"
	"encoding/json"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/consent/store"
	"github.com/helve-dev/helve/protocol"
)

// setTimer schedules the timer that fires on the server if there is no decision in time.
func (svc *Service) setTimer(ctx context.Context, asked natsio.Work) error {
	var r protocol.Consent
	if err := json.Unmarshal(asked.Data, &r); err != nil {
		svc.Log.Warn("unreadable request in an inbox", zap.Error(err))
		return nil
	}
	return store.On(svc.Queue).SetTimer(ctx, asked.Tenant, r.ID, r.ExpiresAt)
}

// fired ends a consent whose timer fired.
func (svc *Service) fired(ctx context.Context, timer natsio.Work) error {
	return svc.expire(ctx, timer.Tenant, timer.ID)
}

func (svc *Service) expire(ctx context.Context, tenant, consentID string) error {
	return svc.rule(ctx, tenant, consentID, protocol.Verdict{Status: protocol.ExpiredConsent, By: "helve", At: time.Now().UTC()})
}

// refused ends a consent that a worker abandoned: there was no room for its request in
// the inbox, or its call was ended while it was being parked.
func (svc *Service) refused(ctx context.Context, asked natsio.Work) error {
	v := protocol.Verdict{Status: protocol.RefusedConsent, By: "helve", At: time.Now().UTC()}
	p, err := svc.parkedFor(ctx, asked.Tenant, asked.ID)
	if err != nil {
		return err
	}
	if p != nil {
		fence, err := svc.Queue.Calls.Fenced(ctx, p.Tenant, p.Call.ID)
		if err != nil {
			return err
		}
		if fence != nil && fence.Ended != "" {
			v.Status = protocol.CancelledConsent
		}
	}
	return svc.rule(ctx, asked.Tenant, asked.ID, v)
}

const (
	// sweepEvery is the interval at which a service looks for expired requests that no
	// timer ended, sweepGrace the delay after the timer's time.
	sweepEvery = 5 * time.Second
	sweepGrace = 2 * time.Second
	// forgetAfter is the time for which a decided consent is listed after its expiry.
	forgetAfter = 2 * time.Hour
)

// sweep ends expired requests whose timer did not fire: the server may not support
// timers, or may have lost one.
func (svc *Service) sweep(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			for _, k := range svc.inbox.overdue(now.Add(-sweepGrace)) {
				if err := svc.expire(ctx, k.tenant, k.consentID); err != nil && ctx.Err() == nil {
					svc.Log.Warn("a request is over and could not be ended; trying again", zap.String("consent_id", k.consentID), zap.Error(err))
				}
			}
			svc.tidy(ctx)
			svc.inbox.forget(now.Add(-forgetAfter))
			svc.Metrics.ConsentsPending(svc.inbox.waiting())
		}
	}
}

// tidyMost bounds the requests that one sweep removes from inboxes.
const tidyMost = 1000

// tidy removes decided requests that are still in the inbox: a verdict can be stored
// before its request.
func (svc *Service) tidy(ctx context.Context) {
	for _, left := range svc.inbox.leftover(tidyMost) {
		if err := svc.answered(ctx, left.tenant, left.consentID); err != nil {
			if ctx.Err() == nil {
				svc.Log.Warn("a decided request is still in its inbox; trying again", zap.String("consent_id", left.consentID), zap.Error(err))
			}
			return
		}
	}
}

// answered removes the request of a consent from its inbox.
func (svc *Service) answered(ctx context.Context, tenant, consentID string) error {
	for _, seq := range svc.inbox.seqs(tenant, consentID) {
		if err := store.On(svc.Queue).Answered(ctx, seq); err != nil {
			return err
		}
		svc.inbox.gone(tenant, consentID, seq)
	}
	return nil
}
