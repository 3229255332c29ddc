package bench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestConsentScenario(t *testing.T) {
	opts, gone := quick(t)
	opts.Parked = 150 // of two users
	s, err := Scenario(bounded(t), "consent", opts)
	if err != nil {
		t.Fatal(err)
	}
	gone(3)
	s.above(t, "park_calls_per_s", "worker_cpu_us_per_parked_call", "broker_cpu_us_per_decision", "worker_rss_mib", "worker_goroutines",
		"broker_rss_mib", "dispatcher_idle_cpu_ms_per_s",
		"decision_answer_p50_us", "decision_to_started_p50_us", "asked_to_started_p99_us", "decisions_per_s", "granted_runs_per_s")
	if all := s.figures(); all["parked"] != 150 || all["ran_once"] != 150 {
		t.Errorf("parked %v, ran %v, want 150", all["parked"], all["ran_once"])
	}
}

func TestLedgerIsCounted(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		count      int
		wrong      string
	}{
		{"each once", "k1 a 1\nk2 b 2\n", 2, ""},
		{"twice", "k1 a 1\nk2 a 2\n", 0, "ran twice"},
		{"torn", "k1 a\n", 0, "line"},
	} {
		data := t.TempDir()
		dir := filepath.Join(data, "workspaces", "default", "u0")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "ledger.txt"), []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		count, err := countLedger(data)
		if count != tt.count || (err == nil) != (tt.wrong == "") || err != nil && !strings.Contains(err.Error(), tt.wrong) {
			t.Errorf("%s: %d, %v, want %d, %q", tt.name, count, err, tt.count, tt.wrong)
		}
	}
}

func TestTogetherStopsAtTheFirstError(t *testing.T) {
	calls := make([]waitingCall, 100_000)
	var done atomic.Int64
	bad := errors.New("no")
	err := together(t.Context(), calls, func(waitingCall) error {
		if done.Add(1) == 100 {
			return bad
		}
		return nil
	})
	if !errors.Is(err, bad) || done.Load() == int64(len(calls)) {
		t.Errorf("together = %v after %d, want the error, soon", err, done.Load())
	}
	done.Store(0)
	if err := together(t.Context(), calls[:500], func(waitingCall) error { done.Add(1); return nil }); err != nil || done.Load() != 500 {
		t.Errorf("together = %v after %d, want 500", err, done.Load())
	}
}

func TestListenWaitsForBothSigns(t *testing.T) {
	w := waitingCall{call: "c1", consent: "k1"}
	base := time.Now()
	signs := make(chan sign, 4)
	signs <- sign{"helve.v1.default.event.t.c9", base}
	signs <- sign{"helve.v1.default.event.t.c1", base.Add(2)} // heard first although it came later
	signs <- sign{"helve.v1.default.verdict.x.k9", base}
	signs <- sign{"helve.v1.default.verdict.x.k1", base.Add(1)}
	decided, started, err := w.listen(t.Context(), signs)
	if err != nil || !decided.Equal(base.Add(1)) || !started.Equal(base.Add(2)) {
		t.Errorf("listen = %v, %v, %v, want the times of its own signs", decided, started, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := w.listen(ctx, signs); !errors.Is(err, context.Canceled) {
		t.Errorf("listen = %v, want that it ends with its context", err)
	}
}
