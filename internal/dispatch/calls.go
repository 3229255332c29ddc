package dispatch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/dispatch/results"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// ref names a call that has no result yet.
type ref struct {
	results.Ref
	toolCallID, traceID, tool, origin, conversation, via string
	owner                                                *protocol.Owner
	// accepted is when the call was accepted; zero where nobody knows.
	accepted time.Time
}

// refTo returns the ref of a queued call.
func refTo(e *call.Call, to results.Ref) ref {
	return ref{to, e.ToolCallID, e.TraceID, e.Tool, e.Origin, e.Conversation, e.Via, e.Owner(), e.Accepted()}
}

// Get returns the result element of a call, or a pending one with its state.
func (d *Dispatcher) Get(ctx context.Context, tenant, callID string) (json.RawMessage, error) {
	stored, err := d.results.Find(ctx, results.Named(tenant, callID))
	if err != nil && (errors.Is(err, natsio.ErrUnavailable) || !d.runs(ctx, tenant, callID)) {
		return nil, readError(err)
	}
	if stored != nil {
		if err := d.permitStored(ctx, "calls.get", tenant, callID, stored, unknownCall()); err != nil {
			return nil, err
		}
		return d.inline(ctx, stored.Element)
	}
	// A call that waits for a person is held by nobody, so nobody need be asked.
	if p, verdict, err := d.consentOf(ctx, tenant, callID); err == nil && p != nil && verdict == nil {
		e := p.Call
		if err := d.permitCall(ctx, "calls.get", subject{tenant, callID, e.TraceID, e.Tool, e.Owner()}, unknownCall()); err != nil {
			return nil, err
		}
		return pending(refTo(e, results.Named(e.Tenant, e.ID)), awaiting(p)), nil
	}
	if rec, waits := d.programOf(tenant, callID); len(waits) > 0 {
		if err := d.permitCall(ctx, "calls.get", subject{tenant, callID, rec.TraceID, rec.Tool, rec.Owner()}, unknownCall()); err != nil {
			return nil, err
		}
		return pending(refOf(tenant, callID, rec), callState{state: protocol.StateWaiting, waits: waits}), nil
	}
	rec, held, stored, err := d.find(ctx, "calls.get", tenant, callID, true)
	if err != nil {
		return nil, err
	}
	if stored != nil {
		return d.inline(ctx, stored.Element)
	}
	if rec == nil {
		return pending(ref{Ref: results.Named(tenant, callID), tool: held.Tool}, d.stateOf(ctx, tenant, callID, held)), nil
	}
	if held == nil {
		if element, err := d.unheld(ctx, tenant, callID, rec); element != nil || err != nil {
			return element, err
		}
	}
	return pending(refOf(tenant, callID, rec), d.stateOf(ctx, tenant, callID, held)), nil
}

// unheld returns the end of a call that is accepted, has no result and is held by nobody; nil if
// it still waits. Its acceptance is known for longer than its result: a call that is over is as
// unknown as one without an acceptance.
func (d *Dispatcher) unheld(ctx context.Context, tenant, callID string, rec *queue.Acceptance) (json.RawMessage, error) {
	over, err := d.results.Over(ctx, tenant, callID)
	if err != nil {
		return nil, readError(err)
	}
	if over {
		return nil, unknownCall()
	}
	if !time.Now().After(time.UnixMilli(rec.StartByMS).Add(lateGrace)) {
		return nil, nil
	}
	element, err := d.expire(ctx, refOf(tenant, callID, rec))
	if err != nil || element == nil {
		return nil, nil //nolint:nilerr // it is tried again with the next look
	}
	return d.inline(ctx, element)
}

// find looks for a call without a result that the caller may see: its acceptance,
// and who holds it. A call that nobody holds may have a result that the index does not
// have yet: then it returns that. A call whose acceptance is known need not be searched
// for there.
func (d *Dispatcher) find(
	ctx context.Context, operation, tenant, callID string, search bool,
) (*queue.Acceptance, *call.Owner, *queue.Stored, error) {
	rec, err := d.Queue.Calls.Accepted(ctx, tenant, callID)
	if err != nil {
		return nil, nil, nil, unavailable()
	}
	if rec == nil {
		rec, _ = d.programOf(tenant, callID) // it outlives its acceptance
	}
	held := d.Queue.Owners.Find(ctx, tenant, callID)
	if held == nil && (search || rec == nil) {
		stored, err := d.results.FindLatest(ctx, results.Named(tenant, callID))
		if err != nil {
			return nil, nil, nil, readError(err)
		}
		if stored != nil {
			return nil, nil, stored, d.permitStored(ctx, operation, tenant, callID, stored, unknownCall())
		}
	}
	if rec == nil && held == nil {
		return nil, nil, nil, unknownCall()
	}
	return rec, held, nil, d.permitFound(ctx, operation, tenant, callID, rec, held)
}

func (d *Dispatcher) permitFound(ctx context.Context, operation, tenant, callID string, rec *queue.Acceptance, held *call.Owner) error {
	s := subject{tenant: tenant, callID: callID}
	if held != nil {
		s.tool, s.owner = held.Tool, held.Owner
	}
	// Both are asked where both are known: the id of a call that is not on record yet
	// could have been accepted once more, by somebody else.
	if rec != nil {
		if s.owner != nil && *s.owner != *rec.Owner() {
			if err := d.permitCall(ctx, operation, s, unknownCall()); err != nil {
				return err
			}
		}
		s = subject{tenant, callID, rec.TraceID, rec.Tool, rec.Owner()}
	}
	return d.permitCall(ctx, operation, s, unknownCall())
}

// runs reports whether a worker answers that it runs a call, which then is pending whatever
// the index would say.
func (d *Dispatcher) runs(ctx context.Context, tenant, callID string) bool {
	held := d.Queue.Owners.Find(ctx, tenant, callID)
	return held != nil && held.State == protocol.StateRunning
}

// defaultPool is that of a call of which only a dispatcher that waits for it is known, which
// names no pool.
const defaultPool = "default"

func refOf(tenant, callID string, rec *queue.Acceptance) ref {
	return ref{
		results.Accepted(tenant, callID, rec), rec.ToolCallID, rec.TraceID, rec.Tool, rec.Origin, rec.Conversation, rec.Via, rec.Owner(),
		time.UnixMilli(rec.AcceptedMS),
	}
}

const (
	// cancelWait bounds the time that Cancel waits for the worker's answer.
	cancelWait = 10 * time.Second
	cancelLook = 20 * time.Millisecond
	// parkLook: check for a parked call on every n-th poll.
	parkLook = 10
)

// Cancel ends a call. A call that has a result keeps it; a call that did not start ends in
// cancelled; a running call is told to stop, and its own outcome counts. An accepted call
// can be cancelled while the index is away or behind: the answer may be a pending element
// then.
func (d *Dispatcher) Cancel(ctx context.Context, tenant, callID string) (json.RawMessage, error) {
	stored, err := d.results.Find(ctx, results.Named(tenant, callID))
	if err != nil && !errors.Is(err, results.ErrBehind) {
		return nil, readError(err)
	}
	if stored != nil {
		if err := d.permitStored(ctx, "calls.cancel", tenant, callID, stored, unknownCall()); err != nil {
			return nil, err
		}
		return d.inline(ctx, stored.Element)
	}
	rec, held, stored, err := d.find(ctx, "calls.cancel", tenant, callID, false)
	if err != nil {
		return nil, err
	}
	if stored != nil {
		return d.inline(ctx, stored.Element)
	}
	r := ref{Ref: results.Named(tenant, callID), accepted: madeAt(callID)}
	if rec != nil {
		r = refOf(tenant, callID, rec)
	} else {
		r.tool, r.Pool, r.origin, r.owner = held.Tool, cmp.Or(held.Pool, defaultPool), held.Origin, held.Owner
	}
	if err := permitCancel(ctx, subject{owner: r.owner}); err != nil {
		return nil, err
	}
	if element, err := d.cancelProgram(ctx, r); element != nil || err != nil {
		return element, err
	}
	parked, err := d.Parked.Cancel(ctx, tenant, callID, identity.Of(ctx).Called())
	if err != nil {
		return nil, unavailable()
	}
	idle := !parked && d.Queue.Owners.Cancel(ctx, tenant, callID) == nil
	element, err := d.awaitCancelled(ctx, r, parked, idle)
	if err != nil {
		return nil, cancelError(err)
	}
	if element == nil {
		return pending(r, callState{state: protocol.StateRunning}), nil
	}
	if !identity.Of(ctx).Oversees() { // find has recorded the look of those that do
		if err := d.permitStored(ctx, "calls.cancel", tenant, callID, &queue.Stored{Element: element}, unknownCall()); err != nil {
			return nil, err
		}
	}
	return d.inline(ctx, element)
}

// awaitCancelled returns the result of a call that was cancelled, nil if there is none
// after cancelWait. A call that no worker has is ended here, a parked call by its
// consent, and any other by its worker.
func (d *Dispatcher) awaitCancelled(ctx context.Context, r ref, parked, idle bool) ([]byte, error) {
	by := identity.Of(ctx).Called()
	bounded, stop := context.WithTimeout(ctx, cancelWait)
	defer stop()
	look := time.NewTicker(cancelLook)
	defer look.Stop()
	fenced := false
	for round := 1; ; round++ {
		if idle {
			element, err := d.end(bounded, r, tool.Fail(tool.Cancelled, "the call was cancelled before it started; it did nothing"))
			fenced = fenced || errors.Is(err, results.ErrBehind) // it will not start; only the place of its result is not known
			if element != nil || err != nil && (!fenced || errors.Is(err, natsio.ErrFull)) {
				return element, err
			}
			idle = err != nil
		}
		if element, err := d.element(bounded, r, d.results.Find); err == nil && element != nil {
			return element, nil
		}
		if !parked && round%parkLook == 0 { // it may have been on its way to a person
			parked, _ = d.Parked.Cancel(bounded, r.Tenant, r.CallID, by)
		}
		select {
		case <-bounded.Done():
			return nil, nil
		case <-look.C:
		}
	}
}
