package member

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/tool"
)

// Tools are the tools that a worker announces.
type Tools interface {
	// Kinds returns the tools by pool.
	Kinds() (map[string]*fleet.Kind, error)
	// Changed is sent to when the tools have changed.
	Changed() <-chan struct{}
}

// Announce announces the worker and its tools until life ends.
func (m *Member) Announce(life context.Context, q *queue.Queue, tools Tools, load func(pool string) queue.Load) error {
	kinds, err := m.kinds(tools)
	if err != nil {
		return err
	}
	m.self.Since = time.Now().UTC()
	if m.announcer, err = fleet.Announce(life, q, m.self, kinds, load, m.log); err != nil {
		return err
	}
	m.leave = m.announcer.Leave
	return nil
}

// offerPause is the pause before changed tools that were not announced are announced again.
const offerPause = time.Second

// Keep takes calls that only workers with these tools can run, and announces the tools when
// they change, until life ends. It calls take with the lane of each pool.
func (m *Member) Keep(life context.Context, tools Tools, take func(ctx context.Context, pool, lane string) error) {
	again := time.NewTimer(0)
	defer again.Stop()
	offered := true // by Announce
	for {
		select {
		case <-life.Done():
			return
		case <-tools.Changed():
			offered = false
		case <-again.C:
		}
		kinds, err := m.kinds(tools)
		if err == nil && !offered {
			err = m.announcer.Offer(life, kinds)
		}
		for pool, kind := range kinds {
			if err == nil {
				err = take(life, pool, queue.LaneOfKind(kind.Hash))
			}
		}
		if offered = err == nil; !offered && life.Err() == nil {
			m.log.Warn("changed tools not announced; trying again", zap.Error(err))
			again.Reset(offerPause)
		}
	}
}

// Elsewhere reports whether a live worker announces that it has a tool.
func (m *Member) Elsewhere(def *tool.Definition) bool {
	return m.fleet.Offered(def.Pool, def.Name)
}

// kinds returns the tools that this worker has in each of the pools whose calls it takes.
func (m *Member) kinds(tools Tools) (map[string]*fleet.Kind, error) {
	of, err := tools.Kinds()
	kinds := make(map[string]*fleet.Kind, len(m.pools))
	for _, pool := range m.pools {
		kinds[pool] = of[queue.BasePool(pool)]
	}
	return kinds, err
}
