// Package fleet announces the live workers of each pool over NATS, and finds those that
// can run a call.
//
// It promises that a killed worker is gone from every process after five seconds, and
// that no worker expires while NATS is away. It does not promise that two processes see
// a change at the same moment: a worker returns calls that it cannot run to the queue.
package fleet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/queue"
)

// Fleet determines, from the workers' announcements, which workers can run a call. Its
// methods are safe for concurrent use; readers never block.
type Fleet struct {
	now    func() Live
	missed func() []Lost

	at atomic.Pointer[snapshot]

	mu    sync.Mutex
	moved chan struct{} // closed at the next change
}

// snapshot is an immutable snapshot.
type snapshot struct {
	live  Live
	pools map[string]*poolWorkers
	// personal are the pools of single persons, by the pool whose tools they have.
	personal map[string][]string
}

// poolWorkers is the workers of one pool, grouped by their tools.
type poolWorkers struct {
	workers int
	slots   int
	kinds   []kindWorkers
	homes   []Worker
}

// kindWorkers is workers with the same tools.
type kindWorkers struct {
	kind           *Kind
	workers, slots int
}

// New returns a fleet without workers; [Fleet.Set] sets them.
func New() *Fleet {
	f := &Fleet{moved: make(chan struct{})}
	f.at.Store(&snapshot{pools: map[string]*poolWorkers{}})
	f.now = func() Live { return f.at.Load().live }
	f.missed = func() []Lost { return nil }
	return f
}

// Open follows the workers until ctx ends. Changed, which may be nil, is called
// once before it returns and then at each change, gone, which may be nil, for each pool of a
// worker that is lost.
func Open(ctx context.Context, q *queue.Queue, changed func(Live), gone func(Lost), log *zap.Logger) (*Fleet, error) {
	f := New()
	if gone == nil {
		gone = func(Lost) {}
	}
	r, err := follow(ctx, q, func(live Live) {
		f.Set(live)
		if changed != nil {
			changed(live)
		}
	}, gone, log)
	if err != nil {
		return nil, err
	}
	f.now, f.missed = r.now, r.missed
	return f, nil
}

// Set replaces the workers and wakes the goroutines that wait for a change.
func (f *Fleet) Set(live Live) {
	next := &snapshot{live: live, pools: make(map[string]*poolWorkers, len(live)), personal: map[string][]string{}}
	for pool, workers := range live {
		if base := queue.BasePool(pool); base != pool {
			next.personal[base] = append(next.personal[base], pool)
		}
		next.pools[pool] = group(workers)
		next.pools[pool].homes = live.Homes(pool)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at.Store(next)
	close(f.moved)
	f.moved = make(chan struct{})
}

func group(workers []Worker) *poolWorkers {
	c := &poolWorkers{workers: len(workers)}
	at := map[*Kind]int{}
	for _, w := range workers {
		slots := max(w.Slots, 1)
		i, ok := at[w.Tools]
		if !ok {
			i = len(c.kinds)
			at[w.Tools] = i
			c.kinds = append(c.kinds, kindWorkers{kind: w.Tools})
		}
		c.kinds[i].workers++
		c.kinds[i].slots += slots
		c.slots += slots
	}
	return c
}

// Changed returns a channel that is closed when the workers or their tools change.
func (f *Fleet) Changed() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.moved
}

// Live returns the live workers with their last announced load.
func (f *Fleet) Live() Live { return f.now() }

// Place describes where a call of a tool can run.
type Place struct {
	// Workers is the number of live workers in the pool, Able the number of those with
	// the tool.
	Workers, Able int
	// Kind is the hash of the tools of some workers that have it; empty if all workers
	// of the pool have it, or if only workers that announce no tools do.
	Kind string
}

// Anybody reports whether every worker of the pool can run the call.
func (p Place) Anybody() bool { return p.Able > 0 && p.Able == p.Workers }

// Place finds the workers of a pool that have two tools; an empty name matches any
// worker. Of several kinds it returns each in proportion to its slots.
func (f *Fleet) Place(pool, name, via string) Place {
	c := f.at.Load().pools[pool]
	if c == nil {
		return Place{}
	}
	p := Place{Workers: c.workers}
	slots, last := 0, ""
	for i := range c.kinds {
		if k := &c.kinds[i]; k.has(name, via) {
			p.Able += k.workers
			if k.kind != nil {
				slots += k.slots
				last = k.kind.Hash
			}
		}
	}
	if p.Able == p.Workers || slots == 0 {
		return p
	}
	p.Kind = last
	pick := rand.IntN(slots)
	for i := range c.kinds {
		if k := &c.kinds[i]; k.kind != nil && k.has(name, via) {
			if pick -= k.slots; pick < 0 {
				p.Kind = k.kind.Hash
				break
			}
		}
	}
	return p
}

func (k *kindWorkers) has(name, via string) bool {
	return (name == "" || k.kind.Has(name)) && (via == "" || k.kind.Has(via))
}

// Missing returns the reason why no worker of a pool can run a tool, for the end of a
// sentence.
func (p Place) Missing(pool string) string {
	switch p.Workers {
	case 0:
		return fmt.Sprintf("no worker of pool %s is running", pool)
	case 1:
		return fmt.Sprintf("the one worker of pool %s does not have this tool", pool)
	}
	return fmt.Sprintf("none of the %d workers of pool %s has this tool", p.Workers, pool)
}

// PoolFor returns where a person's calls of the tools of a pool go: the person's own pool
// while a worker of it is live, else the pool.
func (f *Fleet) PoolFor(pool, tenant, user string) string {
	at := f.at.Load()
	if len(at.personal[pool]) == 0 {
		return pool
	}
	if own := queue.PersonPool(pool, tenant, user); at.pools[own] != nil {
		return own
	}
	return pool
}

// Offered reports whether a live worker has a tool of a pool, if only for one person.
func (f *Fleet) Offered(pool, name string) bool {
	return f.Place(pool, name, "").Able > 0 || slices.ContainsFunc(f.at.Load().personal[pool], func(own string) bool {
		return f.Place(own, name, "").Able > 0
	})
}

// Homes returns the workers of a pool that persons are bound to, the oldest first. The
// caller does not change them.
func (f *Fleet) Homes(pool string) []Worker {
	if c := f.at.Load().pools[pool]; c != nil {
		return c.homes
	}
	return nil
}

// Has reports whether a worker has two tools; any worker has the empty name.
func (w *Worker) Has(name, via string) bool {
	return (name == "" || w.Tools.Has(name)) && (via == "" || w.Tools.Has(via))
}

// Serves reports whether a live worker of a pool takes calls of a lane for workers of a
// kind, or for one worker.
func (f *Fleet) Serves(pool, lane string) bool {
	c := f.at.Load().pools[pool]
	if c == nil {
		return false
	}
	for _, k := range c.kinds {
		if k.kind != nil && queue.LaneOfKind(k.kind.Hash) == lane {
			return true
		}
	}
	return slices.ContainsFunc(c.homes, func(w Worker) bool { return queue.ServesHome(w.Home, lane) })
}

// Version is one version of a tool and the number of live workers of its pool with it.
type Version struct {
	ToolVersion
	Workers int
}

// Versions returns the versions of a tool that live workers of a pool have.
func (f *Fleet) Versions(pool, name string) []Version {
	c := f.at.Load().pools[pool]
	if c == nil {
		return nil
	}
	var list []Version
kinds:
	for _, k := range c.kinds {
		t, ok := k.kind.Tool(name)
		if !ok {
			continue
		}
		for i := range list {
			if list[i].Hash == t.Hash {
				list[i].Workers += k.workers
				continue kinds
			}
		}
		list = append(list, Version{t, k.workers})
	}
	return list
}
