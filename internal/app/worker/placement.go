package worker

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/fleet/affinity"
	"github.com/helve-dev/helve/internal/fleet/catalogsync"
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/internal/x/version"
	"github.com/helve-dev/helve/tool"
)

// needsWorkspace are the ports whose tools read or write workspaces.
const needsWorkspace = tool.NeedFiles | tool.NeedPrograms | tool.NeedContainers

// placement announces the workspaces directory of this worker, and refuses tools that use
// workspaces if other workers of the pool have another directory: any of them may get the
// next call of a user, and would not find the files of the call before. Calls of users that
// are bound to this worker run in any case.
//
// Workers with the directory of the pool's oldest worker run the tools in any case. That
// keeps the files of a pool in one place until an operator has corrected the settings.
type placement struct {
	self  fleet.Worker
	pools []string
	apart map[string]*atomic.Bool // by pool; the map never changes
	fleet *fleet.Fleet            // all live workers
	log   *zap.Logger
	leave func(context.Context)
	// ownStore is set if personal data is in a file of the data directory.
	ownStore bool
	// homes binds users to workers, claims holds the lanes of this worker by pool; both
	// are empty without worker.affinity.
	homes  *affinity.Binder
	claims map[string]*affinity.Claim
	// homed is called with each lane that this worker gets.
	homed func(life context.Context, pool, home string) error

	announcer *fleet.Announcer
}

func newPlacement(id string, files workspaces, pools []string, slots int, log *zap.Logger) (*placement, error) {
	identity, err := files.Identity()
	if err != nil {
		return nil, err
	}
	p := &placement{
		self:  fleet.Worker{ID: id, Workspace: identity, Version: version.String(), Slots: slots},
		pools: pools, apart: map[string]*atomic.Bool{}, fleet: fleet.New(), log: log,
		leave: func(context.Context) {}, claims: map[string]*affinity.Claim{},
		homed: func(context.Context, string, string) error { return nil },
	}
	for _, pool := range pools {
		p.apart[pool] = new(atomic.Bool)
	}
	return p, nil
}

// follow follows the live workers until life ends, and removes definitions that none has.
// When it returns, the workers that were there before are known.
func (p *placement) follow(life context.Context, q *queue.Queue) (err error) {
	if p.fleet, err = fleet.Open(life, q, p.compare, nil, p.log); err != nil {
		return err
	}
	if p.homes, err = affinity.Open(life, q, p.fleet); err != nil {
		return err
	}
	if slices.ContainsFunc(p.pools, func(pool string) bool { return queue.BasePool(pool) != pool }) {
		return nil // a person's machine removes no definitions of others
	}
	sweeper, err := catalogsync.NewSweeper(life, q, p.fleet, p.log)
	if err != nil {
		return err
	}
	go sweeper.Run(life)
	return nil
}

// announce announces the worker and its tools until life ends.
func (p *placement) announce(life context.Context, q *queue.Queue, tools *toolbox.Toolbox, load func(pool string) queue.Load) error {
	kinds, err := p.kinds(tools)
	if err != nil {
		return err
	}
	p.self.Since = time.Now().UTC()
	if p.announcer, err = fleet.Announce(life, q, p.self, kinds, load, p.log); err != nil {
		return err
	}
	p.leave = p.announcer.Leave
	return nil
}

// offerPause is the pause before changed tools that were not announced are announced again.
const offerPause = time.Second

// keep takes calls that only workers with these tools can run, and announces the tools when
// they change, until life ends. It calls take with the lane of each pool.
func (p *placement) keep(life context.Context, tools *toolbox.Toolbox, take func(ctx context.Context, pool, lane string) error) {
	again := time.NewTimer(0)
	defer again.Stop()
	offered := true // by announce
	for {
		select {
		case <-life.Done():
			return
		case <-tools.Changed():
			offered = false
		case <-again.C:
		}
		kinds, err := p.kinds(tools)
		if err == nil && !offered {
			err = p.announcer.Offer(life, kinds)
		}
		for pool, kind := range kinds {
			if err == nil {
				err = take(life, pool, queue.LaneOfKind(kind.Hash))
			}
		}
		if offered = err == nil; !offered && life.Err() == nil {
			p.log.Warn("changed tools not announced; trying again", zap.Error(err))
			again.Reset(offerPause)
		}
	}
}

// elsewhere reports whether a live worker announces that it has a tool.
func (p *placement) elsewhere(def *tool.Definition) bool {
	return p.fleet.Offered(def.Pool, def.Name)
}

// compare decides for each pool whether this worker has the workspaces of the oldest one.
func (p *placement) compare(live fleet.Live) {
	for pool, apart := range p.apart {
		ids := live.Workspaces(pool)
		is := len(ids) > 0 && ids[0] != p.self.Workspace
		if bound := live.Bound(pool); bound {
			apart.Store(is) // what is not for a person that is bound here
			continue
		}
		if apart.Swap(is) == is {
			continue
		}
		if is {
			p.log.Error("tools that use files refused: another worker of the pool keeps workspaces in another directory",
				zap.String("advice", "put the data directory's workspaces on one shared volume, or set worker.affinity to user"),
				zap.String("pool", pool), zap.String("other_worker", live[pool][0].ID))
		} else {
			p.log.Info("tools that use files accepted again", zap.String("pool", pool))
		}
	}
}

// check implements [engine.Deps].Place.
func (p *placement) check(j *engine.Job) error {
	def := j.Entry().Tool
	if err := p.checkStore(def); err != nil {
		return err
	}
	if def.Needs&needsWorkspace == 0 {
		return nil
	}
	if j.Rehomed {
		j.Note("the worker that had this user's files is gone, and this one keeps workspaces in another directory: " +
			"files from before are missing unless they are written again")
	}
	if apart := p.apart[p.poolOf(def)]; j.Bound || apart == nil || !apart.Load() {
		return nil
	}
	return tool.Fail(tool.NotConfigured,
		"'%s' uses files, and the workers of pool %s do not share them: this worker keeps workspaces in another directory than the oldest one, "+
			"so files that one call writes would be missing for the next. Ask the operator to put the workspaces of all workers of the pool on "+
			"one shared volume (--data), or to set worker.affinity to user on all of them (docs/deploy.md)",
		def.Name, p.poolOf(def))
}

// kinds returns the tools that this worker has in each of the pools whose calls it takes.
func (p *placement) kinds(tools *toolbox.Toolbox) (map[string]*fleet.Kind, error) {
	of, err := tools.Kinds()
	kinds := make(map[string]*fleet.Kind, len(p.pools))
	for _, pool := range p.pools {
		kinds[pool] = of[queue.BasePool(pool)]
	}
	return kinds, err
}

// poolOf returns the pool of a tool. Tools that models wrote name none, and run in any pool
// of the worker.
func (p *placement) poolOf(t *tool.Tool) string {
	for _, pool := range p.pools {
		if queue.BasePool(pool) == t.Pool {
			return pool
		}
	}
	return p.pools[0]
}
