package workers

import (
	"context"
	"maps"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/telemetry"
)

// Follow follows the live workers, and reports pools whose workers have
// different workspaces directories: in the log once for each change, as a metric, and
// on /readyz. It returns which pools have lanes too.
// Came is called when a worker is new. A worker that is lost is logged.
func Follow(
	life context.Context, q *queue.Queue, kit *telemetry.Kit, cat *catalog.Tenants, came func(),
) (*fleet.Fleet, error) {
	v, n := newVersions(kit), newcomers{}
	s := splits{kit: kit, known: map[string]bool{}}
	fleet, err := fleet.Open(life, q, func(live fleet.Live) {
		s.compare(live)
		v.compare(live)
		n.compare(live, came)
	}, func(l fleet.Lost) {
		kit.Log.Warn("worker lost", zap.String("worker", l.ID), zap.Strings("pools", l.Pools), zap.Int("busy", l.Busy),
			zap.String("advice", "it was killed or is cut off from NATS; its calls run again on other workers or end in outcome_unknown"))
	}, kit.Log)
	if err == nil {
		report(life, kit, cat, fleet)
	}
	return fleet, err
}

// splits is the state that was last reported, by pool.
type splits struct {
	kit   *telemetry.Kit
	known map[string]bool
}

func (s splits) compare(live fleet.Live) {
	split := live.Split()
	for pool := range live {
		if _, ok := s.known[pool]; !ok {
			s.known[pool] = false
			s.kit.Metrics.WorkspacesSplit(pool, false)
		}
	}
	changed := false
	for pool, was := range s.known {
		is := slices.Contains(split, pool)
		if is == was {
			continue
		}
		changed, s.known[pool] = true, is
		s.kit.Metrics.WorkspacesSplit(pool, is)
		if is {
			s.kit.Log.Error("workers of a pool do not share workspaces: tools that use files fail on some of them",
				zap.String("advice", "put the workspaces on one shared volume, or set worker.affinity to user"),
				zap.String("pool", pool), zap.Int("workers", len(live[pool])), zap.Int("directories", len(live.Workspaces(pool))))
		} else {
			s.kit.Log.Info("workers of a pool share workspaces again", zap.String("pool", pool))
		}
	}
	if changed {
		s.kit.Health.Describe("workspaces", describe(split))
	}
}

func describe(split []string) string {
	if len(split) == 0 {
		return "shared"
	}
	return "not shared by the workers of " + strings.Join(split, ", ")
}

// newcomers are the workers that are live, by id.
type newcomers map[string]bool

// compare calls came once if a worker is new.
func (n newcomers) compare(live fleet.Live, came func()) {
	now, news := map[string]bool{}, false
	for _, workers := range live {
		for _, w := range workers {
			news = news || !n[w.ID]
			now[w.ID] = true
		}
	}
	clear(n)
	maps.Copy(n, now)
	if news {
		came()
	}
}

// report reports the live workers of each pool: of pools that had workers, and of those whose
// tools are in the catalogue. The pools of single persons are left out.
func report(life context.Context, kit *telemetry.Kit, cat *catalog.Tenants, live *fleet.Fleet) {
	context.AfterFunc(life, kit.Metrics.Read(func(set telemetry.Set) {
		for _, def := range cat.Of("", "").All() {
			set(telemetry.PoolWorkers, 0, def.Pool)
			set(telemetry.PoolWorkerSlots, 0, def.Pool)
		}
		for pool, workers := range live.Live() {
			if queue.BasePool(pool) != pool {
				continue
			}
			slots := 0
			for _, w := range workers {
				slots += w.Slots
			}
			set(telemetry.PoolWorkers, float64(len(workers)), pool)
			set(telemetry.PoolWorkerSlots, float64(slots), pool)
		}
	}))
}
