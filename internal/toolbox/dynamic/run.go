package dynamic

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/toolbox/dynamic/permission"
	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox"
	"github.com/helve-dev/helve/tool"
)

// entry returns the tool that runs one version of a custom tool.
func (r *Registry) entry(l *loaded) (*engine.Entry, error) {
	if l.meta.Durable {
		return r.durableEntry(l)
	}
	t, err := tool.NewUntyped(Definition(&l.meta), needs(&l.meta), tool.Untyped{
		Run: func(ctx context.Context, call *tool.Call, args json.RawMessage) (tool.Result, error) {
			return r.run(ctx, call, l, args)
		},
		Check: func(ctx context.Context, call *tool.Call, _ json.RawMessage) error {
			return accounts(ctx, call, &l.meta)
		},
	})
	if err != nil {
		return nil, err
	}
	t.Permissions, t.Identity, t.Adoption = l.meta.Permissions, identity(&l.meta), adoption(&l.meta)
	entry, err := engine.NewEntry(t)
	if err != nil {
		return nil, err
	}
	entry.Reserve = func(ctx context.Context, call *tool.Call) (engine.Room, error) {
		return r.runner.Reserve(ctx, call.Tenant, call.User, call.Depth)
	}
	return entry, nil
}

// identity distinguishes a version of a tool from every other, including a tool created
// under its name later. The part before the "@" is the subject of a lasting grant: for a
// person's own tool all its versions, for a shared one exactly one.
func identity(t *tool.CustomTool) string {
	version := strconv.Itoa(t.Version)
	if t.Shared {
		return t.ID + "-" + version + "@" + version
	}
	return t.ID + "@" + version
}

// adoption returns the question to each caller of a shared version made by somebody else;
// nil if its code has no permissions and calls no tools.
func adoption(t *tool.CustomTool) *tool.Adoption {
	may := slices.DeleteFunc(slices.Clone(t.Permissions), func(p string) bool { return p == permission.Local })
	for _, entry := range t.Tools {
		may = append(may, "the tool "+entry)
	}
	if !t.Shared || len(may) == 0 {
		return nil
	}
	return &tool.Adoption{
		Permission: "custom_tool." + t.Name + "." + t.ID + "." + strconv.Itoa(t.Version),
		Reason: fmt.Sprintf("'%s' is a tool that %s made and that was shared with you; its version %d, which you have not used yet, may use %s",
			t.Name, t.Owner, t.Version, strings.Join(may, ", ")),
	}
}

func (r *Registry) run(ctx context.Context, call *tool.Call, l *loaded, args json.RawMessage) (tool.Result, error) {
	meta := &l.meta
	code, err := r.code(ctx, l)
	if err != nil {
		return tool.Result{}, err
	}
	network, files := slices.Contains(meta.Permissions, permission.Network), slices.Contains(meta.Permissions, permission.Filesystem)
	ports := &js.Ports{
		Call: call, Network: network, Files: files, Services: services(meta), Lib: r.opts.Lib, Budget: r.opts.Budget,
		Log: func(line js.LogLine) {
			if r.opts.Logged != nil {
				r.opts.Logged(call, line)
			}
		},
	}
	value, err := r.runner.Run(ctx, sandbox.Job{
		Tenant: call.Tenant, User: call.User, Depth: call.Depth, Name: meta.Name, Code: code, Args: args, Network: network, Files: files,
		Limits:  limits(&meta.Limits),
		Context: js.Context{ToolName: meta.Name, CallID: call.ID, ConversationID: call.Conversation, UserID: call.User},
		Host:    ports,
	})
	if err != nil {
		return tool.Result{}, ports.Clean(err)
	}
	return tool.Result{Value: value, Notes: ports.Notes()}, nil
}

func limits(l *tool.CustomLimits) sandbox.Limits {
	seconds := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	return sandbox.Limits{
		Wall:   seconds(l.TimeoutSeconds),
		CPU:    seconds(l.CPUSeconds),
		Memory: int64(l.MemoryMB) << 20,
		Output: l.OutputKB << 10,
	}
}

func services(meta *tool.CustomTool) []string {
	var names []string
	for _, k := range meta.RequiredAPIKeys {
		names = append(names, k.Name)
	}
	return names
}

// accounts returns an error if a service that the tool declares has accounts of people and
// the person of the call has connected none. The script would find that out too late: it may
// have changed something by then, and a running script does not wait for a person.
func accounts(ctx context.Context, call *tool.Call, meta *tool.CustomTool) error {
	if call.Secrets == nil {
		return nil
	}
	for _, name := range services(meta) {
		if _, err := call.Secrets.Entries(ctx, name); tool.MissingAccount(err) != nil {
			return err
		}
	}
	return nil
}

// code returns the code of the version that was judged. A call between a change and its
// notification fails, because the permissions of the new code were not judged.
func (r *Registry) code(ctx context.Context, l *loaded) (string, error) {
	id := codeID{l.meta.ID, l.meta.Version}
	if code, ok := r.codes.get(id); ok {
		return code, nil
	}
	f, err := r.store.Get(ctx, l.place)
	switch {
	case err != nil:
		return "", unstored(err)
	case f == nil || f.Tool.ID != l.meta.ID || f.Tool.Version != l.meta.Version:
		return "", tool.Fail(tool.ToolNotAvailable, "'%s' was changed this moment; call it again", l.meta.Name)
	}
	r.codes.put(id, f.Tool.Code)
	return f.Tool.Code, nil
}
