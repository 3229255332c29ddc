package bench

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/test/testtime"
)

// answering is a dispatcher that answers every call alike.
func answering(t *testing.T, status int, text string) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		io.WriteString(w, text)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

func TestLoadCountsFailures(t *testing.T) {
	for _, tt := range []struct {
		name, way, url, want string
	}{
		{"refused", HTTP, answering(t, 503, "overloaded"), "503"},
		{"an error", HTTP, answering(t, 200, `{"results":[{"status":"error","message":"no such tool"}]}`), "no such tool"},
		{"another value", HTTP, answering(t, 200, `{"results":[{"status":"success","result":1}]}`), "did not succeed"},
		{"nobody there", NATS, "nats://127.0.0.1:1", "connect"},
	} {
		var marks []any
		got := load{Way: tt.way, URL: tt.url, Callers: 2, Run: 50 * time.Millisecond}.run(t.Context(), func(m any) { marks = append(marks, m) })
		if got.Failed == 0 || got.Calls != 0 || !strings.Contains(got.First, tt.want) {
			t.Errorf("%s: tally %+v, want failures only, the first saying %q", tt.name, got, tt.want)
		}
		if len(marks) != 2 || marks[0] != markBegun || marks[1] != markEnded {
			t.Errorf("%s: marks %v, want begun and ended", tt.name, marks)
		}
	}
}

func TestLoadTimesSuccesses(t *testing.T) {
	url := answering(t, 200, `{"results":[{"status":"success","result":`+string(payload)+`}]}`)
	got := load{Way: HTTP, URL: url, Callers: 2, Run: 100 * time.Millisecond}.run(t.Context(), func(any) {})
	if got.Failed > 0 || got.Calls == 0 || got.P50 <= 0 || got.P99 < got.P50 || got.Seconds <= 0 {
		t.Errorf("tally %+v, want successes only", got)
	}
}

func TestFailuresReachTheReport(t *testing.T) {
	r := &run{}
	w := wire{way: NATS}
	r.figures(w, tally{Failed: 2, First: "first"}, nil, nil)
	r.figures(w, tally{Failed: 1, First: "second"}, nil, nil)
	if r.report.Failed != 3 || r.report.FirstFailure != "nats: first" {
		t.Errorf("report: %d failed, %q, want 3 and the first failure", r.report.Failed, r.report.FirstFailure)
	}
}

func TestFiguresAddUpTheProcesses(t *testing.T) {
	r := &run{}
	w := wire{way: NATS, nodes: []*node{{role: roleBroker}, {role: roleWorker}}}
	got := r.figures(w, tally{Calls: 10, Seconds: 2, CPU: 100}, []usage{{CPU: 10}, {CPU: 5}}, []usage{{CPU: 40}, {CPU: 25}})
	if got.CPU != 15 || got.Rate != 5 {
		t.Errorf("figures %+v, want 15 µs of CPU a call at 5 calls/s", got)
	}
}

// TestFailedCallsCount ends a load when as many calls were made as it has, the failed ones
// included.
func TestFailedCallsCount(t *testing.T) {
	refuse := errors.New("refused")
	var n atomic.Int64
	c := crowd{enough: make(chan struct{}), left: 20, call: func() error {
		if n.Add(1)%2 == 0 {
			return refuse
		}
		return nil
	}}
	c.phase.Store(timing)
	ctx, stop := context.WithTimeout(t.Context(), testtime.Patience())
	defer stop()
	go func() {
		<-c.enough
		c.phase.Store(over)
	}()
	c.keepCalling(ctx)
	if made, failed := c.times.count(), c.failed.Load(); made+failed < 20 || failed < 10 || ctx.Err() != nil {
		t.Errorf("%d calls and %d failures, want 20 and half of them failures", made, failed)
	}
}
