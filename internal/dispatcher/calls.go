package dispatcher

import (
	"context"
	"encoding/json"
	"time"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/tool"
)

// ref names a call that has no result yet.
type ref struct {
	tenant, callID, toolCallID, traceID, tool, origin string
	user, agent, conversation                         string
}

// Get returns the result element of a call, or a pending one with its state.
func (d *Dispatcher) Get(ctx context.Context, tenant, callID string) (json.RawMessage, error) {
	stored, err := d.Bus.Result(ctx, tenant, callID)
	if err != nil {
		return nil, unavailable()
	}
	if stored != nil {
		return d.inline(ctx, stored.Element)
	}
	// A call that waits for a person is held by nobody, so nobody need be asked.
	if p, verdict, err := d.consentOf(ctx, tenant, callID); err == nil && p != nil && verdict == nil {
		e := p.Envelope
		return pending(callID, e.ToolCallID, e.TraceID, e.Tool, standing{bus.StateAwaitingConsent, p.ConsentID}), nil
	}
	rec, held, err := d.find(ctx, tenant, callID)
	if err != nil {
		return nil, err
	}
	if rec == nil {
		return pending(callID, "", "", held.Tool, d.standing(ctx, tenant, callID, held)), nil
	}
	if held == nil && time.Now().After(time.UnixMilli(rec.StartByMS).Add(lateGrace)) {
		element, err := d.expire(ctx, refOf(tenant, callID, rec))
		if err == nil && element != nil {
			return d.inline(ctx, element)
		}
	}
	return pending(callID, rec.ToolCallID, rec.TraceID, rec.Tool, d.standing(ctx, tenant, callID, held)), nil
}

// find looks for a call without a result: its acceptance, and who holds it.
func (d *Dispatcher) find(ctx context.Context, tenant, callID string) (*bus.Acceptance, *bus.Held, error) {
	rec, err := d.Bus.Accepted(ctx, tenant, callID)
	if err != nil {
		return nil, nil, unavailable()
	}
	held := d.Bus.Probe(ctx, tenant, callID)
	if rec == nil && held == nil {
		return nil, nil, notFound("no call with this call_id is known; results are kept for a limited time")
	}
	return rec, held, nil
}

func refOf(tenant, callID string, rec *bus.Acceptance) ref {
	return ref{tenant, callID, rec.ToolCallID, rec.TraceID, rec.Tool, rec.Origin, rec.User, rec.Agent, rec.Conversation}
}

const (
	// cancelWait is how long Cancel waits for the worker's answer.
	cancelWait = 10 * time.Second
	cancelLook = 20 * time.Millisecond
	// parkLook is every how many looks the call is looked for among the parked.
	parkLook = 10
)

// Cancel ends a call. A call that has a result keeps it; one that did not
// start ends in cancelled; one that runs is told to stop, and its own outcome
// counts.
func (d *Dispatcher) Cancel(ctx context.Context, tenant, callID string) (json.RawMessage, error) {
	stored, err := d.Bus.Result(ctx, tenant, callID)
	if err != nil {
		return nil, unavailable()
	}
	if stored != nil {
		return d.inline(ctx, stored.Element)
	}
	rec, held, err := d.find(ctx, tenant, callID)
	if err != nil {
		return nil, err
	}
	r := ref{tenant: tenant, callID: callID}
	if rec != nil {
		r = refOf(tenant, callID, rec)
	} else {
		r.tool, r.origin = held.Tool, held.Origin
	}
	by := identity.Of(ctx).Called()
	parked, err := d.Parked.Cancel(ctx, tenant, callID, by)
	if err != nil {
		return nil, unavailable()
	}
	if !parked && d.Bus.Cancel(ctx, tenant, callID) == nil {
		element, err := d.end(ctx, r, tool.Fail(tool.Cancelled, "the call was cancelled before it started; it did nothing"))
		if err != nil {
			return nil, unended(err)
		}
		if element != nil {
			return d.inline(ctx, element)
		}
	}
	ctx, stop := context.WithTimeout(ctx, cancelWait)
	defer stop()
	look := time.NewTicker(cancelLook)
	defer look.Stop()
	for round := 1; ; round++ {
		if stored, err := d.Bus.Result(ctx, tenant, callID); err == nil && stored != nil {
			return d.inline(ctx, stored.Element)
		}
		if !parked && round%parkLook == 0 { // it may have been on its way to a person
			parked, _ = d.Parked.Cancel(ctx, tenant, callID, by)
		}
		select {
		case <-ctx.Done():
			return pending(callID, r.toolCallID, r.traceID, r.tool, standing{state: bus.StateRunning}), nil
		case <-look.C:
		}
	}
}

// Events yields the events of a trace: what is still known after the event
// with the id after, then what happens, until ctx ends.
func (d *Dispatcher) Events(ctx context.Context, tenant, traceID, after string, yield func(Event) error) error {
	return d.Bus.Listen(ctx, tenant, traceID, after, func(e bus.Event) error {
		return yield(Event{ID: e.ID, Type: e.Type, Data: e.Data})
	})
}
