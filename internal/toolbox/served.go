package toolbox

import (
	"context"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/fleet/catalogsync"
	"github.com/helve-dev/helve/tool"
)

// Served offers the tools that a part has from elsewhere, such as MCP servers, and keeps
// dispatchers informed of them. One goroutine at a time may use it.
type Served struct {
	Host Host
	// Part is the name of the part, Kind the kind of its tools.
	Part, Kind string

	registered []tool.Definition
	pruned     bool
}

// registerTimeout bounds registering a change.
const registerTimeout = 30 * time.Second

// Offer lets calls have the tools in place of those offered before, and returns those that
// cannot be offered, by name. An error leaves everything as it was.
func (s *Served) Offer(tools []*tool.Tool) (refused map[string]error, err error) {
	for i, t := range tools {
		tools[i] = s.Host.Tools.Home(t)
	}
	return s.Host.Tools.Serve(s.Part, tools)
}

// Register makes dispatchers list these definitions, and no longer those that it registered
// before, and reports whether it could. A disabled definition, of a tool that is withheld,
// replaces no other tool. Once complete is set, it also removes what earlier workers
// registered and no worker has.
func (s *Served) Register(life context.Context, defs []tool.Definition, complete bool) bool {
	ctx, cancel := context.WithTimeout(life, registerTimeout)
	defer cancel()
	defs = slices.DeleteFunc(defs, func(def tool.Definition) bool { return !def.Enabled && s.Host.Tools.Taken(def.Name) })
	before := s.registered
	s.registered = defs
	err := catalogsync.Register(ctx, s.Host.Queue, defs)
	if err == nil {
		err = catalogsync.Unregister(ctx, s.Host.Queue, Gone(before, defs, s.Host.Tools))
	}
	if err == nil && complete && !s.pruned {
		err = s.prune(ctx)
	}
	if err != nil && life.Err() == nil {
		s.Host.Log.Error("tools run here, but dispatchers were not informed", zap.String("part", s.Part), zap.Error(err))
	}
	return err == nil
}

func (s *Served) prune(ctx context.Context) error {
	there := namesOf(s.registered)
	err := catalogsync.Prune(ctx, s.Host.Queue, s.Host.Config.Worker.Pools, func(def *tool.Definition) bool {
		return def.Kind == s.Kind && !s.Host.Tools.Elsewhere(def) && !there[def.Name]
	})
	s.pruned = err == nil
	return err
}
