package dispatcher

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/failpoint"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/tool"
)

// expire ends a call whose time is over and that nobody runs.
func (d *Dispatcher) expire(ctx context.Context, r ref) ([]byte, error) {
	if waits, err := d.waitsStill(ctx, r.tenant, r.callID); waits || err != nil {
		return nil, err
	}
	if h := d.Bus.Probe(ctx, r.tenant, r.callID); h != nil && h.State == bus.StateRunning {
		return nil, nil
	}
	return d.end(ctx, r, tool.Fail(tool.Timeout, "the call waited too long for a free worker and did not run"))
}

// end stores the result of a call that has not started. The fence makes sure
// of that: with it taken no worker will let the call act. It returns nil if a
// worker was first; the call then ends by that worker or by whoever it is
// delivered to next.
func (d *Dispatcher) end(ctx context.Context, r ref, reason *tool.Error) ([]byte, error) {
	fence, err := d.Bus.Fence(ctx, r.tenant, r.callID, bus.Fence{
		By: d.Bus.ID(), AtMS: time.Now().UnixMilli(), Ended: string(reason.Kind),
	})
	if err != nil && !errors.Is(err, bus.ErrExists) {
		return nil, err
	}
	if fence.Ended == "" {
		return nil, nil
	}
	// A worker that took the call before the fence was stored did not see it,
	// and may run what can be repeated: the call is that worker's then. One that
	// takes it later looks at the fence.
	if h := d.Bus.Probe(ctx, r.tenant, r.callID); h != nil && h.State == bus.StateRunning {
		return nil, nil
	}
	if fence.Ended != string(reason.Kind) {
		reason = tool.Fail(tool.Kind(fence.Ended), "the call was ended before it started; it did nothing")
	}
	if err := failpoint.Hit(failpoint.DispatcherAfterEnd); err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx) // whoever asked may leave; half of it must not stay
	element, err := d.conclude(ctx, r, reason)
	if err == nil {
		// A worker that was about to park the call may have done so before the
		// fence was stored; after it, the worker sees the fence itself.
		_, err = d.Parked.Cancel(ctx, r.tenant, r.callID, identity.Of(ctx).Called())
	}
	return element, err
}

// conclude puts the end of a call that will never start on record, and then
// stores it. In this order, so that a result which names no worker is on record:
// whoever finds one need not ask. A result that is there already is the end.
func (d *Dispatcher) conclude(ctx context.Context, r ref, reason *tool.Error) ([]byte, error) {
	if element, err := d.element(ctx, r); element != nil || err != nil {
		return element, err
	}
	if err := d.Trail.WriteOnce(ctx, endRecord(ctx, r, reason)); err != nil {
		return nil, err
	}
	el := bus.Failed(r.callID, r.toolCallID, r.traceID, r.tool, reason)
	element := encode(&el)
	err := d.Bus.FinishWait(ctx, r.tenant, r.origin, r.callID, element)
	switch {
	case err == nil:
		d.Bus.Tell(r.tenant, r.traceID, r.callID, r.tool, bus.EventDone, fmt.Appendf(nil, `{"status":"error","error_type":%q}`, reason.Kind))
		return element, nil
	case errors.Is(err, bus.ErrExists):
		return d.element(ctx, r)
	default:
		return nil, err
	}
}

// element is the stored result of a call, nil if there is none.
func (d *Dispatcher) element(ctx context.Context, r ref) ([]byte, error) {
	stored, err := d.Bus.Result(ctx, r.tenant, r.callID)
	if stored == nil || err != nil {
		return nil, err
	}
	return stored.Element, nil
}

// endRecord tells that a call was ended before it started. Its id is the same
// whichever dispatcher ends the call: the one of attempt 0, which no worker has.
func endRecord(ctx context.Context, r ref, reason *tool.Error) *audit.Record {
	phase := audit.Refused
	if reason.Kind == tool.Cancelled {
		phase = audit.Cancelled
	}
	now := time.Now()
	return &audit.Record{
		AuditID: "f-" + r.callID + "-0",
		Phase:   phase, TraceID: r.traceID, CallID: r.callID, Tenant: r.tenant, User: r.user, Agent: r.agent, Conversation: r.conversation,
		By: identity.Of(ctx).Called(), Tool: r.tool, EndedAt: &now,
		Decision: &audit.Decision{Outcome: audit.Blocked, Reason: reason.Msg},
		Result:   &audit.Result{Status: bus.StatusError, ErrorType: string(reason.Kind)},
	}
}

// unended answers a cancel that could not be carried to its end.
func unended(err error) *RequestError {
	if !errors.Is(err, bus.ErrFull) {
		return unavailable()
	}
	return &RequestError{
		Type: "unavailable", Status: http.StatusServiceUnavailable, RetryAfter: time.Second,
		Msg: "the call will not start any more, but the audit trail takes no more records, so its end is not stored; tell the operator to raise audit.max_bytes or to shorten audit.max_age, then cancel it again",
	}
}
