package telemetry

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"sync"
	"time"
)

// checkTimeout limits a check, and so the answer of /readyz.
const checkTimeout = time.Second

// Health reports whether the process is ready for work. Its zero value is ready to use;
// all methods are safe for concurrent use.
type Health struct {
	mu       sync.Mutex
	checks   map[string]*check
	info     map[string]string
	draining bool
}

// Add registers a check under name, replacing an earlier one. run returns nil if the
// process is ready, otherwise an error for the operator. A run that takes longer than
// one second has failed. Concurrent probes share one run.
func (h *Health) Add(name string, run func(context.Context) error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.checks == nil {
		h.checks = map[string]*check{}
	}
	h.checks[name] = &check{run: run}
}

// Remove removes the check registered under name: its part of the process has ended.
func (h *Health) Remove(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.checks, name)
}

// Describe shows value under name on /readyz, ready or not.
func (h *Health) Describe(name, value string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.info == nil {
		h.info = map[string]string{}
	}
	h.info[name] = value
}

// Drain makes the process permanently not ready: it finishes its work and accepts
// nothing new. It stays alive.
func (h *Health) Drain() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.draining = true
}

// Draining reports whether [Health.Drain] was called.
func (h *Health) Draining() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.draining
}

// report is the body of both handlers.
type report struct {
	// Status is live; or ready, not_ready or draining.
	Status string `json:"status"`
	// Checks maps each check to "ok" or its problem.
	Checks map[string]string `json:"checks,omitempty"`
	Info   map[string]string `json:"info,omitempty"`
}

// Live answers 200 as long as the process can answer at all. It runs no checks:
// restarting the process would not restore a lost NATS connection.
func (h *Health) Live() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, report{Status: "live"})
	})
}

// Ready answers 200 if every check passes, otherwise, or during a drain, 503. The body
// is {"status": "ready|not_ready|draining", "checks": {name: "ok"|problem}, "info":
// {…}}.
func (h *Health) Ready() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rep := h.report(r.Context())
		status := http.StatusOK
		if rep.Status != "ready" {
			status = http.StatusServiceUnavailable
		}
		answer(w, status, rep)
	})
}

func (h *Health) report(ctx context.Context) report {
	h.mu.Lock()
	checks := maps.Clone(h.checks)
	rep := report{Status: "ready", Checks: map[string]string{}, Info: maps.Clone(h.info)}
	h.mu.Unlock()

	var mu sync.Mutex
	var wg sync.WaitGroup
	for name, c := range checks {
		wg.Go(func() {
			err := c.probe(ctx)
			mu.Lock()
			defer mu.Unlock()
			rep.Checks[name] = "ok"
			if err != nil {
				rep.Checks[name] = err.Error()
				rep.Status = "not_ready"
			}
		})
	}
	wg.Wait()

	// Read last, so that a drain that began meanwhile is reported.
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.draining {
		rep.Status = "draining"
	}
	return rep
}

func answer(w http.ResponseWriter, status int, rep report) {
	body, err := json.Marshal(rep)
	if err != nil { // a map of strings always encodes
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	fmt.Fprintf(w, "%s\n", body)
}
