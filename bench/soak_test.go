package bench

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/bench/trend"
)

// TestSoak runs a soak that is too short to judge slopes: every quantity is sampled, and every
// kind of call succeeds.
func TestSoak(t *testing.T) {
	opts, gone := quick(t)
	report, err := Soak(bounded(t), SoakOptions{Options: withRate(opts, 60), For: leastSoak, Every: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	gone(3)
	if report.Failed != 0 || report.Calls < 50 || report.Interrupted {
		t.Errorf("%d calls and %d failed (%s), want 50 calls and no failure", report.Calls, report.Failed, report.First)
	}
	found := map[string]int{}
	for _, q := range report.Quantities {
		found[q.Of+" "+q.Name] = q.Samples
	}
	for _, want := range []string{
		"broker rss_bytes", "broker goroutines", "dispatcher rss_mb", "dispatcher live_mb", "worker goroutines", "worker files",
		"HELVE_AUDIT bytes", "HELVE_CALLS bytes", "jetstream file_bytes", "jetstream consumers", "index file_bytes", "store file_bytes",
	} {
		if found[want] < 2 {
			t.Errorf("%s has %d samples, want at least 2", want, found[want])
		}
	}
	if text, err := json.Marshal(report); err != nil || !strings.Contains(string(text), `"verdict":"`) {
		t.Errorf("the report as JSON is %.200s, error %v", text, err)
	}
}

// TestSoakInterrupted ends a soak early: its report is about the time until then.
func TestSoakInterrupted(t *testing.T) {
	opts, gone := quick(t)
	ctx, stop := context.WithCancel(bounded(t))
	defer stop()
	opts.Log = interrupting{stop}
	report, err := Soak(ctx, SoakOptions{Options: withRate(opts, 40), For: time.Hour, Every: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	gone(3)
	if !report.Interrupted || report.Failed != 0 || !report.OK() || !strings.Contains(report.sentence(), "unsure (interrupted)") {
		t.Errorf("%+v, want an interrupted soak without a failure", report)
	}
}

func withRate(o Options, rate float64) Options {
	o.Rate = rate
	return o
}

// interrupting stops a soak at its first line of progress.
type interrupting struct{ stop func() }

// Write implements [io.Writer].
func (i interrupting) Write(p []byte) (int, error) {
	i.stop()
	return len(p), nil
}

// TestSoakConcludes judges samples: a leak or a failed call fails the soak.
func TestSoakConcludes(t *testing.T) {
	growing := func(slope float64) *quantity {
		q := &quantity{of: "worker", name: "rss_mb", per: "hour", limit: trend.Limit{Growth: 1, Noise: 4}}
		for i := range 100 {
			at := float64(i) / 10
			q.samples = append(q.samples, trend.Sample{At: at, Value: 100 + slope*at})
		}
		return q
	}
	for _, tt := range []struct {
		name, want string
		slope      float64
		samples    int
		failed     string
	}{
		{"steady", soakPassed, 0.1, 100, ""},
		{"a leak", soakFailed, 5, 100, ""},
		{"too few samples", soakUnsure, 5, 5, ""},
		{"a failed call", soakFailed, 0.1, 100, "timeout"},
	} {
		q, p, r := growing(tt.slope), pacer{}, SoakReport{}
		q.samples = q.samples[:tt.samples]
		p.times.Store(&histogram{})
		if tt.failed != "" {
			p.first.Store(&tt.failed)
		}
		r.conclude(&p, []*quantity{q})
		if r.Verdict != tt.want || r.OK() != (tt.want != soakFailed) {
			t.Errorf("%s: verdict %s, want %s", tt.name, r.Verdict, tt.want)
		}
	}
}

func TestSoakRefuses(t *testing.T) {
	for name, o := range map[string]SoakOptions{
		"no time":         {},
		"too long":        {For: mostSoak + 1},
		"rare samples":    {For: time.Minute, Every: time.Minute},
		"a negative rate": {For: time.Minute, Options: Options{Rate: -1}},
	} {
		if _, err := Soak(t.Context(), o); err == nil {
			t.Errorf("%s: Soak = nil, want an error", name)
		}
	}
}
