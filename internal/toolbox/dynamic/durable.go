package dynamic

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox"
	"github.com/helve-dev/helve/tool"
)

// checkDurable returns everything that is wrong with what makes a tool durable.
func (r *Registry) checkDurable(call *tool.Call, t *tool.CustomTool) (found []string) {
	bad := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	if !t.Durable {
		if len(t.Tools) > 0 {
			bad("tools: only a durable tool has a list of what it may call; set durable to true, or leave them out")
		}
		if t.TimeoutSeconds != 0 {
			bad("timeout_seconds: it is the time of a durable tool; set durable to true, or give limits.timeout_seconds")
		}
		return found
	}
	if len(t.Permissions) > 0 || len(t.Hosts) > 0 || len(t.RequiredAPIKeys) > 0 {
		bad("a durable tool reaches everything by the tools that it may call; leave permissions, hosts and required_api_keys out")
	}
	if t.Limits != (tool.CustomLimits{}) {
		bad("limits: a durable tool has the bounds of programs; leave them out, and give timeout_seconds if it needs another time")
	}
	if most := durable.MaxTime.Seconds(); t.TimeoutSeconds < 0 || t.TimeoutSeconds > most {
		bad("timeout_seconds: must be at most %v", most)
	}
	found = append(found, durable.CheckTools(t.Tools)...)
	if t.Risk != "" && len(found) == 0 {
		for _, entry := range t.Tools {
			for _, def := range r.declared(call, entry) {
				if catalog.Higher(t.Risk, def.Risk) != t.Risk && def.Name != t.Name {
					bad("risk: it is %s, and that of '%s', which the tool may call, is %s; leave it out", t.Risk, def.Name, def.Risk)
				}
			}
		}
	}
	return found[:min(len(found), maxProblems)]
}

// maxProblems bounds the problems of a durable tool: a pattern may have thousands of tools.
const maxProblems = 5

func (r *Registry) declared(call *tool.Call, entry string) []*tool.Definition {
	if r.opts.Declared == nil {
		return nil
	}
	return r.opts.Declared(call.Tenant, call.User, entry)
}

// missing returns the entries of a tool's list that name no tool now.
func (r *Registry) missing(call *tool.Call, t *tool.CustomTool) []string {
	if r.opts.Declared == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(t.Tools), func(entry string) bool { return len(r.declared(call, entry)) > 0 })
}

// compileDurable compiles the code of a durable tool in the sandbox, and refuses code that names a
// tool beyond its list.
func (r *Registry) compileDurable(ctx context.Context, call *tool.Call, t *tool.CustomTool) error {
	found, err := r.opts.Turns.Run(ctx, sandbox.Job{
		Tenant: call.Tenant, User: call.User, Name: t.Name, Code: t.Code, CompileOnly: true, Durable: &js.Durable{Tool: true},
	})
	if err != nil {
		return err
	}
	var uses []js.Use
	if err := json.Unmarshal(found, &uses); err != nil {
		return tool.Fail(tool.ExecutionError, "the sandbox found what is no list of calls").Because(err)
	}
	list := append([]string{}, t.Tools...)
	if beyond := js.Check(uses, func(name string) js.Verdict {
		return js.Verdict{Known: true, Allowed: durable.Covers(list, name)}
	}); beyond != nil {
		return beyond
	}
	return nil
}

// durableEntry returns the durable tool that runs one version of a custom tool.
func (r *Registry) durableEntry(l *loaded) (*engine.Entry, error) {
	def := Definition(&l.meta)
	t, err := tool.New(def, tool.NeedDurable, func(ctx context.Context, call *tool.Call, args json.RawMessage) (tool.Result, error) {
		code, err := r.code(ctx, l)
		if err != nil {
			return tool.Result{}, err
		}
		return call.Durable.Run(ctx, call, tool.DurableCode{Code: code, Input: args, Args: true, Tools: def.Tools})
	})
	if err != nil {
		return nil, err
	}
	t.Identity, t.Adoption = identity(&l.meta), adoption(&l.meta)
	entry, err := engine.NewEntry(t)
	if err != nil {
		return nil, err
	}
	entry.Reserve = func(ctx context.Context, call *tool.Call) (engine.Room, error) {
		return r.opts.Turns.Reserve(ctx, call.Tenant, call.User, 0)
	}
	return entry, nil
}
