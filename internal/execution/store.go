package execution

import (
	"context"
	"errors"
	"strconv"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/x/failpoint"
	"github.com/helve-dev/helve/internal/x/gopool"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// encode encodes the result and its record. While a large result cannot be moved out, this
// worker still owns the call: its outcome is known here, and no other process may declare
// it unknown.
func (x *Executor) encode(ctx context.Context, r *run) state {
	c, el := r.call, r.result
	if len(el.Result)+len(el.Text)+len(el.Content) > x.InlineLimit {
		if err := x.moveOut(context.WithoutCancel(ctx), c, el); err != nil {
			x.notStored("large result not stored; trying again", c.ID, err)
			return x.retry(r, encoding)
		}
	}
	data, err := x.Results.Encode(el)
	if err != nil {
		bad := x.failedResult(c, tool.Fail(tool.ExecutionError, "the tool returned a result that cannot be encoded as JSON"))
		bad.Attempt, bad.Worker, bad.DurationMS, bad.ArgsHash = el.Attempt, el.Worker, el.DurationMS, el.ArgsHash
		r.result, r.record.Result = bad, &protocol.AuditResult{Status: bad.Status, ErrorType: string(bad.ErrorType), Summary: bad.Message}
		return encoding
	}
	if r.lost != nil {
		r.record.Detail, r.lost = <-r.lost, nil
	}
	line, err := x.Records.Encode(r.record)
	if err != nil {
		x.Log.Error("audit record not encoded", zap.String("call_id", c.ID), zap.Error(err))
	}
	r.encoded, r.line = data, line
	return publishing
}

// publish stores the result with its record, and tries again until a result is stored: this
// one, or that of another attempt, which has its own record.
func (x *Executor) publish(r *run) state {
	if err := failpoint.Hit(failpoint.WorkerAfterTool); err != nil {
		return x.retry(r, publishing)
	}
	one := Ended{
		Call: r.call, Acts: r.acts, Failed: r.result.Status != protocol.StatusSuccess, Result: r.encoded, Record: r.line, Arguments: r.args,
	}
	x.Results.Store(one, func(err error) {
		switch {
		case errors.Is(err, ErrExists):
			gopool.Go(func() { x.advance(context.Background(), r, comparing) }, nil) // it reads and waits, and acknowledgements must not
		case err != nil:
			x.notStored("result not stored; trying again", r.call.ID, err)
			x.retry(r, publishing)
		default:
			x.advance(context.Background(), r, stored)
		}
	})
	return pending
}

// onDuplicateResult ends a delivery whose result was refused because there is one: of
// another attempt, or this very one, whose acknowledgement was lost.
func (x *Executor) onDuplicateResult(ctx context.Context, r *run) state {
	c := r.call
	first, err := x.Results.Find(ctx, c.Tenant, c.Pool, c.ID)
	switch {
	case first == nil || err != nil:
		return x.retry(r, publishing)
	case first.Worker == r.result.Worker && first.Attempt == r.result.Attempt:
		return stored
	}
	return settled
}

// moveTimeout bounds moving one large result.
const moveTimeout = 30 * time.Second

// moveOut puts a result that is too large for a message into the object store.
func (x *Executor) moveOut(ctx context.Context, c *Call, el *protocol.Result) error {
	ctx, cancel := context.WithTimeout(ctx, moveTimeout)
	defer cancel()
	name := x.Worker + "-" + strconv.Itoa(c.Attempt)
	var err error
	if el.TextRef == nil && len(el.Text) > 0 {
		if el.TextRef, err = x.Results.StoreLarge(ctx, c, name+"-text", []byte(el.Text)); err != nil {
			return err
		}
		el.Text = ""
	}
	if el.ContentRef == nil && len(el.Content) > 0 {
		if el.ContentRef, err = x.Results.StoreLarge(ctx, c, name+"-content", el.Content); err != nil {
			return err
		}
		el.Content = nil
	}
	if el.ResultRef == nil && len(el.Result) > 0 {
		if el.ResultRef, err = x.Results.StoreLarge(ctx, c, name, el.Result); err != nil {
			return err
		}
		el.Result = nil
	}
	return nil
}
