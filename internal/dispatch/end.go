package dispatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/helve-dev/helve/internal/bus/events"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/dispatch/results"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/identity"
	reasons "github.com/helve-dev/helve/internal/lib/reason"
	"github.com/helve-dev/helve/internal/x/failpoint"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// expire ends a call whose time is over and that nobody runs.
func (d *Dispatcher) expire(ctx context.Context, r ref) ([]byte, error) {
	if waits, err := d.waitsStill(ctx, r.Tenant, r.CallID); waits || err != nil {
		return nil, err
	}
	if h := d.Queue.Owners.Find(ctx, r.Tenant, r.CallID); h != nil && h.State == protocol.StateRunning {
		return nil, nil
	}
	return d.end(ctx, r, tool.Fail(tool.Timeout, "the call waited too long for a free worker and did not run"))
}

// end stores the result of a call that has not started. The fence ensures that: once it is
// stored no worker lets the call act. It returns nil if a worker was first, or may have
// committed the call; the call then ends by that worker or by the next one it is delivered
// to.
func (d *Dispatcher) end(ctx context.Context, r ref, reason *tool.Error) ([]byte, error) {
	fence, err := d.Queue.Calls.Fence(ctx, r.Tenant, r.CallID, call.Fence{
		By: d.Queue.Conn.ID(), AtMS: time.Now().UnixMilli(), Ended: string(reason.Kind),
	})
	if err != nil && !errors.Is(err, natsio.ErrExists) {
		return nil, err
	}
	if fence.Ended == "" {
		return nil, nil
	}
	// A worker that took the call before the fence was stored did not see it, and may
	// run a call that can be repeated: that worker ends it then. A worker that takes it
	// later reads the fence.
	if h := d.Queue.Owners.Find(ctx, r.Tenant, r.CallID); h != nil && h.State == protocol.StateRunning {
		return nil, nil
	}
	if d.commits(r) {
		// A worker may have died after it committed the call. The next worker reads the
		// store, and then ends the call by the fence.
		if never, err := d.Queue.Inspector.Undelivered(ctx, r.Tenant, r.Pool, r.tool, r.CallID); !never || err != nil {
			return nil, err
		}
	}
	if fence.Ended != string(reason.Kind) {
		reason = tool.Fail(tool.Kind(fence.Ended), "the call was ended before it started; it did nothing")
	}
	if err := failpoint.Hit(failpoint.DispatcherAfterEnd); err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx) // the caller may disconnect; the end must be complete
	element, err := d.conclude(ctx, r, reason)
	if err == nil {
		// A worker that was about to park the call may have done so before the
		// fence was stored; after it, the worker sees the fence itself.
		_, err = d.Parked.Cancel(ctx, r.Tenant, r.CallID, identity.Of(ctx).Called())
	}
	return element, err
}

// commits reports whether a call may commit changes that only a worker can find: its tool
// is transactional, or runs another tool that may be.
func (d *Dispatcher) commits(r ref) bool {
	user := ""
	if r.owner != nil {
		user = r.owner.User
	}
	def, ok := d.Catalog.Of(r.Tenant, user).Lookup(r.tool)
	return ok && (def.Transactional || def.Name == catalog.UseTool)
}

// conclude stores the result of a call that will never start, with its record. A result
// that is there already is the end.
func (d *Dispatcher) conclude(ctx context.Context, r ref, reason *tool.Error) ([]byte, error) {
	if element, err := d.element(ctx, r, d.results.FindLatest); element != nil || err != nil {
		return element, err
	}
	el := call.Failed(r.CallID, r.toolCallID, r.traceID, r.tool, r.owner, reason)
	el.Origin = r.via
	element := encode(&el)
	err := d.Trail.End(ctx, r.Pool, r.origin, element, endRecord(ctx, r, reason))
	switch {
	case err == nil:
		about := events.About{Tenant: r.Tenant, TraceID: r.traceID, CallID: r.CallID, Tool: r.tool, Owner: r.owner}
		d.Queue.Events.Tell(about, protocol.EventDone, fmt.Appendf(nil, `{"status":"error","error_type":%q}`, reason.Kind))
		return d.results.First(ctx, r.Ref, element)
	case errors.Is(err, natsio.ErrExists):
		return d.element(ctx, r, d.results.FindLatest)
	default:
		return nil, err
	}
}

// element is the stored result of a call, nil if there is none.
func (d *Dispatcher) element(
	ctx context.Context, r ref, find func(context.Context, results.Ref) (*queue.Stored, error),
) ([]byte, error) {
	stored, err := find(ctx, r.Ref)
	if stored == nil || err != nil {
		return nil, err
	}
	return stored.Element, nil
}

// endRecord tells that a call was ended before it started. Its id is the same
// whichever dispatcher ends the call: the one of attempt 0, which no worker has.
func endRecord(ctx context.Context, r ref, reason *tool.Error) *protocol.AuditRecord {
	phase := protocol.AuditRefused
	if reason.Kind == tool.Cancelled {
		phase = protocol.AuditCancelled
	}
	now := time.Now()
	owner := protocol.Owner{}
	if r.owner != nil {
		owner = *r.owner
	}
	record := &protocol.AuditRecord{
		ID:    "f-" + r.CallID + "-0",
		Phase: phase, TraceID: r.traceID, CallID: r.CallID, Tenant: r.Tenant, User: owner.User, Agent: owner.Agent, Conversation: r.conversation,
		By: identity.Of(ctx).Called(), Tool: r.tool, EndedAt: &now, Origin: r.via,
		Decision: &protocol.AuditDecision{Outcome: protocol.OutcomeBlocked, Reason: reason.Msg},
		Result:   &protocol.AuditResult{Status: protocol.StatusError, ErrorType: string(reason.Kind), Summary: reasons.Of(reason.Msg, nil)},
	}
	if !r.accepted.IsZero() {
		record.AcceptedAt = &r.accepted
	}
	return record
}

// cancelError answers a cancel that could not be carried to its end.
func cancelError(err error) *Error {
	switch {
	case errors.Is(err, results.ErrBehind):
		return readError(err)
	case !errors.Is(err, natsio.ErrFull):
		return unavailable()
	}
	return &Error{
		Kind: Unavailable, RetryAfter: time.Second,
		Msg: "the call will not start any more, but there is no room for results, so its end is not stored; " +
			"tell the operator to raise streams.results_max_bytes or to shorten streams.results_max_age, then cancel it again",
	}
}
