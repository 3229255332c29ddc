// Package telemetry provides the log of a process ([NewLogger]), its metrics
// ([Metrics]), its health ([Health]), its traces ([Tracing]) and the HTTP handler that
// serves them ([Admin]).
//
// It promises that nothing here slows or fails a call: recording a metric, or starting
// a span while tracing is off, takes a small part of a microsecond, an unreachable
// collector loses only spans, and a health check that hangs is reported as failing
// within a second. No metric has a label with a user, a call or a trace, and the number
// of series is limited.
//
// It keeps no state outside the values it returns: no default registry, no global
// tracer, so that one process can hold several. It does not decide what is logged or
// measured; the callers do.
package telemetry
