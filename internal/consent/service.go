package consent

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/consent/store"
	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/protocol"
)

// Options configure a service.
type Options struct {
	Queue *queue.Queue
	// Signer signs tokens and verdicts; Ring has the keys whose verdicts are valid,
	// including the signer's.
	Signer *token.Signer
	Ring   *token.Keyring
	Trail  interface {
		Trail
		// End stores the result of a call with its final record.
		End(ctx context.Context, pool, origin string, element []byte, r *protocol.AuditRecord) error
	}
	Metrics *telemetry.Metrics
	// Tracing records a span for each wait for a person; nil for none.
	Tracing *telemetry.Tracing
	Log     *zap.Logger
	// HasAccount reports whether a person has an account of a service that can be used; nil
	// where no accounts are connected.
	HasAccount func(tenant, user, service string) bool
	// Program returns a program that has not ended, nil if there is none; nil where there are no
	// programs.
	Program func(ctx context.Context, tenant, callID string) (*Program, error)
	// Present stores a token with its program, whose steps bring it along.
	Present func(ctx context.Context, tenant string, of protocol.ProgramRun, t PlanToken) error
	// QueueTTL is the time that a granted call may wait for a worker.
	QueueTTL time.Duration
	// TokenTTL is the longest validity of a token: the mark that it was used must be
	// kept for longer.
	TokenTTL time.Duration
}

// Service is a dispatcher's side of consent: the inbox, the verdicts and their execution,
// grants and tokens. Any number of services share the work.
type Service struct {
	Options
	grants *Grants
	asks   *natsio.Bucket
	inbox  inbox
	// changed has a value if an account may have been connected.
	changed chan struct{}
}

// Open starts a service, which works until ctx ends. It returns when it has read every
// pending request.
func Open(ctx context.Context, o Options) (*Service, error) {
	svc := &Service{Options: o, inbox: newInbox(), changed: make(chan struct{}, 1)}
	grants, err := o.Queue.Conn.Bucket(ctx, streams.BucketGrants)
	if err != nil {
		return nil, err
	}
	svc.grants = &Grants{Bucket: grants, Ring: o.Ring, Signer: o.Signer}
	if svc.asks, err = o.Queue.Conn.Bucket(ctx, streams.BucketAsks); err != nil {
		return nil, err
	}
	if err := store.On(o.Queue).FollowDecisions(ctx, svc.inbox.decided); err != nil {
		return nil, err
	}
	if err := store.On(o.Queue).FollowAsked(ctx, func(seq uint64, tenant string, request []byte) {
		if svc.inbox.asked(seq, tenant, request) {
			svc.AccountsChanged() // it may be connected since the worker looked
		}
		o.Metrics.ConsentsPending(svc.inbox.waiting())
	}); err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, o.Metrics.Read(func(set telemetry.Set) {
		set(telemetry.ConsentsExpiring, float64(svc.Expiring()))
	}))
	if err := store.On(o.Queue).ServeVerdicts(ctx, svc.carryOut); err != nil {
		return nil, err
	}
	if err := store.On(o.Queue).ServeRefused(ctx, svc.refused); err != nil {
		return nil, err
	}
	if err := store.On(o.Queue).ServeAsked(ctx, svc.setTimer); err != nil {
		return nil, err
	}
	if err := store.On(o.Queue).ServeTimers(ctx, svc.fired); err != nil {
		return nil, err
	}
	go svc.keepSigned(ctx)
	go svc.sweep(ctx)
	go svc.keepEnded(ctx)
	go svc.followAccounts(ctx)
	return svc, nil
}

// Expiring returns the number of requests, of all tenants, that wait for a person and have
// less than a quarter of their time left.
func (svc *Service) Expiring() int { return svc.inbox.expiring(time.Now()) }
