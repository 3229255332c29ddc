package worker

import (
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/engine"
)

// Metrics counts what a worker does; internal/telemetry implements it.
type Metrics interface {
	// CallDone counts a finished call: time in the tool, and everything else.
	CallDone(tool, status, errorType string, ran, overhead time.Duration)
	// Queued times from acceptance to start.
	Queued(pool string, waited time.Duration)
	InFlight(pool string, delta int)
	Redelivered()
	Stuck(delta int)
	DeadLetter()
}

// taken counts a call that came off the queue.
func (w *Worker) taken(d *bus.Delivery) {
	w.Metrics.Queued(d.Pool, time.Since(d.Accepted()))
	if d.Attempt > 1 {
		w.Metrics.Redelivered()
	}
}

// recorder writes one log line and counts each call: ids, outcome and times,
// never arguments, results or secrets.
type recorder struct{ w *Worker }

// Record implements [engine.Recorder].
func (r recorder) Record(j *engine.Job, o *engine.Outcome) {
	name := "unknown" // a name nobody registered must not become a label
	if def := j.Definition(); def != nil {
		name = def.Name
	}
	status, kind, level := bus.StatusSuccess, "", zap.InfoLevel
	fields := make([]zap.Field, 0, 12)
	fields = append(fields, zap.String("trace_id", j.TraceID), zap.String("call_id", j.ID), zap.String("tool", name),
		zap.String("tenant", j.Tenant), zap.Int("attempt", j.Attempt),
		zap.Duration("ran", o.Ran), zap.Duration("total", o.Total))
	switch {
	case o.Control != nil:
		r.w.Log.Info("call put back", append(fields, zap.NamedError("reason", o.Control))...)
		return
	case o.Err != nil:
		status, kind = bus.StatusError, string(o.Err.Kind)
		fields = append(fields, zap.String("error_type", kind), zap.NamedError("cause", o.Err.Cause))
	}
	r.w.Metrics.CallDone(name, status, kind, o.Ran, o.Total-o.Ran)
	if entry := r.w.Log.Check(level, "call"); entry != nil {
		entry.Write(append(fields, zap.String("status", status))...)
	}
}
