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

// checkTimeout bounds a check, and so the answer of /readyz.
const checkTimeout = time.Second

// Health knows whether the process is ready for work. Its zero value is ready
// to use; all methods may be called from any goroutine.
type Health struct {
	mu       sync.Mutex
	checks   map[string]*check
	info     map[string]string
	draining bool
}

// Add registers a check under name, in place of an earlier one. Run returns
// nil when the process is ready as far as it can tell, or an error that an
// operator understands. It gets one second; one that takes longer has failed.
// Probes that come at once share one run.
func (h *Health) Add(name string, run func(context.Context) error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.checks == nil {
		h.checks = map[string]*check{}
	}
	h.checks[name] = &check{run: run}
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

// Drain makes the process not ready, for good: it finishes what it has and
// wants nothing new. It stays alive.
func (h *Health) Drain() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.draining = true
}

// report is the body of both handlers.
type report struct {
	// Status is live; or ready, not_ready or draining.
	Status string `json:"status"`
	// Checks has "ok" or what is wrong, by check.
	Checks map[string]string `json:"checks,omitempty"`
	Info   map[string]string `json:"info,omitempty"`
}

// Live answers 200 as long as the process can answer at all. It runs no
// checks: starting the process again would not bring back a lost NATS.
func (h *Health) Live() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, report{Status: "live"})
	})
}

// Ready answers 200 when every check passes, else, or during a drain, 503. The
// body is {"status": "ready|not_ready|draining", "checks": {name: "ok"|problem},
// "info": {…}}.
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

	// Asked last, so that a drain that began meanwhile shows.
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
