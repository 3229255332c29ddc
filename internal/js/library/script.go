package library

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/js"
	"github.com/helve-dev/helve/internal/js/manifest"
	"github.com/helve-dev/helve/tool"
)

// maxOutput bounds what one call returns, in bytes: what still goes inline over
// HTTP.
const maxOutput = 16 << 20

// script is what a call of one tool runs.
type script struct {
	program  *js.Program
	function string
	env      map[string]string
	shelf    *shelf
	console  func(*tool.Call, js.LogLine)
}

// make makes the tool of an entry, or says why it cannot be.
func (f *folder) make(program *js.Program, base string, e manifest.Entry) (t Loaded, refused string) {
	if !program.Defines(e.Function) {
		return Loaded{}, fmt.Sprintf("%s%s defines no function %s", base, scriptEnd, e.Function)
	}
	if err := f.opts.Check(&e.Definition); err != nil {
		return Loaded{}, err.Error()
	}
	s := &script{program: program, function: e.Function, env: declared(e.Env, f.values(base, e.Definition.Name)), shelf: f.shelf, console: f.opts.Console}
	made, err := tool.New(e.Definition, tool.NeedFiles|tool.NeedHTTP, s.run)
	if err != nil {
		return Loaded{}, err.Error()
	}
	return Loaded{Tool: made, Schema: e.Schema, Dir: f.dir, File: base + manifestEnd, Entry: e.Index, Function: e.Function}, ""
}

// values are those set for the whole file and, before them, those for the tool.
func (f *folder) values(base, name string) map[string]string {
	all := maps.Clone(f.opts.Env[base])
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, f.opts.Env[name])
	return all
}

// declared are the values of the names that a tool declares.
func declared(names []string, values map[string]string) map[string]string {
	all := map[string]string{}
	for _, name := range names {
		if value, ok := values[name]; ok {
			all[name] = value
		}
	}
	return all
}

// run runs a call with what is in force when it begins.
func (s *script) run(ctx context.Context, call *tool.Call, args json.RawMessage) (tool.Result, error) {
	host := &js.Ports{Call: call, Network: true, Files: true, Log: func(line js.LogLine) { s.console(call, line) }}
	host.Conceal(slices.Collect(maps.Values(s.env))...)
	value, err := js.Run(ctx, &js.Task{
		Program: s.program, Function: s.function, Args: args, Env: s.env,
		Network: true, Files: true, Host: host, Lib: s.shelf.lookup(), MaxOutput: maxOutput,
	})
	if err != nil {
		return tool.Result{}, host.Clean(err)
	}
	return tool.Result{Value: value}, nil
}

// logged puts what scripts print into the log.
func logged(log *zap.Logger) func(*tool.Call, js.LogLine) {
	return func(call *tool.Call, line js.LogLine) {
		fields := []zap.Field{zap.String("tool", call.Tool), zap.String("call_id", call.ID), zap.String("trace_id", call.TraceID), zap.String("message", line.Message)}
		switch line.Level {
		case "debug":
			log.Debug("console", fields...)
		case "warn":
			log.Warn("console", fields...)
		case "error":
			log.Error("console", fields...)
		default:
			log.Info("console", fields...)
		}
	}
}
