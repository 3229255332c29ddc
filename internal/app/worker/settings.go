package worker

import (
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/lib/nearest"
	"github.com/helve-dev/helve/internal/policy/ratelimit"
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/tool"
)

// warnAboutSettings logs settings that have no effect: pools in which this worker has no tools,
// and names of groups and tools that nothing has now, with the nearest name. They are no
// errors: a script or a server outside may bring them later.
func warnAboutSettings(t *toolbox.Toolbox, cfg config.Config, log *zap.Logger) {
	all, own := t.All.Shared.All(), t.Definitions()
	for i := range own {
		all = append(slices.Clip(all), &own[i])
	}
	if len(own) == 0 {
		log.Warn("worker has no tools", zap.Strings("pools", cfg.Worker.Pools), zap.Strings("pools_with_tools", poolsOf(all)),
			zap.String("advice",
				"none of its tools belongs to one of its pools, so it runs no calls; set worker.pools (--pools), or the pool of the tools"))
	}
	groups, names := catalog.BuiltinGroups(), []string{}
	for _, def := range all {
		groups, names = append(groups, def.Group), append(names, def.Name)
	}
	for _, entry := range cfg.Groups {
		who, _, _ := strings.Cut(entry, "=")
		_, group, ofTenant := strings.Cut(who, ":")
		if !ofTenant {
			group = who
		}
		if !slices.Contains(groups, group) {
			log.Warn("switched group not known",
				zap.String("setting", "groups (--group)"), zap.String("group", group), zap.String("nearest", closest(group, groups)))
		}
	}
	for _, text := range cfg.RateLimits {
		rule, err := ratelimit.Parse(text)
		if err != nil {
			continue // it was refused before
		}
		if prefix, pattern := strings.CutSuffix(rule.Tool, "*"); !slices.ContainsFunc(all, func(def *tool.Definition) bool {
			return def.Name == rule.Tool || pattern && strings.HasPrefix(def.Name, prefix)
		}) && !known(t, rule.Tool) {
			log.Warn("rate limited tool not known",
				zap.String("setting", "rate_limits (--rate-limit)"), zap.String("tool", rule.Tool), zap.String("nearest", closest(rule.Tool, names)))
		}
	}
}

// known reports whether a name is an alias of a tool.
func known(t *toolbox.Toolbox, name string) bool {
	_, err := t.Lookup("default", "", name)
	return err == nil
}

// poolsOf returns the pools of some tools, in order.
func poolsOf(defs []*tool.Definition) []string {
	pools := []string{}
	for _, def := range defs {
		pools = append(pools, def.Pool)
	}
	slices.Sort(pools)
	return slices.Compact(pools)
}

// closest returns the name that differs least from a name; empty if none is near.
func closest(name string, names []string) (best string) {
	least := max(len(name)/3, 1) + 1
	for _, n := range names {
		if d := nearest.Distance(strings.ToLower(name), strings.ToLower(n), least); d < least {
			best, least = n, d
		}
	}
	return best
}
