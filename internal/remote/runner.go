package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/tool"
)

// Asker sends a call to a process and returns its answer, as [bus.Bus.AskRemote] does.
type Asker interface {
	AskRemote(ctx context.Context, call bus.RemoteCall) ([]byte, error)
}

// Runner makes of what a book holds tools that a worker can call.
type Runner struct {
	*Book

	ask   Asker
	trace func(ctx context.Context) string
	made  sync.Map // tenant and name -> *made
}

// made is a tool that was made of a definition.
type made struct {
	hash  string
	entry *engine.Entry
}

// NewRunner returns a runner over a book. Trace is the traceparent that belongs to a
// context, or "".
func NewRunner(b *Book, ask Asker, trace func(ctx context.Context) string) *Runner {
	return &Runner{Book: b, ask: ask, trace: trace}
}

// lookTime bounds reading what this process has not been told of yet.
const lookTime = 2 * time.Second

// Lookup finds a tool of a tenant, ready to be called; nil if there is none of that
// name. A call may be here before the news of its tool is, so what is not known, or
// not known to run, is looked up where it is stored.
func (r *Runner) Lookup(of, name string) (*engine.Entry, error) {
	if !tool.ValidName(name) { // a key is made of it
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
		return nil, nobody(name, "was heard of lately")
	}
	return r.entry(of, k)
}

// look reads what is stored of one tool, and of who runs it: for a name that nobody
// knows that is one read.
func (r *Runner) look(ctx context.Context, of, name string) (*tenant, error) {
	t := newTenant()
	value, err := r.bucket.Get(ctx, keyOf(of, kindTool, name))
	if value == nil || err != nil {
		return t, err
	}
	take := func(key string, value []byte) {
		_, kind, name := split(key)
		_, _ = t.put(kind, name, value) // whoever follows the bucket logs what is not usable
	}
	take(keyOf(of, kindTool, name), value)
	return t, r.bucket.LoadBelow(ctx, of+"."+kindInstance, take)
}

func nobody(name, what string) *tool.Error {
	return tool.Fail(tool.ToolNotAvailable, "'%s' is not available: no process that runs it %s, so nothing was done; try again later, or tell the operator", name, what)
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
	// A yes to a tool is one to this definition of it.
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
	body, err := json.Marshal(Question{
		CallID: call.ID, TraceID: call.TraceID, Tool: def.Name, Arguments: args, Attempt: call.Attempt,
		Context: asker{call.User, call.Agent, call.Conversation}, Deadline: end.UTC().Truncate(time.Millisecond),
	})
	if err != nil {
		return tool.Result{}, err
	}
	relay := relay{call: call, left: maxProgress}
	data, err := r.ask.AskRemote(ctx, bus.RemoteCall{
		Tenant: call.Tenant, CallID: call.ID, Tool: def.Name, Traceparent: r.trace(ctx), Body: body, Progress: relay.tell,
	})
	switch {
	case err == nil:
		return readAnswer(def.Name, data)
	case errors.Is(err, bus.ErrNobody):
		return tool.Result{}, nobody(def.Name, "listens for its calls")
	case errors.Is(err, bus.ErrTooLarge):
		return tool.Result{}, tool.Fail(tool.ValidationError, "the call has %d bytes, more than a message may have, so '%s' was not run; make the arguments smaller", len(body), def.Name)
	}
	return tool.Result{}, silent(ctx, def, err)
}

// silent is what it means that no answer came. What a process does nobody can stop, so
// unlike a tool of the worker's own it may act still: its outcome is unknown, unless it
// changes nothing or may be run again.
func silent(ctx context.Context, def *tool.Definition, err error) error {
	late := errors.Is(context.Cause(ctx), context.DeadlineExceeded)
	switch {
	case (late || ctx.Err() == nil) && def.Mutates && !def.Idempotent:
		return tool.Fail(tool.OutcomeUnknown, "the process that runs '%s' did not answer: it may or may not have happened, and it was not run again; check before you retry", def.Name).
			Because(fmt.Errorf("%v", err)) //nolint:errorlint // the end of a context would be taken for the tool's having stopped
	case ctx.Err() != nil:
		return ctx.Err() // the pipeline knows what the end of it means
	}
	return tool.Fail(tool.ExecutionError, "the process that runs '%s' could not be asked; try again", def.Name).Because(err)
}

// Bounds of what one call may tell of its progress.
const (
	maxProgress     = 1000
	maxProgressSize = 16 << 10 // bytes
)

// relay makes events of what a process tells of its call: of this call, and of the one
// type, whatever it says. What is no JSON, too large or too much is left out.
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
