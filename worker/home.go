package worker

import (
	"path"
	"reflect"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/toolbox"
)

// platform is the module path of Helve itself.
func platform() string { return path.Dir(reflect.TypeFor[Program]().PkgPath()) }

// buildInfo returns the path of the main module; empty where the build does not say.
func buildInfo() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return info.Main.Path
}

var (
	majorVersion = regexp.MustCompile(`/v[0-9]+$`)
	notInName    = regexp.MustCompile(`[^A-Za-z0-9_-]+`)
)

// longestPool is the longest name of a pool.
const longestPool = 64

// moduleOf returns the pool that is named after a module: the last element of its path.
// It is toolbox.DefaultPool for Helve itself, and where nothing of the path can be a name.
func moduleOf(module string) string {
	if module == "" || module == platform() {
		return toolbox.DefaultPool
	}
	last := path.Base(majorVersion.ReplaceAllString(module, ""))
	name := strings.Trim(notInName.ReplaceAllString(last, "-"), "-")
	if name == "" {
		return toolbox.DefaultPool
	}
	return name[:min(len(name), longestPool)]
}

// pools returns the pools of a program that is told none: those its tools name, and own
// for tools that name none or come later.
func (p Program) pools(own string) []string {
	if own == toolbox.DefaultPool {
		return []string{toolbox.DefaultPool}
	}
	var pools []string
	unnamed := p.Started != nil || len(p.Sets) == 0
	for _, set := range p.Sets {
		for _, t := range set.Tools() {
			if t.Pooled() {
				pools = append(pools, t.Pool)
			} else {
				unnamed = true
			}
		}
	}
	if unnamed {
		pools = append(pools, own)
	}
	slices.Sort(pools)
	return slices.Compact(pools)
}

// homeOf returns the pool of the tools that name none, in a worker of those pools: the
// program's own, else the default one, else the first.
func homeOf(own string, pools []string) string {
	switch {
	case slices.Contains(pools, own), len(pools) == 0:
		return own
	case slices.Contains(pools, toolbox.DefaultPool):
		return toolbox.DefaultPool
	}
	if own == toolbox.DefaultPool {
		return own // Helve's own tools stay in their pool, whatever its worker takes
	}
	return pools[0]
}
