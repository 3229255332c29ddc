package worker

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/catalog"
	"github.com/helve-dev/helve/internal/directory"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/upstream"
	"github.com/helve-dev/helve/tool"
)

// servers are the MCP servers of this worker: what they offer, and what dispatchers are
// told of it.
type servers struct {
	w        *Worker
	pool     *upstream.Pool
	options  upstream.Options
	problems []upstream.Problem // of the file

	changing sync.Mutex
	offered  []tool.Definition // as last registered
	pruned   bool
}

// openUpstream reads the file of MCP servers, if there is one.
func (w *Worker) openUpstream() error {
	if w.cfg.MCPFile == "" {
		return nil
	}
	list, problems, err := upstream.Read(w.cfg.MCPFile, os.LookupEnv)
	if err != nil {
		return fmt.Errorf("mcp_file: %w", err)
	}
	w.upstream = &servers{w: w, problems: problems}
	list = slices.DeleteFunc(list, func(s upstream.Server) bool {
		if s.Pool == "" || slices.Contains(w.cfg.Worker.Pools, s.Pool) {
			return false
		}
		w.upstream.problems = append(w.upstream.problems, upstream.Problem{Server: s.Name, Reason: fmt.Sprintf("this worker takes no calls of the pool %.64s", s.Pool)})
		return true
	})
	for _, p := range w.upstream.problems {
		w.kit.Log.Warn("an MCP server is not as it should be", zap.String("mcp_server", p.Server), zap.String("reason", p.Reason), zap.Bool("used", p.Warning))
	}
	w.upstream.options = upstream.Options{
		Servers: list, Worker: w.ID(), Pool: w.cfg.Worker.Pools[0], Version: telemetry.Version(),
		Permissions: w.cfg.Policy.Permissions, AllowHosts: w.cfg.AllowHosts, Metrics: w.kit.Metrics, Log: w.kit.Log,
	}
	return nil
}

// firstTry bounds how long the start of a worker waits for its MCP servers. Those that
// take longer have their tools when they are there.
const firstTry = 10 * time.Second

// follow starts the servers, and registers what they offer whenever that changes, until
// close.
func (s *servers) follow(life context.Context) error {
	bucket, err := s.w.bus.Bucket(life, bus.BucketUpstream)
	if err != nil {
		return err
	}
	ready := make(chan struct{})
	s.options.Bucket = bucket
	s.options.Changed = func(ctx context.Context) {
		select {
		case <-ready:
			s.changed(ctx)
		case <-ctx.Done():
		}
	}
	if s.pool, err = upstream.Open(life, s.options); err != nil {
		return fmt.Errorf("MCP servers: %w", err)
	}
	s.w.tools.upstream = s.pool
	close(ready)
	bounded, cancel := context.WithTimeout(life, firstTry)
	defer cancel()
	s.pool.Tried(bounded)
	s.changed(life)
	return nil
}

// changed lets calls have what the servers offer now, and tells dispatchers.
func (s *servers) changed(life context.Context) {
	s.changing.Lock()
	defer s.changing.Unlock()
	ctx, cancel := context.WithTimeout(life, registerTimeout)
	defer cancel()
	state, before := s.pool.State(), s.offered
	refused, err := s.w.tools.serve(state.Tools)
	if err != nil {
		s.w.kit.Log.Error("what MCP servers offer is not usable; the old tools stay", zap.Error(err))
		return
	}
	list := loadErrors(append(slices.Clip(s.problems), state.Problems...))
	s.offered = state.Withheld
	for _, t := range state.Tools {
		if why := refused[t.Name]; why != nil {
			list = append(list, catalog.LoadError{File: t.Group, Reason: fmt.Sprintf("%s: %s", t.Name, why)})
			continue
		}
		s.offered = append(s.offered, t.Definition)
	}
	err = directory.Register(ctx, s.w.bus, s.offered)
	if err == nil {
		err = directory.Unregister(ctx, s.w.bus, gone(before, s.offered, s.w.tools))
	}
	if err == nil {
		err = s.prune(ctx, state.Listed)
	}
	if err != nil && life.Err() == nil {
		s.w.kit.Log.Error("tools of MCP servers run here, but dispatchers could not be told", zap.Error(err))
	}
	s.w.loads.report(ctx, &s.w.loads.upstream, list)
}

// prune removes, once all servers have said what they have, what is registered of
// servers and tools that are gone.
func (s *servers) prune(ctx context.Context, listed []string) error {
	if s.pruned || len(listed) < len(s.options.Servers) {
		return nil
	}
	err := directory.Prune(ctx, s.w.bus, s.w.cfg.Worker.Pools, func(def *tool.Definition) bool {
		return def.Kind == tool.KindMCP && !slices.ContainsFunc(s.offered, func(d tool.Definition) bool { return d.Name == def.Name })
	})
	s.pruned = err == nil
	return err
}

// loadErrors are problems as they are listed.
func loadErrors(problems []upstream.Problem) []catalog.LoadError {
	var list []catalog.LoadError
	for _, p := range problems {
		if p.Warning {
			continue
		}
		reason := p.Reason
		if p.Tool != "" {
			reason = fmt.Sprintf("%s: %s", p.Tool, p.Reason)
		}
		list = append(list, catalog.LoadError{File: upstream.GroupOf(p.Server), Reason: reason})
	}
	return list
}

// close ends all servers.
func (s *servers) close() {
	if s != nil && s.pool != nil {
		s.pool.Close()
	}
}
