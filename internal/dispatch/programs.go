package dispatch

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Programs stores programs: calls of durable tools.
type Programs interface {
	// Begin stores the program of a call before it is queued, and gives the call its key; def is
	// the durable tool that runs, nil for a program that is stored. A program that is stored
	// already keeps its own key, and its call is returned: it may outlive the acceptance of that
	// call. A [*tool.Error] is the answer to the call; natsio.ErrFull means that there is no room.
	Begin(ctx context.Context, c *call.Call, def *tool.Definition) (stored *call.Call, err error)
	// Withdraw removes the program of a call that was not accepted.
	Withdraw(ctx context.Context, tenant, callID string) error
	// Find returns a program that has not ended, as a call, and what it waits for; nil if
	// there is none.
	Find(tenant, callID string) (rec *queue.Acceptance, waits []protocol.ProgramWait)
	// Cancel ends a program. It returns false for a call that is none, and for a program that a
	// worker runs: it is cancelled as any call.
	Cancel(ctx context.Context, tenant, callID, by string) (bool, error)
}

// begin stores the program that a call is, if its tool is durable. If it is refused it returns
// the answer to the call, which is not accepted.
func (d *Dispatcher) begin(ctx context.Context, req *Request, c *Call, def *tool.Definition, e *call.Call) (refusal callOutcome, ok bool) {
	if d.Programs == nil {
		return callOutcome{}, true
	}
	runs := d.durable(def, e)
	if runs == nil {
		return callOutcome{}, true
	}
	if d.Tracing.Enabled() { // its steps and later turns are below the span of its acceptance
		e.Traceparent = telemetry.Traceparent(ctx)
	}
	stored, err := d.Programs.Begin(ctx, e, runs)
	if err == nil && stored != nil && !sameCall(ctx, e, stored) {
		err = Reused(c.ID)
	}
	if err == nil {
		c.began, c.program = stored == nil, stored
		return callOutcome{}, true
	}
	if refused, is := errors.AsType[*tool.Error](err); is {
		return d.refused(ctx, req, c, def, refused), false
	}
	return callOutcome{err: err}, false
}

// promiseAndBegin stores the callback and the program of a call that is accepted and not queued. If
// one of them is refused, the acceptance is taken back.
func (d *Dispatcher) promiseAndBegin(
	ctx context.Context, req *Request, c *Call, def *tool.Definition, e *call.Call, rec *queue.Acceptance,
) (out callOutcome, ok bool) {
	if refusal, ok := d.promise(ctx, req, c, def, *rec); !ok {
		return d.releaseRefused(ctx, req, c, rec, refusal), false
	}
	refusal, ok := d.begin(ctx, req, c, def, e)
	if ok || refusal.err != nil {
		return refusal, ok
	}
	if out := d.release(ctx, req, c, rec, natsio.ErrFull); !errors.Is(out.err, natsio.ErrFull) {
		return out, false
	}
	return refusal, false
}

// sameCall reports whether a call is sent again that a program is stored for.
func sameCall(ctx context.Context, e, stored *call.Call) bool {
	hash, err := schema.Hash(e.Arguments)
	first, storedErr := schema.Hash(stored.Arguments)
	return err == nil && storedErr == nil && hash == first && e.Tool == stored.Tool && own(ctx, e, stored.Owner())
}

// joinProgram waits for a program whose call was accepted so long ago that its acceptance has
// expired. Rec is the acceptance in its place.
func (d *Dispatcher) joinProgram(ctx context.Context, req *Request, c *Call, e *call.Call, rec *queue.Acceptance, w *watcher) callOutcome {
	first, of := c.program, *rec
	of.Origin, of.TraceID, of.AcceptedMS = first.Origin, first.TraceID, first.AcceptedMS
	of.Conversation, of.Via = first.Conversation, first.Via
	return d.attach(ctx, req, e, &of, w)
}

// durable returns the durable tool of a call that is a program, directly or by way of another
// tool; nil for any other call.
func (d *Dispatcher) durable(def *tool.Definition, e *call.Call) *tool.Definition {
	if def.Name != catalog.UseTool {
		if !def.Durable {
			return nil
		}
		return def
	}
	var to struct {
		Name string `json:"tool_name"`
	}
	if json.Unmarshal(e.Arguments, &to) != nil {
		return nil
	}
	target, ok := d.Catalog.Of(e.Tenant, e.User).In(e.Conversation).Lookup(to.Name)
	if !ok || !target.Durable {
		return nil
	}
	return target
}

// waits reports whether a call is a program that waits as data, so that it is in no queue. A
// program that does not gets its key, for a copy of its call; a program that was accepted
// and not stored is stored now.
func (d *Dispatcher) waits(ctx context.Context, e *call.Call) (bool, error) {
	if d.Programs == nil {
		return false, nil
	}
	rec, waits := d.programOf(e.Tenant, e.ID)
	if len(waits) > 0 {
		return true, nil
	}
	var runs *tool.Definition
	if def, ok := d.Catalog.Of(e.Tenant, e.User).In(e.Conversation).Lookup(e.Tool); ok {
		runs = d.durable(def, e)
	}
	if runs == nil && rec == nil {
		return false, nil
	}
	_, err := d.Programs.Begin(ctx, e, runs) // a tool that is gone has its programs
	return false, err
}

// LivesOn reports whether a call is a program that has not ended: no age limit of calls and results
// is one of it.
func (d *Dispatcher) LivesOn(tenant, callID string) bool {
	program, _ := d.programOf(tenant, callID)
	return program != nil
}

// withdrawProgram removes the program of a call that the queue refused.
func (d *Dispatcher) withdrawProgram(ctx context.Context, req *Request, c *Call) {
	if !c.began {
		return
	}
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), req.until())
	defer cancel()
	if err := d.Programs.Withdraw(ctx, req.Tenant, c.ID); err != nil {
		d.Log.Warn("program of a refused call not removed; it may run", zap.String("call", req.Tenant+"/"+c.ID), zap.Error(err))
	}
}

// programOf returns a program that has not ended, as a call, and what it waits for; nil if there
// is none.
func (d *Dispatcher) programOf(tenant, callID string) (*queue.Acceptance, []protocol.ProgramWait) {
	if d.Programs == nil {
		return nil, nil
	}
	return d.Programs.Find(tenant, callID)
}

// cancelProgram ends a program that waits, and returns its element; nil if the call is none.
func (d *Dispatcher) cancelProgram(ctx context.Context, r ref) (json.RawMessage, error) {
	if d.Programs == nil {
		return nil, nil
	}
	ended, err := d.Programs.Cancel(ctx, r.Tenant, r.CallID, identity.Of(ctx).Called())
	if err != nil {
		return nil, unavailable()
	}
	if !ended {
		return nil, nil
	}
	bounded, stop := context.WithTimeout(ctx, cancelWait)
	defer stop()
	for {
		element, err := d.element(bounded, r, d.results.FindLatest)
		if element != nil {
			return d.inline(ctx, element)
		}
		if err != nil && !errors.Is(err, natsio.ErrUnavailable) || bounded.Err() != nil {
			return pending(r, callState{state: protocol.StateWaiting}), nil
		}
		natsio.Pause(bounded, 10*time.Millisecond)
	}
}
