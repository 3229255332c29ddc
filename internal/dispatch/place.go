package dispatch

import (
	"context"
	"fmt"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/fleet/affinity"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/tool"
)

// Workers knows which live workers have which tools.
type Workers interface {
	// Place finds the live workers of a pool that have the tools of those names; empty
	// names stand for none.
	Place(pool, name, via string) fleet.Place
	// PoolFor returns where a person's calls of the tools of a pool go.
	PoolFor(pool, tenant, user string) string
	// Homes returns the live workers of a pool that persons are bound to.
	Homes(pool string) []fleet.Worker
	// Serves reports whether a live worker of a pool takes calls of a lane.
	Serves(pool, lane string) bool
	// Changed returns a channel that is closed when there are other workers, or they
	// have other tools.
	Changed() <-chan struct{}
}

// workerWait bounds the time that a call waits for a worker that has its tool before it is
// refused. With it the refusal comes within two seconds.
const workerWait = 1500 * time.Millisecond

// route is the tool of a call as its pool has it, and the tool that it delegates to, if
// any.
type route struct {
	def, target *tool.Definition
}

// personal returns a tool in the pool of the caller's own machine, where that has a worker
// of the tool's pool, and else the tool as it is.
func (d *Dispatcher) personal(req *Request, def *tool.Definition) *tool.Definition {
	pool := d.Workers.PoolFor(def.Pool, req.Tenant, req.User)
	if pool == def.Pool {
		return def
	}
	own := *def
	own.Pool = pool
	return &own
}

// placed is where a call is queued.
type placed struct {
	// kind is the lane of calls that not every worker of the pool can run; empty where
	// every worker can.
	kind string
	// home is the worker that the call's person is bound to, where there is one.
	home affinity.Home
}

// bind returns where the person of a call that workers can run is bound to, or else the
// lane for their kind.
func (d *Dispatcher) bind(ctx context.Context, pool string, who affinity.Person, name, via string, p fleet.Place) (placed, error) {
	home, ok, err := d.Bindings.Home(ctx, pool, who, name, via)
	if err != nil || ok {
		return placed{home: home}, err
	}
	return placed{kind: lane(p.Kind)}, nil
}

// place finds the workers that can run a call and returns the lane it is queued in. Without
// such a worker it waits a moment, since one may be starting, and then returns a refusal. A
// call that was accepted before is not refused.
//
// The tools that workers announce decide, and not the catalogue, which keeps what
// workers had that are gone.
func (d *Dispatcher) place(ctx context.Context, req *Request, c *Call, r route, made bool) (placed, *tool.Error, error) {
	name, via := announced(r.def), ""
	if r.target != nil && r.target.Enabled { // if it is withheld, the worker reports why
		via = announced(r.target)
	}
	p := d.Workers.Place(r.def.Pool, name, via)
	who := affinity.Person{Tenant: req.Tenant, User: req.User}
	if p.Able > 0 {
		at, err := d.bind(ctx, r.def.Pool, who, name, via, p)
		return at, nil, err
	}
	if c.WaitForWorker {
		if p.Workers > 0 {
			return placed{kind: queue.LaneWaiting}, nil, nil
		}
		return placed{}, nil, nil
	}
	if d.known(ctx, req, c, made) {
		return placed{}, nil, nil
	}
	end := time.NewTimer(workerWait)
	defer end.Stop()
	for over := false; ; {
		changed := d.Workers.Changed() // before the look, so that no change is missed
		p = d.Workers.Place(r.def.Pool, name, via)
		switch {
		case p.Able > 0:
			at, err := d.bind(ctx, r.def.Pool, who, name, via, p)
			return at, nil, err
		case over:
			return placed{}, missing(c, r, p), nil
		}
		select {
		case <-changed:
		case <-end.C:
			over = true
		case <-ctx.Done():
			over = true
		case <-d.drain:
			over = true
		}
	}
}

// lane returns the lane of calls that only one kind of worker is to take; none where any
// worker of the pool may.
func lane(kind string) string {
	if kind == "" {
		return ""
	}
	return queue.LaneOfKind(kind)
}

// announced returns the name by which workers announce a tool; empty for a tool that any
// worker of its pool can run, because it is stored or runs in another process.
func announced(def *tool.Definition) string {
	if def.Kind == tool.KindDynamic || def.Kind == tool.KindRemote {
		return ""
	}
	return def.Name
}

func missing(c *Call, r route, p fleet.Place) *tool.Error {
	why := p.Missing(r.def.Pool)
	if r.target != nil && p.Workers > 0 {
		why = fmt.Sprintf("no worker of pool %s has both '%s' and '%s', so call '%s' by itself",
			r.def.Pool, catalog.UseTool, r.target.Name, r.target.Name)
	}
	return tool.Fail(tool.ToolNotAvailable, "Tool '%s' is not available now: %s; try again later, or tell the operator", c.Tool, why)
}
