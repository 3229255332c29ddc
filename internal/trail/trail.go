// Package trail writes audit records onto the bus, for dispatchers and workers.
//
// It promises that a record counts as written only when the stream has
// acknowledged it, and that every record names the process it came from. It
// keeps nothing: who must not go on without a record waits for it.
package trail

import (
	"context"
	"errors"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/tool"
)

// Trail is one process's part of the audit trail.
type Trail struct {
	Bus     *bus.Bus
	Metrics *telemetry.Metrics
	Log     *zap.Logger
}

// Write stores a record and returns when it is stored. bus.ErrFull means that
// the trail takes no more.
func (t Trail) Write(ctx context.Context, r *audit.Record) error {
	done := make(chan error, 1)
	t.Send(r, func(err error) { done <- err })
	return wait(ctx, done)
}

// WriteOnce is Write for a record that another process may write too, with the
// same AuditID: see [bus.Bus.RecordOnce].
func (t Trail) WriteOnce(ctx context.Context, r *audit.Record) error {
	done := make(chan error, 1)
	t.SendOnce(r, func(err error) { done <- err })
	return wait(ctx, done)
}

func wait(ctx context.Context, done <-chan error) error {
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Send is Write without waiting: done is called once, soon, on the goroutine
// that reads acknowledgements.
func (t Trail) Send(r *audit.Record, done func(error)) {
	if data := t.encode(r, done); data != nil {
		t.Bus.Record(r.Tenant, r.Tool, data, t.counted(done))
	}
}

// SendOnce is WriteOnce without waiting, as Send is Write.
func (t Trail) SendOnce(r *audit.Record, done func(error)) {
	if data := t.encode(r, done); data != nil {
		t.Bus.RecordOnce(r.Tenant, r.Tool, r.AuditID, data, t.counted(done))
	}
}

// encode returns nil when it has called done.
func (t Trail) encode(r *audit.Record, done func(error)) []byte {
	if r.Worker == "" {
		r.Worker = t.Bus.ID()
	}
	data, err := audit.Encode(r)
	if err != nil {
		done(err)
		return nil
	}
	return data
}

func (t Trail) counted(done func(error)) func(error) {
	return func(err error) {
		if err == nil {
			t.Metrics.AuditStored()
		}
		done(err)
	}
}

// Refusal makes the failure to write a record before a call acts what the call
// ends in, where it is for good, and else leaves it.
func Refusal(err error) error {
	if errors.Is(err, bus.ErrFull) {
		return tool.Fail(tool.Internal, "the audit trail takes no more records, so the call was not run; tell the operator to raise audit.max_bytes or to shorten audit.max_age").Because(err)
	}
	return err
}

// Note is Send for what nobody waits for: a failure is in the log.
func (t Trail) Note(r *audit.Record) {
	t.Send(r, func(err error) {
		if err != nil {
			t.Log.Error("audit record not stored", zap.String("phase", string(r.Phase)), zap.String("call_id", r.CallID), zap.Error(err))
		}
	})
}
