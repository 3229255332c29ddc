package syscheck

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/x/device"
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
		return append(about("HelvePoolWithoutWorkers", failure(
			"start a worker; if some run, see whether they reach this NATS server", "no worker is running: calls wait in the queue, or are refused",
		)), c.lost()...)
	}
	found := c.lost()
	if split := live.Split(); len(split) > 0 {
		found = append(found,
			failure("put the workspaces of all workers of a pool on one shared volume, or set worker.affinity to user (docs/deploy.md)",
				"the workers of %s do not share their workspaces: tools that use files fail on some of them", strings.Join(split, ", "))...)
	}
	if found != nil {
		return found
	}
	return ok("%d are running", len(c.ids()))
}

// oldCalls is the age of the oldest waiting call above which a pool has too few workers.
const oldCalls = 30 * time.Second

func (c *Checker) pools(ctx context.Context) []protocol.Finding {
	states, err := c.Queue.Inspector.Pools(ctx)
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
		found = append(found,
			on(name, warning("`helve workers resume --pool "+name+"` ends it", "pool %s has been paused since %s by %s",
				name, paused[name].At.Format(time.RFC3339), paused[name].By))...)
	}
	for _, name := range slices.Sorted(maps.Keys(states)) {
		s := states[name]
		switch {
		case s.Backlog > 0 && len(live[name]) == 0:
			found = append(found,
				on(name, about("HelvePoolWithoutWorkers",
					failure("start workers of the pool (worker.pools)", "%d calls wait in pool %s, which has no worker", s.Backlog, name)))...)
		case s.Backlog > 0 && time.Since(s.Oldest) > oldCalls:
			found = append(found,
				on(name, about("HelveOldestCallTooOld",
					warning("start more workers of the pool, or see with `helve top` which calls take its slots",
						"%d calls wait in pool %s, the oldest for %s", s.Backlog, name, time.Since(s.Oldest).Round(time.Second))))...)
		}
	}
	if found == nil {
		found = ok("%d have a queue, and no call waits long", len(states))
	}
	return found
}

// versions compares the programs. The servers of NATS are not compared: a client learns the
// version of the one it is connected to only.
func (c *Checker) versions(ctx context.Context) []protocol.Finding {
	dispatchers, err := c.Queue.API.Dispatchers(ctx)
	if err != nil {
		return away(err)
	}
	others, workers := map[string]bool{}, 0
	for _, version := range dispatchers {
		if version != c.Version {
			others["dispatchers "+shortened(version)] = true
		}
	}
	for _, pool := range c.Live() {
		for _, w := range pool {
			if workers++; w.Version != "" && w.Version != c.Version {
				others["workers "+shortened(w.Version)] = true
			}
		}
	}
	if len(others) > 0 {
		return warning("finish the update: run the same version everywhere",
			"this dispatcher is %s, but other processes are not: %s", c.Version, strings.Join(slices.Sorted(maps.Keys(others)), ", "))
	}
	return ok("%d dispatchers and all workers are %s; NATS is %s", len(dispatchers), c.Version, c.Queue.Conn.NATS().ConnectedServerVersion())
}

// shortened bounds a text of another process.
func shortened(text string) string { return fmt.Sprintf("%.60s", text) }

func (c *Checker) database(ctx context.Context) []protocol.Finding {
	if err := c.Index(ctx); err != nil {
		return about("HelveAuditIndexBehind",
			failure("see whether the database of store.url runs and accepts this dispatcher; no record is lost, the index catches up",
				"the audit index cannot be read: %v", err))
	}
	return ok("the audit index answers")
}

func (c *Checker) keys(ctx context.Context) []protocol.Finding {
	published, err := c.SealKey(ctx)
	switch {
	case err != nil:
		return away(err)
	case !published:
		return failure("restart this dispatcher, which publishes it",
			"the key that this dispatcher seals with is not published: its seals cannot be verified")
	}
	return ok("the key that this dispatcher seals with is published")
}

func (c *Checker) disk(ctx context.Context) []protocol.Finding {
	return append(c.ownDisk(), c.natsDisk(ctx)...)
}

func (c *Checker) ownDisk() []protocol.Finding {
	space, err := device.Of(c.Data)
	switch {
	case err != nil:
		return warning("see whether the data directory exists and is readable", "the device of %s is not readable: %v", c.Data, err)
	case space.Full():
		return failure("make room on the device", "the device of the data directory is full: %d MiB are free", space.Free>>20)
	case space.Total > 0 && float64(space.Free) < (1-fullWarned)*float64(space.Total):
		return warning("make room on the device",
			"the device of the data directory is filled to %.0f %%", 100-100*float64(space.Free)/float64(space.Total))
	}
	return ok("%d MiB are free on the device of the data directory", space.Free>>20)
}

// natsDisk compares what JetStream stores for Helve with the bound of its account.
func (c *Checker) natsDisk(ctx context.Context) []protocol.Finding {
	used, limit, err := c.Queue.Storage(ctx)
	switch {
	case err != nil:
		return away(err)
	case limit == 0:
		return ok("the streams hold %d MiB on the disks of NATS; the account has no bound (`helve nats-auth server --max-disk`)", used>>20)
	case float64(used) >= fullWarned*float64(limit):
		return about("HelveJetStreamFull",
			warning("raise the volumes of NATS and --max-disk of `helve nats-auth server`, or shorten streams.results_max_age and audit.max_age",
				"the streams hold %.0f %% of the disks of NATS: %d of %d MiB", 100*float64(used)/float64(limit), used>>20, limit>>20))
	}
	return ok("the streams hold %d of %d MiB on the disks of NATS", used>>20, limit>>20)
}
