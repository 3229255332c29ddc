package remote

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Asker sends a call to a process and returns its answer, as [peer.Remote.AskRemote] does.
type Asker interface {
	AskRemote(ctx context.Context, call peer.RemoteCall) ([]byte, error)
}

// Runner makes callable tools of a registry's definitions.
type Runner struct {
	*Registry

	ask   Asker
	trace func(ctx context.Context) string
	made  sync.Map // tenant and name -> *made
}

// made is a tool made of a definition.
type made struct {
	hash  string
	entry *engine.Entry
}

// NewRunner returns a runner over a registry. Trace returns the traceparent of a context,
// or "".
func NewRunner(r *Registry, ask Asker, trace func(ctx context.Context) string) *Runner {
	return &Runner{Registry: r, ask: ask, trace: trace}
}

// lookTime bounds reading entries that this process has not received yet.
const lookTime = 2 * time.Second

// Lookup returns a callable tool of a tenant; nil if there is no tool of that name. A
// call may arrive before this process receives the tool's entry, so a tool that is
// unknown, or not known to run, is looked up in the store.
func (r *Runner) Lookup(of, name string) (*engine.Entry, error) {
	if !tool.ValidName(name) { // the key contains it
		return nil, nil
	}
	k, runs, ok := r.find(of, name)
	if !runs {
		ctx, cancel := context.WithTimeout(context.Background(), lookTime)
		defer cancel()
		t, err := r.look(ctx, of, name)
		if err != nil {
			return nil, err
		}
		k, ok = t.tools[name]
		runs = len(t.holders(name)) > 0
	}
	switch {
	case !ok:
		return nil, nil
	case !runs:
		return nil, nobody(name, "sent a heartbeat lately")
	}
	return r.entry(of, k)
}

// look reads the stored entries of one tool and its instances: for an unknown name that
// is one read.
func (r *Runner) look(ctx context.Context, of, name string) (*tenant, error) {
	t := newTenant()
	value, err := r.bucket.Get(ctx, keyOf(of, kindTool, name))
	if value == nil || err != nil {
		return t, err
	}
	take := func(key string, value []byte) {
		_, kind, name := split(key)
		_, _ = t.put(kind, name, value) // the follower of the bucket logs unusable entries
	}
	take(keyOf(of, kindTool, name), value)
	return t, r.bucket.LoadBelow(ctx, of+"."+kindInstance, take)
}

func nobody(name, what string) *tool.Error {
	return tool.Fail(tool.ToolNotAvailable,
		"'%s' is not available: no process that runs it %s, so nothing was done; try again later, or tell the operator", name, what)
}

func (r *Runner) entry(of string, k known) (*engine.Entry, error) {
	key := of + "." + k.Definition.Name
	before, _ := r.made.Load(key)
	if m, ok := before.(*made); ok && m.hash == k.Hash {
		return m.entry, nil
	}
	def := k.Definition
	t, err := tool.New(def, 0, func(ctx context.Context, call *tool.Call, args json.RawMessage) (tool.Result, error) {
		return r.run(ctx, call, &def, args)
	})
	if err != nil {
		return nil, err
	}
	// An approval of a tool covers this definition only.
	t.Identity = k.Hash
	entry, err := engine.NewEntry(t)
	if err != nil {
		return nil, err
	}
	r.made.Store(key, &made{k.Hash, entry})
	return entry, nil
}

func (r *Runner) run(ctx context.Context, call *tool.Call, def *tool.Definition, args json.RawMessage) (tool.Result, error) {
	end, _ := ctx.Deadline() // the pipeline sets one
	body, err := json.Marshal(protocol.RemoteCall{
		CallID: call.ID, TraceID: call.TraceID, Tool: def.Name, Arguments: args, Attempt: call.Attempt,
		Context:  protocol.Context{User: call.User, Agent: call.Agent, Conversation: call.Conversation},
		Deadline: end.UTC().Truncate(time.Millisecond),
	})
	if err != nil {
		return tool.Result{}, err
	}
	relay := relay{call: call, left: maxProgress}
	data, err := r.ask.AskRemote(ctx, peer.RemoteCall{
		Tenant: call.Tenant, CallID: call.ID, Tool: def.Name, Traceparent: r.trace(ctx), Body: body, Progress: relay.tell,
	})
	switch {
	case err == nil:
		return readAnswer(def, data)
	case errors.Is(err, peer.ErrNobody):
		return tool.Result{}, nobody(def.Name, "listens for its calls")
	case errors.Is(err, peer.ErrTooLarge):
		return tool.Result{}, tool.Fail(tool.ValidationError,
			"the call has %d bytes, more than a message may have, so '%s' was not run; make the arguments smaller", len(body), def.Name)
	}
	return tool.Result{}, silent(ctx, def, err)
}

// silent returns the error for a call without an answer. A remote process cannot be
// stopped, so unlike a tool of the worker it may still act: its outcome is unknown,
// unless it changes nothing or may be run again.
func silent(ctx context.Context, def *tool.Definition, err error) error {
	late := errors.Is(context.Cause(ctx), context.DeadlineExceeded)
	switch {
	case (late || ctx.Err() == nil) && def.Mutates && !def.Idempotent:
		return tool.Fail(tool.OutcomeUnknown,
			"the process that runs '%s' did not answer: it may or may not have happened, and it was not run again; check before you retry",
			def.Name).
			Because(errors.New(err.Error())) // not wrapped: a context error would look as if the tool had stopped
	case ctx.Err() != nil:
		return ctx.Err() // the pipeline maps it
	}
	return tool.Fail(tool.ExecutionError, "the process that runs '%s' could not be asked; try again", def.Name).Because(err)
}

// Bounds of the progress reports of one call.
const (
	maxProgress     = 1000
	maxProgressSize = 16 << 10 // bytes
)

// relay publishes the progress reports of a process as events: always of this call, and
// of a single type. A report that is not JSON, too large or beyond the bound is
// dropped.
type relay struct {
	call *tool.Call
	left int
}

func (r *relay) tell(data []byte) {
	if r.left == 0 || len(data) > maxProgressSize || !jsontext.Value(data).IsValid() {
		return
	}
	r.left--
	r.call.Progress(json.RawMessage(slices.Clone(data)))
}
