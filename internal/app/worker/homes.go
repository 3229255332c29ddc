package worker

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/fleet/affinity"
)

// claim claims a lane in each pool, for the users that are bound to this worker.
func (p *placement) claim(ctx context.Context, q *queue.Queue) error {
	p.self.Homes = map[string]string{}
	for _, pool := range p.pools {
		if queue.BasePool(pool) != pool {
			continue // all of it is one person's
		}
		c, err := affinity.NewClaim(ctx, q, pool, p.self.ID, p.self.Workspace)
		if err != nil {
			return err
		}
		p.claims[pool], p.self.Homes[pool] = c, c.Home()
	}
	return nil
}

// serve takes the calls of the users that are bound to this worker, and renews its claims
// until life ends. It calls take with the quick lane of each pool.
func (p *placement) serve(life context.Context, take func(ctx context.Context, pool, home string) error) error {
	for pool, c := range p.claims {
		if err := errors.Join(take(life, pool, c.Home()), p.homed(life, pool, c.Home())); err != nil {
			return err
		}
		moved := func(home string) {
			if err := errors.Join(take(life, pool, home), p.homed(life, pool, home)); err != nil {
				p.log.Warn("lane of this worker not served; calls of its users wait", zap.String("pool", pool), zap.Error(err))
				return
			}
			if err := p.announcer.Rehome(life, pool, home); err != nil {
				p.log.Warn("lane of this worker not announced", zap.String("pool", pool), zap.Error(err))
			}
		}
		go c.Keep(life, moved, func(err error) {
			p.log.Warn("lane of this worker not renewed; trying again", zap.String("pool", pool), zap.Error(err))
		})
	}
	return nil
}

// giveUp releases the lanes of this worker, after its last call.
func (p *placement) giveUp(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	for pool, c := range p.claims {
		if err := c.Leave(ctx); err != nil {
			p.log.Debug("lane not given up; its claim expires", zap.String("pool", pool), zap.Error(err))
		}
	}
}
