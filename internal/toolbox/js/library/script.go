package library

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/js/manifest"
	"github.com/helve-dev/helve/tool"
)

// maxOutput limits the result of one call, in bytes: the maximum for inline results
// over HTTP.
const maxOutput = 16 << 20

// script is the function that a call of one tool runs.
type script struct {
	program  *js.Program
	function string
	env      map[string]string
	libs     *sources
	console  func(*tool.Call, js.LogLine)
	budget   *js.Budget
	meter    *js.Meter
}

// make creates the tool of an entry, or returns the reason why it cannot be created.
func (f *folder) make(program *js.Program, base, source string, e manifest.Entry) (t Loaded, refused string) {
	if !program.Defines(e.Function) {
		return Loaded{}, fmt.Sprintf("%s%s defines no function %s", base, scriptEnd, e.Function)
	}
	if err := f.opts.Check(&e.Definition); err != nil {
		return Loaded{}, err.Error()
	}
	if e.Definition.Durable {
		return f.durable(base, source, e)
	}
	s := &script{
		program:  program,
		function: e.Function,
		env:      declared(e.Env, f.values(base, e.Definition.Name)),
		libs:     f.libs,
		console:  f.opts.Console,
		budget:   f.opts.Budget,
		meter:    f.opts.Meter,
	}
	made, err := tool.New(e.Definition, tool.NeedFiles|tool.NeedHTTP, s.run)
	if err != nil {
		return Loaded{}, err.Error()
	}
	return Loaded{Tool: made, Schema: e.Schema, Dir: f.dir, File: base + manifestEnd, Entry: e.Index, Function: e.Function}, ""
}

// values returns the values set for the whole file, overridden by those for the tool.
func (f *folder) values(base, name string) map[string]string {
	all := maps.Clone(f.opts.Env[base])
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, f.opts.Env[name])
	return all
}

// declared returns the values of the names that a tool declares.
func declared(names []string, values map[string]string) map[string]string {
	all := map[string]string{}
	for _, name := range names {
		if value, ok := values[name]; ok {
			all[name] = value
		}
	}
	return all
}

// run runs a call with the state at its beginning.
func (s *script) run(ctx context.Context, call *tool.Call, args json.RawMessage) (tool.Result, error) {
	host := &js.Ports{Call: call, Network: true, Files: true, Budget: s.budget, Log: func(line js.LogLine) { s.console(call, line) }}
	host.Conceal(slices.Collect(maps.Values(s.env))...)
	value, err := js.Run(ctx, &js.Task{
		Program: s.program, Function: s.function, Args: args, Env: s.env,
		Network: true, Files: true, Host: host, Lib: s.libs.lookup(), Meter: s.meter, MaxOutput: maxOutput,
	})
	if err != nil {
		return tool.Result{}, host.Clean(err)
	}
	return tool.Result{Value: value, Notes: host.Notes()}, nil
}

// logged writes the output of scripts to the log.
func logged(log *zap.Logger) func(*tool.Call, js.LogLine) {
	return func(call *tool.Call, line js.LogLine) {
		fields := []zap.Field{
			zap.String("tool", call.Tool), zap.String("call_id", call.ID), zap.String("trace_id", call.TraceID), zap.String("message", line.Message),
		}
		switch line.Level {
		case "debug":
			log.Debug("script console output", fields...)
		case "warn":
			log.Warn("script console output", fields...)
		case "error":
			log.Error("script console output", fields...)
		default:
			log.Info("script console output", fields...)
		}
	}
}
