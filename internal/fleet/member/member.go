package member

import (
	"context"
	"slices"
	"sync/atomic"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/fleet/affinity"
	"github.com/helve-dev/helve/internal/fleet/catalogsync"
)

// Member announces the workspaces directory of this worker, and refuses tools that use
// workspaces if other workers of the pool have another directory: any of them may get the
// next call of a user, and would not find the files of the call before. Calls of users that
// are bound to this worker run in any case.
//
// Workers with the directory of the pool's oldest worker run the tools in any case. That
// keeps the files of a pool in one place until an operator has corrected the settings.
type Member struct {
	self     fleet.Worker
	pools    []string
	apart    map[string]*atomic.Bool // by pool; the map never changes
	fleet    *fleet.Fleet            // all live workers
	log      *zap.Logger
	leave    func(context.Context)
	ownStore bool
	// homes binds users to workers, claims holds the lanes of this worker by pool; both
	// are empty without worker.affinity.
	homes  *affinity.Binder
	claims map[string]*affinity.Claim
	// Homed is called with each lane that this worker gets. It is set before Serve.
	Homed func(life context.Context, pool, home string) error

	announcer *fleet.Announcer
}

// Options holds what a [Member] needs.
type Options struct {
	// Self has the worker's id, its workspaces directory and its slots.
	Self  fleet.Worker
	Pools []string
	// OwnStore is set if personal data is in a file of the data directory.
	OwnStore bool
	Log      *zap.Logger
}

// New returns a member that has announced nothing yet.
func New(o Options) *Member {
	m := &Member{
		self: o.Self, pools: o.Pools, apart: map[string]*atomic.Bool{}, fleet: fleet.New(), log: o.Log, ownStore: o.OwnStore,
		leave: func(context.Context) {}, claims: map[string]*affinity.Claim{},
		Homed: func(context.Context, string, string) error { return nil },
	}
	for _, pool := range o.Pools {
		m.apart[pool] = new(atomic.Bool)
	}
	return m
}

// Follow follows the live workers until life ends, and removes definitions that none has.
// When it returns, the workers that were there before are known.
func (m *Member) Follow(life context.Context, q *queue.Queue) (err error) {
	if m.fleet, err = fleet.Open(life, q, m.compare, nil, m.log); err != nil {
		return err
	}
	if m.homes, err = affinity.Open(life, q, m.fleet); err != nil {
		return err
	}
	if slices.ContainsFunc(m.pools, func(pool string) bool { return queue.BasePool(pool) != pool }) {
		return nil // a person's machine removes no definitions of others
	}
	sweeper, err := catalogsync.NewSweeper(life, q, m.fleet, m.log)
	if err != nil {
		return err
	}
	go sweeper.Run(life)
	return nil
}

// compare decides for each pool whether this worker has the workspaces of the oldest one.
func (m *Member) compare(live fleet.Live) {
	for pool, apart := range m.apart {
		ids := live.Workspaces(pool)
		is := len(ids) > 0 && ids[0] != m.self.Workspace
		if bound := live.Bound(pool); bound {
			apart.Store(is) // what is not for a person that is bound here
			continue
		}
		if apart.Swap(is) == is {
			continue
		}
		if is {
			m.log.Error("tools that use files refused: another worker of the pool keeps workspaces in another directory",
				zap.String("advice", "put the data directory's workspaces on one shared volume, or set worker.affinity to user"),
				zap.String("pool", pool), zap.String("other_worker", live[pool][0].ID))
		} else {
			m.log.Info("tools that use files accepted again", zap.String("pool", pool))
		}
	}
}

// Fleet returns all live workers, as they are known since Follow.
func (m *Member) Fleet() *fleet.Fleet { return m.fleet }

// Binder returns the bindings of users to workers, as they are known since Follow.
func (m *Member) Binder() *affinity.Binder { return m.homes }

// Announcer returns what announces this worker, nil before Announce.
func (m *Member) Announcer() *fleet.Announcer { return m.announcer }

// Leave announces that this worker takes no more calls.
func (m *Member) Leave(ctx context.Context) { m.leave(ctx) }
