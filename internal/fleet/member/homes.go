package member

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/fleet/affinity"
)

// Claim claims a lane in each pool, for the users that are bound to this worker.
func (m *Member) Claim(ctx context.Context, q *queue.Queue) error {
	m.self.Homes = map[string]string{}
	for _, pool := range m.pools {
		if queue.BasePool(pool) != pool {
			continue // all of it is one person's
		}
		c, err := affinity.NewClaim(ctx, q, pool, m.self.ID, m.self.Workspace)
		if err != nil {
			return err
		}
		m.claims[pool], m.self.Homes[pool] = c, c.Home()
	}
	return nil
}

// Serve takes the calls of the users that are bound to this worker, and renews its claims
// until life ends. It calls take with the quick lane of each pool.
func (m *Member) Serve(life context.Context, take func(ctx context.Context, pool, home string) error) error {
	for pool, c := range m.claims {
		if err := errors.Join(take(life, pool, c.Home()), m.Homed(life, pool, c.Home())); err != nil {
			return err
		}
		moved := func(home string) {
			if err := errors.Join(take(life, pool, home), m.Homed(life, pool, home)); err != nil {
				m.log.Warn("lane of this worker not served; calls of its users wait", zap.String("pool", pool), zap.Error(err))
				return
			}
			if err := m.announcer.Rehome(life, pool, home); err != nil {
				m.log.Warn("lane of this worker not announced", zap.String("pool", pool), zap.Error(err))
			}
		}
		go c.Keep(life, moved, func(err error) {
			m.log.Warn("lane of this worker not renewed; trying again", zap.String("pool", pool), zap.Error(err))
		})
	}
	return nil
}

// GiveUp releases the lanes of this worker, after its last call.
func (m *Member) GiveUp(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	for pool, c := range m.claims {
		if err := c.Leave(ctx); err != nil {
			m.log.Debug("lane not given up; its claim expires", zap.String("pool", pool), zap.Error(err))
		}
	}
}
