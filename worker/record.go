package worker

import (
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/engine"
)

// recorder writes one log line and counts each call: ids, outcome and times,
// never arguments, results or secrets.
type recorder struct{ w *Worker }

// Record implements [engine.Recorder].
func (r recorder) Record(j *engine.Job, o *engine.Outcome) {
	name := "unknown" // a name nobody registered must not become a label
	if def := j.Definition(); def != nil {
		name = def.Name
	}
	status, kind := bus.StatusSuccess, ""
	fields := make([]zap.Field, 0, 12)
	fields = append(fields, zap.String("trace_id", j.TraceID), zap.String("call_id", j.ID), zap.String("tool", name),
		zap.String("tenant", j.Tenant), zap.Int("attempt", j.Attempt),
		zap.Duration("ran", o.Ran), zap.Duration("total", o.Total))
	switch {
	case o.Control != nil:
		r.w.kit.Log.Info("call put back", append(fields, zap.NamedError("reason", o.Control))...)
		return
	case o.Err != nil:
		status, kind = bus.StatusError, string(o.Err.Kind)
		fields = append(fields, zap.String("error_type", kind), zap.NamedError("cause", o.Err.Cause))
	}
	r.w.kit.Metrics.CallDone(name, status, kind, o.Ran, o.Total-o.Ran)
	r.w.kit.Log.Info("call", append(fields, zap.String("status", status))...)
}
