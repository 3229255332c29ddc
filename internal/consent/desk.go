package consent

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/token"
)

// Options are what a desk needs.
type Options struct {
	Bus     *bus.Bus
	Signer  *token.Signer
	Trail   Trail
	Metrics *telemetry.Metrics
	Log     *zap.Logger
	// QueueTTL is how long a granted call may wait for a worker.
	QueueTTL time.Duration
	// TokenTTL is the longest a token may hold: what marks it as used must be
	// kept longer.
	TokenTTL time.Duration
}

// Desk is a dispatcher's side of consent: the inbox, the verdicts and what
// follows from them, grants and tokens. Any number of desks share the work.
type Desk struct {
	Options
	grants *Grants
	asks   *bus.Bucket
	inbox  inbox
}

// Open starts a desk, which works until ctx ends. It returns when it knows
// every request that waits.
func Open(ctx context.Context, o Options) (*Desk, error) {
	d := &Desk{Options: o, inbox: inbox{entries: map[key]*entry{}}}
	grants, err := o.Bus.Bucket(ctx, bus.BucketGrants)
	if err != nil {
		return nil, err
	}
	d.grants = &Grants{Bucket: grants}
	if d.asks, err = o.Bus.Bucket(ctx, bus.BucketAsks); err != nil {
		return nil, err
	}
	if err := o.Bus.FollowDecisions(ctx, d.inbox.decided); err != nil {
		return nil, err
	}
	if err := o.Bus.FollowAsked(ctx, func(seq uint64, tenant string, request []byte) {
		d.inbox.asked(seq, tenant, request)
		o.Metrics.ConsentsPending(d.inbox.waiting())
	}); err != nil {
		return nil, err
	}
	if err := o.Bus.ServeVerdicts(ctx, d.carryOut); err != nil {
		return nil, err
	}
	if err := o.Bus.ServeRefused(ctx, d.refused); err != nil {
		return nil, err
	}
	if err := o.Bus.ServeAsked(ctx, d.time); err != nil {
		return nil, err
	}
	if err := o.Bus.ServeTimers(ctx, d.fired); err != nil {
		return nil, err
	}
	go d.sweep(ctx)
	return d, nil
}
