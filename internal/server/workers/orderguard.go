package workers

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/identity/token"
)

// orderGuard stores orders again that were displaced by a value that is no order. A worker
// that starts meanwhile holds the pool.
type orderGuard struct {
	orders *fleet.Orders
	log    *zap.Logger
	wake   chan struct{}
	// known are the orders in force, by key. Only look uses them.
	known map[string]fleet.Order

	mu    sync.Mutex
	fresh map[string]storedOrder // values that were not examined yet
}

// storedOrder is a value of the bucket of orders.
type storedOrder struct {
	value    []byte
	revision uint64
}

// orderLook is the pause between attempts to examine values whose signature cannot be
// verified yet.
const orderLook = 2 * time.Second

// follow examines the values of the bucket until life ends.
func (g *orderGuard) follow(life context.Context) error {
	if err := g.orders.Bucket.FollowRevisions(life, func(key string, value []byte, revision uint64) {
		g.mu.Lock()
		g.fresh[key] = storedOrder{value, revision}
		g.mu.Unlock()
		select {
		case g.wake <- struct{}{}:
		default:
		}
	}); err != nil {
		return err
	}
	go func() {
		again := time.NewTicker(orderLook)
		defer again.Stop()
		for {
			select {
			case <-life.Done():
				return
			case <-g.wake:
			case <-again.C:
			}
			g.look(life)
		}
	}()
	return nil
}

// look examines what was stored since the last look.
func (g *orderGuard) look(life context.Context) {
	g.mu.Lock()
	fresh := g.fresh
	g.fresh = map[string]storedOrder{}
	g.mu.Unlock()
	for key, stored := range fresh {
		if g.examine(life, key, stored) {
			continue
		}
		g.mu.Lock()
		if _, newer := g.fresh[key]; !newer {
			g.fresh[key] = stored
		}
		g.mu.Unlock()
	}
}

// examine reports whether a value needs no other look.
func (g *orderGuard) examine(life context.Context, key string, stored storedOrder) bool {
	if stored.value == nil {
		delete(g.known, key)
		return true
	}
	order, err := fleet.OpenOrder(g.orders.Notes, key, stored.value, stored.revision)
	refusal, _ := errors.AsType[*token.Refusal](err)
	switch {
	case err == nil:
		g.known[key] = order
		return true
	case refusal != nil && refusal.Binding == token.Unconfirmed:
		return false
	}
	ctx, cancel := context.WithTimeout(life, orderLook)
	defer cancel()
	known, has := g.known[key]
	var failed error
	if has {
		failed = g.orders.Replace(ctx, known, stored.revision)
	} else {
		_, failed = g.orders.Bucket.DeleteAt(ctx, key, stored.revision)
	}
	if failed != nil && !errors.Is(failed, natsio.ErrExists) { // which another dispatcher did
		g.log.Warn("displaced order not restored; trying again", zap.String("key", key), zap.Error(failed))
		return false
	}
	g.log.Error("value that is no order removed from the bucket of orders", zap.String("key", key), zap.Bool("restored", has), zap.Error(err))
	return true
}
