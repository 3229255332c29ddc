package api

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Fleet tracks the live workers and their tools.
type Fleet interface {
	// Live returns the live workers of each pool, with their last announced load.
	Live() fleet.Live
	// Place finds the workers of a pool that have a tool; via is empty.
	Place(pool, name, via string) fleet.Place
	// Versions returns the versions of a tool that live workers of a pool have.
	Versions(pool, name string) []fleet.Version
	// Offered reports whether a live worker has a tool of a pool, if only for one person.
	Offered(pool, name string) bool
}

func (s *Service) listWorkers(_ context.Context, in Input) (Reply, error) {
	if s.Fleet == nil {
		return Reply{}, Unavailable("this dispatcher does not follow the workers")
	}
	brief, err := flag("brief", in.Params["brief"])
	if err != nil {
		return Reply{}, err
	}
	list := workersOf(s.Fleet.Live(), in.Params["pool"])
	if brief {
		list.Kinds = []protocol.WorkerKind{}
	}
	return answer(list)
}

// workersOf lists the workers by ID, and the kinds by pool and hash. If only is not
// empty, it restricts them to that pool.
func workersOf(live fleet.Live, only string) protocol.WorkerList {
	workers, kinds := map[string]*protocol.Worker{}, map[[2]string]*protocol.WorkerKind{}
	for _, pool := range slices.Sorted(maps.Keys(live)) {
		for _, w := range live[pool] {
			if only != "" && pool != only {
				continue
			}
			is := workers[w.ID]
			if is == nil {
				is = &protocol.Worker{
					ID:        w.ID,
					Version:   w.Version,
					Since:     w.Since,
					Slots:     w.Slots,
					Workspace: w.Workspace,
					Kinds:     map[string]string{},
					State:     protocol.WorkerPaused,
				}
				workers[w.ID] = is
			}
			is.Pools, is.Busy, is.Rate, is.Tools = append(is.Pools, pool), is.Busy+w.Busy, is.Rate+w.Rate, is.Tools+w.Tools.Len()
			if w.Paused {
				is.Paused = append(is.Paused, pool)
			} else {
				is.State = protocol.WorkerRunning
			}
			if w.Kind == "" {
				continue
			}
			is.Kinds[pool] = w.Kind
			kind := kinds[[2]string{pool, w.Kind}]
			if kind == nil {
				kind = &protocol.WorkerKind{Pool: pool, Kind: w.Kind, Tools: toolsOf(w.Tools)}
				kinds[[2]string{pool, w.Kind}] = kind
			}
			kind.Workers++
		}
	}
	list := protocol.WorkerList{Workers: []protocol.Worker{}, Kinds: []protocol.WorkerKind{}}
	for _, id := range slices.Sorted(maps.Keys(workers)) {
		list.Workers = append(list.Workers, *workers[id])
	}
	for _, kind := range kinds {
		list.Kinds = append(list.Kinds, *kind)
	}
	slices.SortFunc(list.Kinds, func(a, b protocol.WorkerKind) int {
		return cmp.Or(cmp.Compare(a.Pool, b.Pool), cmp.Compare(a.Kind, b.Kind))
	})
	return list
}

func toolsOf(kind *fleet.Kind) []protocol.WorkerTool {
	list := []protocol.WorkerTool{}
	for _, t := range kind.Tools() {
		list = append(list, protocol.WorkerTool{Name: t.Name, Version: t.Version, Hash: t.Hash})
	}
	return list
}

// detail adds the workers' announcements to a definition.
func (s *Service) detail(def *tool.Definition) protocol.ToolDetail {
	d := protocol.ToolDetail{Tool: *def}
	if d.Unavailable = s.unavailable(def); d.Unavailable != "" {
		d.Enabled = false
	}
	if s.Fleet == nil {
		return d
	}
	for _, v := range s.Fleet.Versions(def.Pool, def.Name) {
		d.Versions = append(d.Versions, protocol.VersionOnWorkers{Version: v.Version, Hash: v.Hash, Workers: v.Workers})
	}
	return d
}

// unavailable returns the reason why no live worker can run a tool; empty if one can.
// Stored tools and tools of other processes run on any worker and are tracked
// elsewhere.
func (s *Service) unavailable(def *tool.Definition) string {
	if s.Fleet == nil || def.Kind == tool.KindDynamic || def.Kind == tool.KindRemote {
		return ""
	}
	if p := s.Fleet.Place(def.Pool, def.Name, ""); p.Able == 0 && !s.Fleet.Offered(def.Pool, def.Name) {
		return p.Missing(def.Pool)
	}
	return ""
}

// marked returns the definitions; those without a live worker are disabled.
func (s *Service) marked(defs []*tool.Definition) []*tool.Definition {
	for i, def := range defs {
		if s.unavailable(def) == "" {
			continue
		}
		off := *def
		off.Enabled = false
		defs[i] = &off
	}
	return defs
}

// runnable returns the definitions with a live worker, so that models are offered only
// tools they can call.
func (s *Service) runnable(defs []*tool.Definition) []*tool.Definition {
	return slices.DeleteFunc(defs, func(def *tool.Definition) bool { return s.unavailable(def) != "" })
}
