package telemetry

import (
	"net/http"
	"net/http/pprof"
)

// AdminOptions configures [Admin].
type AdminOptions struct {
	Metrics *Metrics
	Health  *Health
	// Pprof also serves /debug/pprof/. A client that reaches it can slow the process
	// down and read its memory.
	Pprof bool
	// HealthOnly serves only /healthz and /readyz.
	HealthOnly bool
}

// Admin serves GET /metrics, /healthz and /readyz, and with Pprof
// /debug/pprof/. Everything else is 404. The command line is never served,
// because it may hold a password.
func Admin(opts AdminOptions) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /healthz", opts.Health.Live())
	mux.Handle("GET /readyz", opts.Health.Ready())
	if opts.HealthOnly {
		return mux
	}
	mux.Handle("GET /metrics", opts.Metrics.Handler())
	if opts.Pprof {
		mux.HandleFunc("GET /debug/pprof/", pprof.Index)
		mux.HandleFunc("GET /debug/pprof/cmdline", http.NotFound)
		mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	}
	return mux
}
