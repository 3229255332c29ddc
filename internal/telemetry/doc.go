// Package telemetry is what an operator sees of a running process: its log
// ([NewLogger]), its metrics ([Metrics]), whether it is well ([Health]), its
// traces ([Tracing]) and the HTTP handler that serves them ([Admin]).
//
// It promises that nothing here slows or fails a call: recording a metric, or
// starting a span while tracing is off, takes a small part of a microsecond, a
// collector that is down loses spans and nothing else, and a health check that
// hangs is reported as failing within a second. No metric has a label that names a user, a call or
// a trace, and the number of series is bounded.
//
// It keeps no state outside the values it returns: no default registry, no
// global tracer, so that one process can hold several. It does not decide what
// is logged or measured; whoever does the work reports it.
package telemetry
