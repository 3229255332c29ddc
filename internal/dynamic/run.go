package dynamic

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/js"
	"github.com/helve-dev/helve/internal/sandbox"
	"github.com/helve-dev/helve/tool"
)

// entry makes the tool that runs one version of a custom tool.
func (r *Registry) entry(meta *tool.CustomTool) (*engine.Entry, error) {
	t, err := tool.New(Definition(meta), needs(meta), func(ctx context.Context, call *tool.Call, args json.RawMessage) (tool.Result, error) {
		return r.run(ctx, call, meta, args)
	})
	if err != nil {
		return nil, err
	}
	t.Permissions, t.Identity = meta.Permissions, identity(meta)
	return engine.NewEntry(t)
}

// identity tells a version of a tool from every other, also of one that was made
// under its name later.
func identity(t *tool.CustomTool) string { return t.ID + "@" + strconv.Itoa(t.Version) }

func (r *Registry) run(ctx context.Context, call *tool.Call, meta *tool.CustomTool, args json.RawMessage) (tool.Result, error) {
	code, err := r.code(ctx, call.Tenant, meta)
	if err != nil {
		return tool.Result{}, err
	}
	network, files := slices.Contains(meta.Permissions, Network), slices.Contains(meta.Permissions, Filesystem)
	ports := &js.Ports{
		Call: call, Network: network, Files: files, Services: services(meta), Lib: r.opts.Lib,
		Log: func(line js.LogLine) {
			if r.opts.Logged != nil {
				r.opts.Logged(call, line)
			}
		},
	}
	value, err := r.cage.Run(ctx, sandbox.Job{
		Tenant: call.Tenant, Depth: call.Depth, Name: meta.Name, Code: code, Args: args, Network: network, Files: files,
		Limits:  limits(&meta.Limits),
		Context: js.Context{ToolName: meta.Name, CallID: call.ID, ConversationID: call.Conversation, UserID: call.User},
		Host:    ports,
	})
	if err != nil {
		return tool.Result{}, ports.Clean(err)
	}
	return tool.Result{Value: value}, nil
}

func limits(l *tool.CustomLimits) sandbox.Limits {
	seconds := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	return sandbox.Limits{Wall: seconds(l.TimeoutSeconds), CPU: seconds(l.CPUSeconds), Memory: int64(l.MemoryMB) << 20, Output: l.OutputKB << 10}
}

func services(meta *tool.CustomTool) []string {
	var names []string
	for _, k := range meta.RequiredAPIKeys {
		names = append(names, k.Name)
	}
	return names
}

// code is that of the version that was judged, and of no other. A call that comes
// between a change and the news of it fails, because what the new code may do was
// not judged.
func (r *Registry) code(ctx context.Context, tenant string, meta *tool.CustomTool) (string, error) {
	id := codeID{meta.ID, meta.Version}
	if code, ok := r.codes.get(id); ok {
		return code, nil
	}
	_, t, err := r.read(ctx, tenant, meta.Name)
	if err != nil {
		return "", err
	}
	if t.ID != meta.ID || t.Version != meta.Version {
		return "", tool.Fail(tool.ToolNotAvailable, "'%s' was changed this moment; call it again", meta.Name)
	}
	r.codes.put(id, t.Code)
	return t.Code, nil
}
