// Package trail writes audit records onto NATS, for dispatchers and workers.
//
// It promises that a record counts as written only when the stream has
// acknowledged it, and that every record names the process it came from. It
// keeps nothing: a caller that must not continue without a record waits for it.
//
// The final record of a call is stored with the result of the call, in one message, and
// a [Pump] writes it to the trail, exactly once:
//
//	HELVE_RESULTS  result, with the record in its header
//	FollowFinals   headers only, in order, from the noted place on
//	gather         at most 50 ms; for each tenant at most 1,000 records and 512 KiB
//	WriteBlock     HELVE_AUDIT, one record a line, with the signed range of results; the
//	               server refuses it if the tenant's last block is not the block that was read
//	tidy           notes the place that is written, purges older results before it
package trail

import (
	"context"
	"errors"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/audit/proof"
	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Writer writes the audit records of one process to the trail.
type Writer struct {
	Queue   *queue.Queue
	Metrics *telemetry.Metrics
	Log     *zap.Logger
	// Proof proves that this process wrote the records; nil proves nothing.
	Proof *proof.Process
}

// Write stores a record and returns when it is stored. natsio.ErrFull means that
// the trail is full.
func (w Writer) Write(ctx context.Context, r *protocol.AuditRecord) error {
	done := make(chan error, 1)
	w.Send(r, func(err error) { done <- err })
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
func (w Writer) Send(r *protocol.AuditRecord, done func(error)) {
	data, err := w.Encode(r)
	if err != nil {
		done(err)
		return
	}
	stream.On(w.Queue.Conn).Record(r.Tenant, r.Tool, data, w.counted(done))
}

// Encode returns a record as it is stored, with the process that it comes from.
func (w Writer) Encode(r *protocol.AuditRecord) ([]byte, error) {
	if r.Worker == "" {
		r.Worker = w.Queue.Conn.ID()
	}
	return encode(w.Proof, r)
}

func encode(p *proof.Process, r *protocol.AuditRecord) ([]byte, error) {
	data, err := audit.Encode(r)
	if err != nil || p == nil {
		return data, err
	}
	return p.Prove(data), nil
}

// End stores the result of a call together with its final record, and returns when they
// are stored. [natsio.ErrExists] means that another end of the call was first.
func (w Writer) End(ctx context.Context, pool, origin string, element []byte, r *protocol.AuditRecord) error {
	record, err := w.Encode(r)
	if err == nil {
		err = w.Queue.Results.FinishWait(ctx, r.Tenant, pool, origin, r.CallID, element, record)
	}
	w.count(err)
	return err
}

func (w Writer) counted(done func(error)) func(error) {
	return func(err error) {
		w.count(err)
		done(err)
	}
}

// count counts a record that was stored, or was not: a record of a result that another
// record was faster than is neither.
func (w Writer) count(err error) {
	switch {
	case err == nil:
		w.Metrics.AuditStored()
	case errors.Is(err, natsio.ErrExists):
	case errors.Is(err, natsio.ErrFull):
		w.Metrics.Count(telemetry.AuditRefused, "full")
	default:
		w.Metrics.Count(telemetry.AuditRefused, "unavailable")
	}
}

// Refusal returns the error that a call ends in whose record could not be written before
// it acted: a permanent error for a full trail, and err otherwise.
func Refusal(err error) error {
	if errors.Is(err, natsio.ErrFull) {
		return tool.Fail(tool.Internal, "the audit trail takes no more records, so the call was not run; "+
			"tell the operator to raise audit.max_bytes or to shorten audit.max_age").Because(err)
	}
	return err
}
