package telemetry

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func get(t *testing.T, h http.Handler) (int, report) {
	t.Helper()
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/", nil))
	var rep report
	if err := json.Unmarshal(rec.Body.Bytes(), &rep); err != nil {
		t.Fatalf("body %q is not JSON: %v", rec.Body, err)
	}
	if got := rec.Header().Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type = %q, want application/json", got)
	}
	return rec.Code, rep
}

func wantReady(t *testing.T, h *Health, status int, want report) {
	t.Helper()
	got, rep := get(t, h.Ready())
	if diff := cmp.Diff(want, rep); got != status || diff != "" {
		t.Errorf("Ready = %d, want %d; body differs (-want +got):\n%s", got, status, diff)
	}
}

func TestReady(t *testing.T) {
	var h Health
	wantReady(t, &h, 200, report{Status: "ready"})

	var down error
	h.Add("nats", func(context.Context) error { return down })
	h.Add("streams", func(context.Context) error { return nil })
	h.Describe("durability", "process")
	info := map[string]string{"durability": "process"}
	ok := map[string]string{"nats": "ok", "streams": "ok"}
	wantReady(t, &h, 200, report{Status: "ready", Checks: ok, Info: info})

	down = errors.New("not connected")
	failing := map[string]string{"nats": "not connected", "streams": "ok"}
	wantReady(t, &h, 503, report{Status: "not_ready", Checks: failing, Info: info})

	down = nil
	wantReady(t, &h, 200, report{Status: "ready", Checks: ok, Info: info})

	h.Drain()
	wantReady(t, &h, 503, report{Status: "draining", Checks: ok, Info: info})
	down = errors.New("not connected")
	wantReady(t, &h, 503, report{Status: "draining", Checks: failing, Info: info})
}

func TestLiveWhateverTheChecksSay(t *testing.T) {
	var h Health
	h.Add("nats", func(context.Context) error { return errors.New("down") })
	h.Drain()
	if status, rep := get(t, h.Live()); status != 200 || rep.Status != "live" {
		t.Errorf("Live = %d %v, want 200 live", status, rep)
	}
}

func TestReadySurvivesBadChecks(t *testing.T) {
	var h Health
	h.Add("panics", func(context.Context) error { panic("boom") })
	h.Add("exits", func(context.Context) error { runtime.Goexit(); return nil })
	wantReady(t, &h, 503, report{Status: "not_ready", Checks: map[string]string{
		"panics": "the check panicked: boom",
		"exits":  "the check ended without an answer",
	}})
}

func TestReadyNoticesADrainDuringAProbe(t *testing.T) {
	var h Health
	h.Add("slow", func(context.Context) error { h.Drain(); return nil })
	wantReady(t, &h, 503, report{Status: "draining", Checks: map[string]string{"slow": "ok"}})
}

func TestReadyBoundsChecks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h Health
		var runs atomic.Int32
		release := make(chan struct{})
		h.Add("deaf", func(context.Context) error { runs.Add(1); <-release; return nil })
		h.Add("patient", func(ctx context.Context) error { <-ctx.Done(); return errors.New("gave up") })
		for range 3 {
			start := time.Now()
			_, rep := get(t, h.Ready())
			if took := time.Since(start); took != checkTimeout {
				t.Errorf("Ready took %v, want %v", took, checkTimeout)
			}
			if got := rep.Checks["deaf"]; got != "no answer within 1s" {
				t.Errorf("deaf check = %q, want no answer", got)
			}
			if got := rep.Checks["patient"]; got != "gave up" && got != "no answer within 1s" {
				t.Errorf("patient check = %q, want a failure", got)
			}
		}
		if got := runs.Load(); got != 1 {
			t.Errorf("a deaf check was started %d times, want once", got)
		}
		close(release)
		synctest.Wait()
		if _, rep := get(t, h.Ready()); rep.Checks["deaf"] != "ok" {
			t.Errorf("a check that came back = %q, want ok", rep.Checks["deaf"])
		}
	})
}

func TestProbesShareARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h Health
		var runs atomic.Int32
		h.Add("slow", func(ctx context.Context) error {
			runs.Add(1)
			select {
			case <-time.After(checkTimeout / 2):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		ctx, hangUp := context.WithCancel(t.Context())
		go h.report(ctx)
		synctest.Wait()
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				if status, rep := get(t, h.Ready()); status != 200 {
					t.Errorf("Ready = %d %v, want 200", status, rep)
				}
			})
		}
		hangUp()
		wg.Wait()
		if got := runs.Load(); got != 1 {
			t.Errorf("11 probes ran the check %d times, want once", got)
		}
	})
}
