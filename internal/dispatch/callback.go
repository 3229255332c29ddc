package dispatch

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/dispatch/results"
	"github.com/helve-dev/helve/internal/x/failpoint"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Callbacks stores the callbacks of requests, which another part sends.
type Callbacks interface {
	// Await stores that the result of a call is to be sent, once for each URL.
	// natsio.ErrFull means that there is no room, and a [*tool.Error] is the answer to the
	// call.
	Await(ctx context.Context, to *protocol.Callback, tenant, callID string, c queue.Acceptance) error
	// Withdraw removes the callback of a call that was not accepted.
	Withdraw(ctx context.Context, to *protocol.Callback, tenant, callID string) error
	// Send stores an element that is to be sent and that nothing else stores, under a new
	// id.
	Send(ctx context.Context, to *protocol.Callback, tenant, id, callID string, c queue.Acceptance, element []byte) error
}

// promise stores the callback of a call, if the request has one, before the call is queued:
// whichever process dies then, its result is sent. It must be known that the call is the
// sender's. If there is no room it returns the answer to the call, which is not accepted.
func (d *Dispatcher) promise(
	ctx context.Context, req *Request, c *Call, def *tool.Definition, rec queue.Acceptance,
) (refusal callOutcome, ok bool) {
	if req.Callback == nil {
		return callOutcome{}, true
	}
	err := d.Callbacks.Await(ctx, req.Callback, req.Tenant, c.ID, rec)
	if err == nil {
		err = failpoint.Hit(failpoint.DispatcherAfterCallback)
	}
	if err != nil {
		return d.callbackRefused(req, c, def, err), false
	}
	c.promised = true
	return callOutcome{}, true
}

// ended answers a call that has ended before, with its element, and has that sent to the
// callback of this request.
func (d *Dispatcher) ended(
	ctx context.Context, req *Request, c *Call, def *tool.Definition, e *call.Call, hash string, element []byte,
) callOutcome {
	out, own := d.ofThisCall(ctx, req, c, e, hash, element)
	if !own {
		return out
	}
	if answer, ok := d.promise(ctx, req, c, def, acceptance(e, results.Named(e.Tenant, e.ID), hash)); !ok {
		return answer
	}
	return out
}

// callbackRefused answers a call whose callback was not stored.
func (d *Dispatcher) callbackRefused(req *Request, c *Call, def *tool.Definition, err error) callOutcome {
	if over, ok := errors.AsType[*tool.Error](err); ok {
		return d.crowded(req, c, def, over)
	}
	if !errors.Is(err, natsio.ErrFull) {
		return callOutcome{err: err}
	}
	d.countRefused(req.Tenant, def, tool.Overloaded)
	reason := "callbacks cannot be stored: " + err.Error()
	el := refusalOf(req, c, tool.Fail(tool.Overloaded, "the call was not accepted: %s", reason))
	el.Metadata = map[string]any{"retry_after_ms": overloadRetry.Milliseconds()}
	return callOutcome{element: encode(&el), overloaded: overloadRetry, reason: reason}
}

// crowded refuses a call of a tenant that has as many callbacks as it may. Nothing is stored
// for it: the same call_id can be sent again.
func (d *Dispatcher) crowded(req *Request, c *Call, def *tool.Definition, over *tool.Error) callOutcome {
	d.countRefused(req.Tenant, def, over.Kind)
	el := refusalOf(req, c, over)
	el.Metadata = map[string]any{"retry_after_ms": overloadRetry.Milliseconds()}
	return callOutcome{element: encode(&el), overloaded: overloadRetry, reason: over.Msg, limited: true}
}

// releaseRefused takes back the acceptance of a call whose callback found no room, so that its
// call_id can be sent again.
func (d *Dispatcher) releaseRefused(ctx context.Context, req *Request, c *Call, rec *queue.Acceptance, refusal callOutcome) callOutcome {
	if refusal.overloaded == 0 {
		return refusal
	}
	if out := d.release(ctx, req, c, rec, natsio.ErrFull); !errors.Is(out.err, natsio.ErrFull) {
		return out
	}
	return refusal
}

// withdraw removes the callback of a call that the queue refused and whose id was made here.
func (d *Dispatcher) withdraw(ctx context.Context, req *Request, c *Call) {
	if req.Callback == nil {
		return
	}
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), req.until())
	defer cancel()
	if err := d.Callbacks.Withdraw(ctx, req.Callback, req.Tenant, c.ID); err != nil {
		d.Log.Warn("callback of a refused call not removed; it expires", zap.String("call", req.Tenant+"/"+c.ID), zap.Error(err))
	}
}

// Outcome returns the result element of a call that was accepted with a callback, nil if it
// has none yet. A call that is overdue and that nobody has is ended, as when somebody asks
// for it. Large values are in the element up to [DefaultInline].
func (d *Dispatcher) Outcome(ctx context.Context, tenant, callID string, rec queue.Acceptance) ([]byte, error) {
	stored, err := d.results.Find(ctx, results.Accepted(tenant, callID, &rec).AnyPool())
	if err != nil {
		return nil, err
	}
	if stored != nil {
		return d.inlineUpTo(ctx, stored.Element, DefaultInline)
	}
	if time.Now().Before(time.UnixMilli(rec.StartByMS).Add(lateGrace)) {
		return nil, nil
	}
	accepted, err := d.Queue.Calls.Accepted(ctx, tenant, callID)
	if accepted == nil || err != nil {
		return nil, err
	}
	element, err := d.expire(ctx, refOf(tenant, callID, accepted))
	if element == nil || err != nil {
		return nil, err
	}
	return d.inlineUpTo(ctx, element, DefaultInline)
}
