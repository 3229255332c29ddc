package javascript

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/fleet/catalogsync"
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/js/library"
	"github.com/helve-dev/helve/internal/toolbox/js/manifest"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// scripts are the tools of this worker's tools directories: what is loaded of
// them, and what dispatchers are told of it.
type scripts struct {
	host    toolbox.Host
	library *library.Library

	changing sync.Mutex
	offered  []tool.Definition // of the directories, as last registered
	refused  []protocol.LoadError
}

// openScripts loads the tools directories; it returns nil if there are none.
func openScripts(host toolbox.Host, budget *js.Budget) (*scripts, error) {
	if len(host.Config.ToolsDirs) == 0 {
		return nil, nil
	}
	lib, err := library.Open(library.Options{
		Dirs: host.Config.ToolsDirs, Taken: host.Tools.Builtin, AllowOverride: host.Config.ToolsOverride, Env: toolEnv(host.Config.ToolEnv),
		Check: host.Tools.Check, Budget: budget, Console: console{host.Log}.line, Log: host.Log,
	})
	if err != nil {
		return nil, err
	}
	s := &scripts{host: host, library: lib}
	return s, s.shelve()
}

// toolEnv is the configured values by tool and name. Validation has seen them.
func toolEnv(entries []string) map[string]map[string]string {
	env := map[string]map[string]string{}
	for _, entry := range entries {
		name, variable, value, _ := config.SplitToolEnv(entry)
		if env[name] == nil {
			env[name] = map[string]string{}
		}
		env[name][variable] = value
	}
	return env
}

// shelve lets calls have what the library holds now.
func (s *scripts) shelve() error {
	var tools []*tool.Tool
	var defs []tool.Definition
	for _, t := range s.library.Tools() {
		tl := s.host.Tools.Home(t.Tool)
		tools = append(tools, tl)
		if slices.Contains(s.host.Config.Worker.Pools, tl.Pool) {
			defs = append(defs, tl.Definition)
		}
	}
	refused, err := s.host.Tools.Replace(tools)
	if err != nil {
		return err
	}
	if low := s.understated(s.library.Tools()); len(low) > 0 { // they are judged beside all others
		maps.Copy(refused, low)
		tools = slices.DeleteFunc(tools, func(tl *tool.Tool) bool { return low[tl.Name] != nil })
		if _, err := s.host.Tools.Replace(tools); err != nil {
			return err
		}
	}
	s.refused = nil
	for _, t := range s.library.Tools() {
		if why := refused[t.Tool.Name]; why != nil {
			s.host.Log.Warn("a tool of a tools directory cannot be offered", zap.String("tool", t.Tool.Name), zap.Error(why))
			s.refused = append(s.refused, protocol.LoadError{File: t.File, Entry: entryOf(t.Entry), Reason: why.Error()})
		}
	}
	s.offered = slices.DeleteFunc(defs, func(def tool.Definition) bool { return refused[def.Name] != nil })
	return nil
}

// entryOf is the place in a group, from 0; nil for a tool with a file of its own.
func entryOf(entry int) *int {
	if entry == manifest.Whole {
		return nil
	}
	return &entry
}

// follow registers what is loaded, and again whenever that changes, until life
// ends.
func (s *scripts) follow(life context.Context) error {
	if err := catalogsync.Prune(life, s.host.Queue, s.host.Config.Worker.Pools, func(def *tool.Definition) bool {
		return def.Kind == tool.KindJS && !s.host.Tools.Elsewhere(def) && !toolbox.Holds(s.offered, def.Name)
	}); err != nil {
		return fmt.Errorf("tools that are gone: %w", err)
	}
	s.changed(life) // the tools of other workers are known now
	go s.library.Watch(life, func() { s.changed(life) })
	return nil
}

// registerTimeout bounds telling dispatchers of a change.
const registerTimeout = 30 * time.Second

func (s *scripts) changed(life context.Context) {
	s.changing.Lock()
	defer s.changing.Unlock()
	ctx, cancel := context.WithTimeout(life, registerTimeout)
	defer cancel()
	before := s.offered
	if err := s.shelve(); err != nil {
		s.host.Log.Error("changed tools directories not usable; the old tools stay", zap.Error(err))
		return
	}
	err := catalogsync.Register(ctx, s.host.Queue, s.host.Tools.Definitions())
	if err == nil {
		err = catalogsync.Unregister(ctx, s.host.Queue, toolbox.Gone(before, s.offered, s.host.Tools))
	}
	if err != nil && life.Err() == nil {
		s.host.Log.Error("changed tools run here, but dispatchers could not be told", zap.Error(err))
	}
	s.report(ctx)
}

// report publishes what could not be loaded.
func (s *scripts) report(ctx context.Context) {
	list := append(slices.Clone(s.refused), s.undeclared()...)
	for _, p := range s.library.Problems() {
		if !p.Warning {
			list = append(list, protocol.LoadError{File: p.File, Entry: p.Entry, Reason: p.Reason})
		}
	}
	s.host.Report(ctx, toolbox.JavaScript, list)
}

// console puts the lines of scripts' consoles into the log of the worker.
type console struct{ log *zap.Logger }

func (c console) line(call *tool.Call, line js.LogLine) {
	fields := []zap.Field{
		zap.String("tool", call.Tool), zap.String("call_id", call.ID), zap.String("trace_id", call.TraceID), zap.String("line", line.Message),
	}
	switch line.Level {
	case "error":
		c.log.Error("script wrote a line", fields...)
	case "warn":
		c.log.Warn("script wrote a line", fields...)
	case "debug":
		c.log.Debug("script wrote a line", fields...)
	default:
		c.log.Info("script wrote a line", fields...)
	}
}

// lib returns the source of a shared library of the tools directories.
func (s *scripts) lib(name string) (string, error) {
	if s == nil {
		return "", tool.Fail(tool.ExecutionError, "there is no shared library %.60q: this worker has no tools directory", name)
	}
	return s.library.Lib(name)
}
