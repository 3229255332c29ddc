package dispatch

import (
	"context"
	"errors"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/dispatch/results"
	"github.com/helve-dev/helve/tool"
)

// full refuses a call while a part of the message store is full. Nothing is stored for
// it: the same call_id can be sent again.
func (d *Dispatcher) full(req *Request, c *Call, short error, part string) callOutcome {
	if errors.Is(short, natsio.ErrUnavailable) {
		return callOutcome{err: short}
	}
	def, ok := d.Catalog.Of(req.Tenant, req.User).In(req.Conversation).Lookup(c.Tool)
	if ok {
		d.Metrics.Pool(queue.BasePool(def.Pool)).Overloaded()
	}
	d.countRefused(req.Tenant, def, tool.Overloaded)
	el := refusalOf(req, c, tool.Fail(tool.Overloaded, "the call was not accepted: %s", short))
	el.Metadata = map[string]any{"retry_after_ms": overloadRetry.Milliseconds()}
	return callOutcome{element: encode(&el), overloaded: overloadRetry, reason: part}
}

// unrecorded answers a call whose refusal could not be put on record.
func (d *Dispatcher) unrecorded(req *Request, c *Call, err error) callOutcome {
	if short := d.Queue.Full(); short != nil {
		return d.full(req, c, short, short.What)
	}
	return callOutcome{err: err}
}

// known reports whether a call that the caller named was accepted before: it is
// joined, also while no new ones are accepted.
func (d *Dispatcher) known(ctx context.Context, req *Request, c *Call, made bool) bool {
	if made || c.Problem != nil {
		return false
	}
	if rec, err := d.Queue.Calls.Accepted(ctx, req.Tenant, c.ID); err == nil && rec != nil {
		return true
	}
	stored, err := d.results.Find(ctx, results.Named(req.Tenant, c.ID))
	return err == nil && stored != nil
}
