package mcp

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/internal/toolbox/upstream"
	"github.com/helve-dev/helve/internal/x/version"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// servers are the MCP servers of this worker: what they offer, and what dispatchers are
// told of it.
type servers struct {
	host     toolbox.Host
	pool     *upstream.Pool
	options  upstream.Options
	problems []upstream.Problem // of the file

	changing sync.Mutex
	served   toolbox.Served
}

// openServers reads the file of MCP servers.
func openServers(host toolbox.Host) (*servers, error) {
	list, problems, err := upstream.Read(host.Config.MCPFile, os.LookupEnv)
	if err != nil {
		return nil, fmt.Errorf("mcp_file: %w", err)
	}
	opened := &servers{host: host, problems: problems, served: toolbox.Served{Host: host, Part: toolbox.MCP, Kind: tool.KindMCP}}
	list = slices.DeleteFunc(list, func(s upstream.Server) bool {
		if s.Pool == "" || slices.Contains(host.Config.Worker.Pools, s.Pool) {
			return false
		}
		opened.problems = append(opened.problems, upstream.Problem{
			Server: s.Name, Reason: fmt.Sprintf("this worker takes no calls of the pool %.64s", s.Pool),
		})
		return true
	})
	for _, p := range opened.problems {
		host.Log.Warn("an MCP server is not as it should be",
			zap.String("mcp_server", p.Server), zap.String("reason", p.Reason), zap.Bool("used", p.Warning))
	}
	opened.options = upstream.Options{
		Servers: list, Worker: host.Worker, Pool: host.Config.Worker.Pools[0], Version: version.String(),
		Permissions: host.Config.Policy.Permissions, AllowHosts: host.Config.AllowHosts, Metrics: host.Metrics, Log: host.Log,
		Trace: host.TraceMCP,
	}
	return opened, nil
}

// firstTry bounds how long the start of a worker waits for its MCP servers. Those that
// take longer have their tools when they are there.
const firstTry = 10 * time.Second

// follow starts the servers, and registers what they offer whenever that changes, until
// close.
func (s *servers) follow(life context.Context) error {
	bucket, err := s.host.Queue.Conn.Bucket(life, streams.BucketUpstream)
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
	state := s.pool.State()
	refused, err := s.served.Offer(state.Tools)
	if err != nil {
		s.host.Log.Error("what MCP servers offer is not usable; the old tools stay", zap.Error(err))
		return
	}
	list := loadErrors(append(slices.Clip(s.problems), state.Problems...))
	offered := state.Withheld
	for _, t := range state.Tools {
		if why := refused[t.Name]; why != nil {
			list = append(list, protocol.LoadError{File: t.Group, Reason: fmt.Sprintf("%s: %s", t.Name, why)})
			continue
		}
		offered = append(offered, t.Definition)
	}
	s.served.Register(life, offered, len(state.Listed) == len(s.options.Servers))
	s.host.Report(life, toolbox.MCP, list)
}

// loadErrors returns problems as load errors.
func loadErrors(problems []upstream.Problem) []protocol.LoadError {
	var list []protocol.LoadError
	for _, p := range problems {
		if p.Warning {
			continue
		}
		reason := p.Reason
		if p.Tool != "" {
			reason = fmt.Sprintf("%s: %s", p.Tool, p.Reason)
		}
		list = append(list, protocol.LoadError{File: upstream.GroupOf(p.Server), Reason: reason})
	}
	return list
}

// close ends all servers.
func (s *servers) close() {
	if s.pool != nil {
		s.pool.Close()
	}
}

// refuses returns why a tool is withheld. There is none before follow.
func (s *servers) refuses(name string) *tool.Error {
	if s.pool == nil {
		return nil
	}
	return s.pool.Refuses(name)
}
