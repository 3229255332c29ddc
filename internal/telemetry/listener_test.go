package telemetry

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"go.uber.org/zap"
)

// TestOpenAdmin: what a public listener does not serve is on the admin listener, and
// health is on both.
func TestOpenAdmin(t *testing.T) {
	opts := AdminOptions{Metrics: NewMetrics(), Health: &Health{}, Pprof: true, HealthOnly: true}
	a, err := OpenAdmin("127.0.0.1:0", opts, time.Minute, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Stop(time.Minute)
	own := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for path, public := range map[string]int{
		"/healthz": 200, "/readyz": 200, "/metrics": 404, "/debug/pprof/": 404, "/debug/pprof/heap": 404,
	} {
		rec := httptest.NewRecorder()
		a.Public.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, path, nil))
		if rec.Code != public {
			t.Errorf("%s on the public listener = %d, want %d", path, rec.Code, public)
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, a.URL()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := own.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != 200 {
			t.Errorf("%s on the admin listener = %d, want 200", path, res.StatusCode)
		}
	}
}

// TestNoAdmin: without an address there is no listener, and a loopback one serves all.
func TestNoAdmin(t *testing.T) {
	a, err := OpenAdmin("", AdminOptions{Metrics: NewMetrics(), Health: &Health{}}, time.Minute, zap.NewNop())
	if err != nil || a.URL() != "" {
		t.Fatalf("%q, %v, want no listener", a.URL(), err)
	}
	a.Stop(time.Minute)
	rec := httptest.NewRecorder()
	a.Public.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if rec.Code != 200 {
		t.Errorf("/metrics = %d, want 200", rec.Code)
	}
	if _, err := OpenAdmin("256.0.0.1:0", AdminOptions{Metrics: NewMetrics(), Health: &Health{}}, time.Minute, zap.NewNop()); err == nil {
		t.Error("an address that is none was listened on")
	}
}
