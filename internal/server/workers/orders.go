package workers

import (
	"context"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/protocol"
)

// Orders records operators' orders to workers before it gives them. It implements
// [api.Orders].
type Orders struct {
	*fleet.Orders
	trail trail.Writer
}

// ordersRenewed is the interval at which stored orders are signed again and old ones
// removed.
const ordersRenewed = 12 * time.Hour

// OpenOrders returns the orders, which are renewed until life ends.
func OpenOrders(
	life context.Context, q *queue.Queue, workers *fleet.Fleet, consents *consent.Service, t trail.Writer, log *zap.Logger,
) (*Orders, error) {
	bucket, err := q.Conn.Bucket(life, streams.BucketOrders)
	if err != nil {
		return nil, err
	}
	own := &token.Keyring{}
	if err := own.Put(consents.Signer.KeyID(), consents.Signer.Public()); err != nil {
		return nil, fmt.Errorf("signing key: %w", err)
	}
	o := &Orders{&fleet.Orders{
		Bucket: bucket,
		Notes:  token.Notes{Signer: consents.Signer, Ring: consents.Ring, Purpose: fleet.OrderPurpose},
		Own:    token.Notes{Ring: own, Purpose: fleet.OrderPurpose},
	}, t}
	guard := &orderGuard{
		orders: o.Orders,
		log:    log,
		known:  map[string]fleet.Order{},
		fresh:  map[string]storedOrder{},
		wake:   make(chan struct{}, 1),
	}
	if err := guard.follow(life); err != nil {
		return nil, err
	}
	go func() {
		again := time.NewTicker(ordersRenewed)
		defer again.Stop()
		for {
			if err := o.Renew(life, workers.Live()); err != nil && life.Err() == nil {
				log.Warn("orders to workers not renewed; trying later", zap.Error(err))
			}
			select {
			case <-life.Done():
				return
			case <-again.C:
			}
		}
	}()
	return o, nil
}

// Give implements [api.Orders].
func (o *Orders) Give(ctx context.Context, order fleet.Order) error {
	order.At = time.Now().UTC()
	what := "worker " + order.Worker
	if order.Pool != "" {
		what = "pool " + order.Pool
	}
	if err := o.trail.Write(ctx, &protocol.AuditRecord{
		Phase: protocol.AuditFleetChanged, Tenant: systemTenant, By: order.By, Worker: order.Worker,
		Decision: &protocol.AuditDecision{Outcome: protocol.OutcomeAllowed}, Detail: what + ": " + order.Action + " ordered",
	}); err != nil {
		return err
	}
	return o.Orders.Give(ctx, order)
}

// systemTenant holds the records that concern every tenant.
const systemTenant = "default"
