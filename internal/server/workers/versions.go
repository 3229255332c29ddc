package workers

import (
	"cmp"
	"slices"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/telemetry"
)

// versions reports tools that live workers of a pool have with different parameters
// under one version: the definition does not show which of them a call gets.
type versions struct {
	kit   *telemetry.Kit
	known map[conflict]bool
	pools map[string]bool
}

type conflict struct{ pool, tool, version string }

func newVersions(kit *telemetry.Kit) *versions {
	return &versions{kit: kit, known: map[conflict]bool{}, pools: map[string]bool{}}
}

// compare logs each new conflict once and sets the metric of every pool seen so far.
func (v *versions) compare(live fleet.Live) {
	found, counts := map[conflict]bool{}, map[string]int{}
	for pool, workers := range live {
		v.pools[pool] = true
		for c := range conflictsOf(pool, workers) {
			found[c] = true
			counts[pool]++
		}
	}
	for _, c := range sorted(found) {
		if !v.known[c] {
			v.kit.Log.Error("workers of a pool have a tool with different parameters under one version; give it another version",
				zap.String("pool", c.pool), zap.String("tool", c.tool), zap.String("version", c.version))
		}
	}
	v.known = found
	for pool := range v.pools {
		v.kit.Metrics.VersionConflicts(pool, counts[pool])
	}
}

func conflictsOf(pool string, workers []fleet.Worker) map[conflict]bool {
	schemas, found, seen := map[conflict]string{}, map[conflict]bool{}, map[*fleet.Kind]bool{}
	for _, w := range workers {
		if w.Tools == nil || seen[w.Tools] {
			continue
		}
		seen[w.Tools] = true
		for _, t := range w.Tools.Tools() {
			c := conflict{pool, t.Name, t.Version}
			if other, ok := schemas[c]; ok && other != t.Schema {
				found[c] = true
			}
			schemas[c] = t.Schema
		}
	}
	return found
}

func sorted(found map[conflict]bool) []conflict {
	list := make([]conflict, 0, len(found))
	for c := range found {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b conflict) int {
		return cmp.Or(cmp.Compare(a.pool, b.pool), cmp.Compare(a.tool, b.tool), cmp.Compare(a.version, b.version))
	})
	return list
}
