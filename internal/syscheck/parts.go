package syscheck

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/device"
	"github.com/helve-dev/helve/protocol"
)

// ids returns the IDs of the live workers, in order.
func (c *Checker) ids() []string {
	var ids []string
	for _, workers := range c.Live() {
		for _, w := range workers {
			ids = append(ids, w.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func (c *Checker) workers(context.Context) []protocol.Finding {
	live := c.Live()
	if len(live) == 0 {
		return failure("start a worker; if some run, see whether they reach this NATS server", "no worker is running: calls wait in the queue, or are refused")
	}
	if split := live.Split(); len(split) > 0 {
		return failure("put the workspaces of all workers of a pool on one shared volume, or set worker.affinity to user (docs/deploy.md)",
			"the workers of %s do not share their workspaces: tools that use files fail on some of them", strings.Join(split, ", "))
	}
	return ok("%d are running", len(c.ids()))
}

// oldCalls is the age of the oldest waiting call above which a pool has too few workers.
const oldCalls = 30 * time.Second

func (c *Checker) pools(ctx context.Context) []protocol.Finding {
	states, err := c.Queue.Calls.Pools(ctx)
	if err != nil {
		return away(err)
	}
	paused, err := c.Paused(ctx)
	if err != nil {
		return away(err)
	}
	live := c.Live()
	var found []protocol.Finding
	for _, name := range slices.Sorted(maps.Keys(paused)) {
		found = append(found, warning("`helve workers resume --pool "+name+"` ends it", "pool %s has been paused since %s by %s", name, paused[name].At.Format(time.RFC3339), paused[name].By)...)
	}
	for _, name := range slices.Sorted(maps.Keys(states)) {
		s := states[name]
		switch {
		case s.Backlog > 0 && len(live[name]) == 0:
			found = append(found, failure("start workers of the pool (worker.pools)", "%d calls wait in pool %s, which has no worker", s.Backlog, name)...)
		case s.Backlog > 0 && time.Since(s.Oldest) > oldCalls:
			found = append(found, warning("start more workers of the pool, or see with `helve top` which calls take its slots", "%d calls wait in pool %s, the oldest for %s", s.Backlog, name, time.Since(s.Oldest).Round(time.Second))...)
		}
	}
	if found == nil {
		found = ok("%d have a queue, and no call waits long", len(states))
	}
	return found
}

func (c *Checker) versions(context.Context) []protocol.Finding {
	others := map[string]int{}
	for _, workers := range c.Live() {
		for _, w := range workers {
			if w.Version != "" && w.Version != c.Version {
				others[w.Version]++
			}
		}
	}
	if len(others) > 0 {
		return warning("finish the update: run the same version everywhere", "this dispatcher is %s, but workers are %s", c.Version, strings.Join(slices.Sorted(maps.Keys(others)), ", "))
	}
	return ok("this dispatcher and all workers are %s", c.Version)
}

func (c *Checker) database(ctx context.Context) []protocol.Finding {
	if err := c.Index(ctx); err != nil {
		return failure("see whether the database of store.url runs and accepts this dispatcher; no record is lost, the index catches up", "the audit index cannot be read: %v", err)
	}
	return ok("the audit index answers")
}

func (c *Checker) keys(ctx context.Context) []protocol.Finding {
	published, err := c.SealKey(ctx)
	switch {
	case err != nil:
		return away(err)
	case !published:
		return failure("restart this dispatcher, which publishes it", "the key that this dispatcher seals with is not published: its seals cannot be verified")
	}
	return ok("the key that this dispatcher seals with is published")
}

func (c *Checker) disk(context.Context) []protocol.Finding {
	space, err := device.Of(c.Data)
	switch {
	case err != nil:
		return warning("see whether the data directory exists and is readable", "the device of %s is not readable: %v", c.Data, err)
	case space.Full():
		return failure("make room on the device", "the device of the data directory is full: %d MiB are free", space.Free>>20)
	case space.Total > 0 && float64(space.Free) < (1-fullWarned)*float64(space.Total):
		return warning("make room on the device", "the device of the data directory is filled to %.0f %%", 100-100*float64(space.Free)/float64(space.Total))
	}
	return ok("%d MiB are free on the device of the data directory", space.Free>>20)
}
