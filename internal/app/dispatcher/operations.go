package dispatcher

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/identity/keysync"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/internal/telemetry/syscheck"
	"github.com/helve-dev/helve/internal/x/version"
)

// parts holds the parts of a dispatcher that the operations for operators need.
type parts struct {
	cfg      config.Config
	queue    *queue.Queue
	fleet    *fleet.Fleet
	consents *consent.Service
	audit    *auditor
	cat      *catalog.Tenants
	trail    trail.Writer
	services services
	views    *views
	// contains searches in the arguments and the result of a call.
	contains func(ctx context.Context, tenant, callID, text string) (bool, error)
}

// openOperations enables the operations with which operators look after the system.
func openOperations(life context.Context, svc *api.Service, p parts, log *zap.Logger) error {
	given, err := openOrders(life, p.queue, p.fleet, p.consents, p.trail, log)
	if err != nil {
		return fmt.Errorf("orders to workers: %w", err)
	}
	svc.Orders, svc.Queues = given, queues{p.queue}
	svc.Dead = dead{
		queue: p.queue, cat: p.cat, trail: p.trail, queueTTL: p.cfg.Dispatcher.QueueTTL,
		// The records of a call are kept for longer than this, so it has them all.
		onceKept: p.cfg.Streams.CallsMaxAge,
	}
	svc.List = callList{queue: p.queue, fleet: p.fleet, consents: p.consents, audit: p.audit, cat: p.cat, views: p.views, contains: p.contains}
	svc.Policies, svc.History, svc.Counter = policies{p.queue, p.cat}, followHistory(life, p.queue, p.fleet, log), p.audit
	svc.Checks = syscheck.NewRecent(&syscheck.Checker{
		Queue: p.queue, Live: p.fleet.Live, Lost: p.fleet.Lost, Paused: given.Paused, Version: version.String(), Data: p.cfg.Data,
		Index: p.audit.answers, SealKey: p.audit.published, Audit: p.audit.state, Expiring: p.consents.Expiring, Services: p.services.state,
	})
	return nil
}

// answers reports whether the audit index can be read.
func (a *auditor) answers(ctx context.Context) error {
	_, err := a.index.Query(ctx, audit.Query{Tenant: systemTenant, Limit: 1})
	return err
}

var errFound = errors.New("a record without a seal was found")

// state returns how far the seals and the index are behind the trail.
func (a *auditor) state(ctx context.Context) (s syscheck.AuditState, err error) {
	s.Unindexed = a.unindexed.Load()
	keys, err := a.seals.Keys(ctx)
	if err != nil {
		return s, err
	}
	to, err := audit.SealedTo(ctx, a.seals.Seals, keys...)
	if err != nil {
		return s, err
	}
	ext, err := a.stream.Extent(ctx, "")
	if err != nil || to >= ext.Last {
		return s, err
	}
	err = a.stream.Read(ctx, to+1, ext.Last, "", func(m audit.Message) error {
		s.Unsealed = time.Since(m.At)
		return errFound
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return s, err
}

// published reports whether other processes can verify the seals of this one.
func (a *auditor) published(ctx context.Context) (bool, error) {
	keys, err := keysync.Load(ctx, a.queue, keysync.Seal)
	if err != nil {
		return false, err
	}
	own, _ := a.key.Public().(ed25519.PublicKey)
	return slices.ContainsFunc(keys, func(key ed25519.PublicKey) bool { return key.Equal(own) }), nil
}
