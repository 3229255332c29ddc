package calllog

import (
	"errors"
	"io/fs"
	"net/url"
	"os"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/lib/reason"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Logger counts each call and writes a log line about it: ids, outcome, times and why it
// failed, never arguments, results or secrets. The line of a success has the level debug.
type Logger struct {
	Kit   *telemetry.Kit
	Pools map[string]*telemetry.Pool
	Ended map[string]*Ended // by pool
}

// Record implements [engine.Recorder].
func (r Logger) Record(j *engine.Job, o *engine.Outcome) {
	name, label := "unknown", telemetry.ToolLabel(nil) // a name nobody registered must not become a label
	if def := j.Definition(); def != nil {
		name, label = def.Name, telemetry.ToolLabel(def)
	}
	if o.Control == nil && o.Err == nil {
		r.count(j, label, protocol.StatusSuccess, "", o)
		// Its audit record has the same, so the line is only for debugging.
		if line := r.Kit.Log.Check(zap.DebugLevel, "call finished"); line != nil {
			line.Write(append(fieldsOf(j, o, name), zap.String("status", protocol.StatusSuccess))...)
		}
		return
	}
	fields := fieldsOf(j, o, name)
	switch {
	case errors.Is(o.Control, engine.ErrParked):
		r.Kit.Log.Info("call parked", append(fields, zap.String("reason", j.Decision.Reason))...)
		return
	case errors.Is(o.Control, engine.ErrCrowded): // again and again, while it waits
		r.Kit.Log.Debug("call put back", append(fields, zap.NamedError("reason", o.Control))...)
		return
	case o.Control != nil:
		r.Kit.Log.Info("call put back", append(fields, zap.NamedError("reason", o.Control))...)
		return
	}
	kind := string(o.Err.Kind)
	r.count(j, label, protocol.StatusError, kind, o)
	fields = append(fields, zap.String("error_type", kind), zap.String("message", reason.Of(o.Err.Msg, j.Args)),
		zap.NamedError("cause", cause(o.Err)), zap.String("status", protocol.StatusError))
	if p := panicOf(o.Err); p != nil {
		r.Kit.Log.Error("tool panicked", append(fields, zap.ByteString("stack", p.Stack))...)
		return
	}
	r.Kit.Log.Info("call finished", fields...)
}

// count counts a call that ended: by tool, tenant and pool.
func (r Logger) count(j *engine.Job, label, status, kind string, o *engine.Outcome) {
	r.Kit.Metrics.CallTraced(label, status, kind, o.Ran, o.Total-o.Ran, j.TraceID, j.SpanID)
	r.Kit.Metrics.TenantCall(j.Tenant, status)
	for _, u := range o.Result.Usage {
		r.Kit.Metrics.Add(telemetry.ServiceTokens, u.Input, u.Service, "input")
		r.Kit.Metrics.Add(telemetry.ServiceTokens, u.Output, u.Service, "output")
	}
	if p := r.Pools[poolOf(j)]; p != nil {
		p.Done(status == protocol.StatusSuccess, j.Queued+o.Total)
	}
	r.Ended[poolOf(j)].count(status == protocol.StatusSuccess, j.Queued+o.Total)
}

// poolOf returns the pool whose tool a job calls; empty if there is no such tool.
func poolOf(j *engine.Job) string {
	if def := j.Definition(); def != nil {
		return def.Pool
	}
	return ""
}

// fieldsOf returns the fields that every line about a call has. The queue time is that from
// accepting the call to starting it; a nested call has none.
func fieldsOf(j *engine.Job, o *engine.Outcome, name string) []zap.Field {
	fields := append(make([]zap.Field, 0, 19), zap.String("trace_id", j.TraceID), zap.String("call_id", j.ID), zap.String("tool", name),
		zap.String("tenant", j.Tenant), zap.String("user", j.User), zap.String("agent", j.Agent), zap.String("pool", poolOf(j)),
		zap.Int("attempt", j.Attempt), zap.Float64("ran_seconds", o.Ran.Seconds()), zap.Float64("total_seconds", o.Total.Seconds()))
	if j.SpanID != "" {
		fields = append(fields, zap.String("span_id", j.SpanID))
	}
	if !j.Nested {
		fields = append(fields, zap.Float64("queued_seconds", j.Queued.Seconds()))
	}
	return fields
}

// panicOf returns the panic that a call ended in, or nil.
func panicOf(failed *tool.Error) *engine.PanicError {
	if failed == nil {
		return nil
	}
	p, _ := errors.AsType[*engine.PanicError](failed.Cause)
	return p
}

// cause returns the cause of a failed call, for the operator. Errors of the standard library
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
