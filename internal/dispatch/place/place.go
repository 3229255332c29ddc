// Package place finds the workers that can run a call, for a dispatcher: the workers that have its
// tool, in the pool of the tool or of the person's own machine, and the worker that the person is
// bound to.
//
// The tools that workers announce decide, and not the catalogue, which keeps what workers had
// that are gone. It does not promise that the workers are still there when the call arrives:
// calls in lanes that nobody serves are placed again.
package place

import (
	"context"
	"fmt"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/fleet/affinity"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/toolbox/upstream/approvals"
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

// Placer places calls.
type Placer struct {
	Workers Workers
	// Bindings finds the worker that a person is bound to.
	Bindings *affinity.Binder
}

// Person is the person for whom a call is made.
type Person struct{ Tenant, User string }

// Tool is the tool of a call as its pool has it, and the tool that it delegates to, if any.
type Tool struct {
	Def, Target *tool.Definition
}

// needs returns the names of the tools that a worker must have; empty names stand for none.
func (t Tool) needs() (name, via string) {
	if t.Target != nil && t.Target.Enabled { // if it is withheld, the worker reports why
		via = Announced(t.Target)
	}
	return Announced(t.Def), via
}

// Announced returns the name by which workers announce a tool; empty for a tool that any
// worker of its pool can run, because it is stored or runs in another process.
func Announced(def *tool.Definition) string {
	if def.Kind == tool.KindDynamic || def.Kind == tool.KindRemote {
		return ""
	}
	return def.Name
}

// At is where a call is queued. The zero value is any worker of its pool.
type At struct {
	// Kind is the lane of calls that not every worker of the pool can run; empty where
	// every worker can.
	Kind string
	// Home is the worker that the call's person is bound to, where there is one.
	Home affinity.Home
}

// Put sets the lane of a call that is placed; lane is that of its share of the pool.
func (at At) Put(c *call.Call, lane string) {
	c.Lane = lane
	switch {
	case at.Home.Worker != "":
		at.Home.Put(c, lane)
	case at.Kind != "":
		c.Lane = at.Kind
	}
}

// Personal returns a tool in the pool of the person's own machine, where that has a worker
// of the tool's pool, and else the tool as it is.
func (p *Placer) Personal(who Person, def *tool.Definition) *tool.Definition {
	pool := p.Workers.PoolFor(def.Pool, who.Tenant, who.User)
	if pool == def.Pool {
		return def
	}
	own := *def
	own.Pool = pool
	return &own
}

// Find returns where a call goes that needs the tools of those names; able is false if no
// live worker has them.
func (p *Placer) Find(ctx context.Context, who Person, pool, name, via string) (at At, able bool, err error) {
	found := p.Workers.Place(pool, name, via)
	if found.Able == 0 {
		return At{}, false, nil
	}
	home, bound, err := p.Bindings.Home(ctx, pool, affinity.Person(who), name, via)
	switch {
	case err != nil || bound:
		return At{Home: home}, true, err
	case found.Kind != "":
		return At{Kind: queue.LaneOfKind(found.Kind)}, true, nil
	}
	return At{}, true, nil
}

// Now returns where a call of a tool goes; able is false if no live worker can run it.
func (p *Placer) Now(ctx context.Context, who Person, t Tool) (at At, able bool, err error) {
	name, via := t.needs()
	return p.Find(ctx, who, t.Def.Pool, name, via)
}

// Waiting returns where a call waits that no live worker can run.
func (p *Placer) Waiting(t Tool) At {
	if name, via := t.needs(); p.Workers.Place(t.Def.Pool, name, via).Workers > 0 {
		return At{Kind: queue.LaneWaiting}
	}
	return At{}
}

// workerWait bounds the time that a call waits for a worker that has its tool before it is
// refused. With it the refusal comes within two seconds.
const workerWait = 1500 * time.Millisecond

// Await waits a moment for a worker that can run the call, since one may be starting, and
// then returns a refusal; called is the name that the caller gave the tool. Stop ends the wait.
func (p *Placer) Await(ctx context.Context, who Person, t Tool, called string, stop <-chan struct{}) (At, *tool.Error, error) {
	end := time.NewTimer(workerWait)
	defer end.Stop()
	for over := false; ; {
		changed := p.Workers.Changed() // before the look, so that no change is missed
		switch at, able, err := p.Now(ctx, who, t); {
		case able || err != nil:
			return at, nil, err
		case over:
			return At{}, p.missing(t, called), nil
		}
		select {
		case <-changed:
		case <-end.C:
			over = true
		case <-ctx.Done():
			over = true
		case <-stop:
			over = true
		}
	}
}

func (p *Placer) missing(t Tool, called string) *tool.Error {
	name, via := t.needs()
	found := p.Workers.Place(t.Def.Pool, name, via)
	why := found.Missing(t.Def.Pool)
	if t.Target != nil && found.Workers > 0 {
		why = fmt.Sprintf("no worker of pool %s has both '%s' and '%s', so call '%s' by itself",
			t.Def.Pool, catalog.UseTool, t.Target.Name, t.Target.Name)
	}
	return tool.Fail(tool.ToolNotAvailable, "Tool '%s' is not available now: %s; try again later, or tell the operator", called, why)
}

// Withheld returns the error of a tool whose definition no operator has accepted, nil for others.
func Withheld(def *tool.Definition) *tool.Error {
	if approvals.Needed(def.Kind) && !def.Enabled {
		return approvals.Withheld(def.Name)
	}
	return nil
}
