package worker

import (
	"errors"
	"io/fs"
	"net/url"
	"os"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/tool"
)

// recorder writes one log line and counts each call: ids, outcome and times,
// never arguments, results or secrets.
type recorder struct{ w *Worker }

// Record implements [engine.Recorder].
func (r recorder) Record(j *engine.Job, o *engine.Outcome) {
	name, label := "unknown", telemetry.ToolLabel(nil) // a name nobody registered must not become a label
	if def := j.Definition(); def != nil {
		name, label = def.Name, telemetry.ToolLabel(def)
	}
	status, kind := bus.StatusSuccess, ""
	fields := make([]zap.Field, 0, 12)
	fields = append(fields, zap.String("trace_id", j.TraceID), zap.String("call_id", j.ID), zap.String("tool", name),
		zap.String("tenant", j.Tenant), zap.Int("attempt", j.Attempt),
		zap.Duration("ran", o.Ran), zap.Duration("total", o.Total))
	switch {
	case errors.Is(o.Control, engine.ErrParked):
		r.w.kit.Log.Info("call parked", append(fields, zap.String("reason", j.Decision.Reason))...)
		return
	case o.Control != nil:
		r.w.kit.Log.Info("call put back", append(fields, zap.NamedError("reason", o.Control))...)
		return
	case o.Err != nil:
		status, kind = bus.StatusError, string(o.Err.Kind)
		fields = append(fields, zap.String("error_type", kind), zap.NamedError("cause", cause(o.Err)))
	}
	r.w.kit.Metrics.CallDone(label, status, kind, o.Ran, o.Total-o.Ran)
	r.w.kit.Log.Info("call", append(fields, zap.String("status", status))...)
}

// cause is why a call failed, for the operator. Errors of the standard library
// quote URLs and paths, which are arguments: of those only the reason is shown.
func cause(failed *tool.Error) error {
	err := failed.Cause
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}
