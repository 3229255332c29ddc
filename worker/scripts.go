package worker

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/catalog"
	"github.com/helve-dev/helve/internal/directory"
	"github.com/helve-dev/helve/internal/js"
	"github.com/helve-dev/helve/internal/js/library"
	"github.com/helve-dev/helve/internal/js/manifest"
	"github.com/helve-dev/helve/tool"
)

// scripts are the tools of this worker's tools directories: what is loaded of
// them, and what dispatchers are told of it.
type scripts struct {
	w       *Worker
	library *library.Library

	changing sync.Mutex
	offered  []tool.Definition // of the directories, as last registered
	refused  []catalog.LoadError
}

// openScripts loads the tools directories, if there are any.
func (w *Worker) openScripts() error {
	if len(w.cfg.ToolsDirs) == 0 {
		return nil
	}
	lib, err := library.Open(library.Options{
		Dirs: w.cfg.ToolsDirs, Taken: w.tools.builtin, AllowOverride: w.cfg.ToolsOverride, Env: toolEnv(w.cfg.ToolEnv),
		Check: w.tools.check, Console: w.scriptLog, Log: w.kit.Log,
	})
	if err != nil {
		return err
	}
	w.scripts = &scripts{w: w, library: lib}
	return w.scripts.shelve()
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
		tools = append(tools, t.Tool)
		if slices.Contains(s.w.cfg.Worker.Pools, t.Tool.Pool) {
			defs = append(defs, t.Tool.Definition)
		}
	}
	refused, err := s.w.tools.replace(tools)
	if err != nil {
		return err
	}
	s.refused = nil
	for _, t := range s.library.Tools() {
		if why := refused[t.Tool.Name]; why != nil {
			s.w.kit.Log.Warn("a tool of a tools directory cannot be offered", zap.String("tool", t.Tool.Name), zap.Error(why))
			s.refused = append(s.refused, catalog.LoadError{File: t.File, Entry: entryOf(t.Entry), Reason: why.Error()})
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
	if err := directory.Prune(life, s.w.bus, s.w.cfg.Worker.Pools, func(def *tool.Definition) bool {
		return def.Kind == tool.KindJS && !slices.ContainsFunc(s.offered, func(d tool.Definition) bool { return d.Name == def.Name })
	}); err != nil {
		return fmt.Errorf("tools that are gone: %w", err)
	}
	s.report(life)
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
		s.w.kit.Log.Error("changed tools directories not usable; the old tools stay", zap.Error(err))
		return
	}
	err := directory.Register(ctx, s.w.bus, s.w.tools.definitions())
	if err == nil {
		err = directory.Unregister(ctx, s.w.bus, gone(before, s.offered, s.w.tools))
	}
	if err != nil && life.Err() == nil {
		s.w.kit.Log.Error("changed tools run here, but dispatchers could not be told", zap.Error(err))
	}
	s.report(ctx)
}

// gone are the definitions that were offered and whose names nothing has now.
func gone(before, now []tool.Definition, tools *toolbox) []tool.Definition {
	return slices.DeleteFunc(slices.Clone(before), func(def tool.Definition) bool {
		return tools.taken(def.Name) || slices.ContainsFunc(now, func(d tool.Definition) bool { return d.Name == def.Name })
	})
}

// report tells what could not be loaded.
func (s *scripts) report(ctx context.Context) {
	list := slices.Clone(s.refused)
	for _, p := range s.library.Problems() {
		if !p.Warning {
			list = append(list, catalog.LoadError{File: p.File, Entry: p.Entry, Reason: p.Reason})
		}
	}
	s.w.loads.report(ctx, &s.w.loads.scripts, list)
}

// scriptLog puts a line of a script's console into this worker's log.
func (w *Worker) scriptLog(call *tool.Call, line js.LogLine) {
	fields := []zap.Field{
		zap.String("tool", call.Tool), zap.String("call_id", call.ID), zap.String("trace_id", call.TraceID), zap.String("line", line.Message),
	}
	switch line.Level {
	case "error":
		w.kit.Log.Error("script", fields...)
	case "warn":
		w.kit.Log.Warn("script", fields...)
	case "debug":
		w.kit.Log.Debug("script", fields...)
	default:
		w.kit.Log.Info("script", fields...)
	}
}

// lib is the source of a shared library of the tools directories.
func (w *Worker) lib(name string) (string, error) {
	if w.scripts == nil {
		return "", tool.Fail(tool.ExecutionError, "there is no shared library %.60q: this worker has no tools directory", name)
	}
	return w.scripts.library.Lib(name)
}
