package telemetry

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/helve-dev/helve/tool"
)

// used returns metrics in which every series has been recorded to.
func used() *Metrics {
	m := NewMetrics()
	m.CallDone("read_file", "success", "", 2*time.Millisecond, 10*time.Microsecond)
	m.Accepted(time.Millisecond)
	m.Redelivered()
	m.CallMoved()
	m.VersionConflicts("default", 2)
	m.DeadLetter()
	m.SandboxKilled("cpu")
	m.Sandboxes(func() (int, int) { return 3, 1 })
	m.Sandboxes(func() (int, int) { return 1, 1 })
	m.Stuck(2)
	m.Stuck(-1)
	m.Connected(true)
	p := m.Pool("default")
	p.AddSlots(8)
	p.SlotTaken()
	p.SlotTaken()
	p.SlotFreed()
	p.Started(-time.Second)
	p.Started(3 * time.Second)
	p.Ended()
	p.Backlog(17)
	p.Overloaded()
	m.Stream("HELVE_RESULTS", StreamState{Bytes: 50, MaxBytes: 100, Messages: 3, MaxMessages: 4, Ratio: 0.75, Replicas: 3, Current: 2})
	m.WorkspacesSplit("default", true)
	m.WorkspacesSplit("heavy", true)
	m.WorkspacesSplit("heavy", false)
	m.UpstreamConnected("github", 1)
	m.UpstreamConnected("github", 1)
	m.UpstreamConnected("github", -1)
	m.UpstreamRestarted("github")
	m.UpstreamWithheld("github", 3)
	m.UpstreamCalled("github", "success", 2*time.Second)
	m.ScheduleMade(time.Second)
	m.ScheduleEnded("success")
	m.TenantCall("acme", "success")
	m.Requested(HTTP, "execute", 401)
	p.Done(true, 30*time.Millisecond)
	for f, row := range table {
		labels := make([]string, len(row.labels))
		for i := range labels {
			labels[i] = "x"
		}
		if row.kind == counted {
			m.Count(Family(f), labels...)
		} else {
			m.Read(func(set Set) { set(Family(f), 2, slices.Clone(labels)...) })
		}
	}
	m.Storage(5, -1)
	return m
}

func TestMetricsLint(t *testing.T) {
	problems, err := testutil.GatherAndLint(used().registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

func TestMetricsValues(t *testing.T) {
	rec := httptest.NewRecorder()
	used().Handler().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	body := rec.Body.String()
	for _, line := range []string{
		`helve_calls_total{error_type="",status="success",tool="read_file"} 1`,
		`helve_call_duration_seconds_bucket{tool="read_file",le="0.001"} 0`,
		`helve_call_duration_seconds_bucket{tool="read_file",le="0.002"} 1`,
		`helve_call_overhead_seconds_bucket{le="5e-05"} 1`,
		`helve_accept_seconds_count 1`,
		`helve_js_kills_total{reason="cpu"} 1`,
		`helve_js_sandboxes{state="idle"} 4`,
		`helve_js_sandboxes{state="busy"} 2`,
		`helve_call_queue_seconds_bucket{pool="default",le="5e-05"} 1`,
		`helve_call_queue_seconds_sum{pool="default"} 3`,
		`helve_calls_in_flight{pool="default"} 1`,
		`helve_worker_slots{pool="default",state="busy"} 1`,
		`helve_worker_slots{pool="default",state="free"} 7`,
		`helve_pool_backlog{pool="default"} 17`,
		`helve_overloaded_total{pool="default"} 1`,
		`helve_redeliveries_total 1`,
		`helve_calls_moved_total 1`,
		`helve_tool_version_conflicts{pool="default"} 2`,
		`helve_workspaces_split{pool="default"} 1`,
		`helve_workspaces_split{pool="heavy"} 0`,
		`helve_dead_letters_total 1`,
		`helve_stuck_calls 1`,
		`helve_nats_connected 1`,
		`helve_upstream_up{server="github"} 1`,
		`helve_requests_total{door="http",operation="execute",status="401"} 1`,
		`helve_tenant_calls_total{status="success",tenant="acme"} 1`,
		`helve_pool_calls_total{pool="default",status="success"} 1`,
		`helve_deliveries_total{pool="default"} 2`,
		`helve_stream_replicas{state="current",stream="HELVE_RESULTS"} 2`,
		`helve_rate_limited_total{rule="x"} 1`,
		`helve_pool_workers{pool="x"} 2`,
		`helve_nats_reconnects_total 2`,
		`helve_upstream_restarts_total{server="github"} 1`,
		`helve_upstream_withheld_tools{server="github"} 3`,
		`helve_upstream_call_seconds_sum{outcome="success",server="github"} 2`,
	} {
		if !strings.Contains(body, line+"\n") {
			t.Errorf("/metrics lacks %s", line)
		}
	}
	for _, name := range []string{"helve_build_info{go=\"go", "go_goroutines ", "process_cpu_seconds_total "} {
		if !strings.Contains(body, "\n"+name) {
			t.Errorf("/metrics lacks %s", name)
		}
	}
}

func TestMetricsLabelsNameNobody(t *testing.T) {
	families, err := used().registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	allowed := []string{"tool", "status", "error_type", "pool", "state", "version", "go", "quantile", "reason", "server", "outcome", "stream",
		"door", "operation", "cause", "rule", "sha256", "credential", "database", "lease", "tenant", "service", "direction"}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				name := label.GetName()
				if strings.HasPrefix(family.GetName(), "helve_") && !slices.Contains(allowed, name) {
					t.Errorf("%s has the label %s, want none but %v", family.GetName(), name, allowed)
				}
				for _, who := range []string{"user", "call", "trace", "conversation"} {
					if strings.Contains(name, who) {
						t.Errorf("%s has the label %s, which names a %s", family.GetName(), name, who)
					}
				}
			}
		}
	}
}

func TestMetricsDisconnect(t *testing.T) {
	m := NewMetrics()
	m.Connected(true)
	m.Connected(false)
	if got := testutil.ToFloat64(m.connected); got != 0 {
		t.Errorf("helve_nats_connected = %v after a disconnect, want 0", got)
	}
}

func TestMetricsAreSeparate(t *testing.T) {
	one, two := NewMetrics(), NewMetrics()
	one.Redelivered()
	if got := testutil.ToFloat64(two.redeliveries); got != 0 {
		t.Errorf("helve_redeliveries_total = %v in other metrics, want 0", got)
	}
}

func TestCallDoneBoundsSeries(t *testing.T) {
	m := NewMetrics()
	for i := range maxTools + 100 {
		m.CallDone(fmt.Sprintf("tool_%d", i), "success", "", 1, 1)
	}
	if got := testutil.CollectAndCount(m.calls); got != maxTools+1 {
		t.Errorf("%d series of calls after %d tools, want %d", got, maxTools+100, maxTools+1)
	}
	if got := testutil.ToFloat64(m.calls.WithLabelValues(unknown, "success", "")); got != 100 {
		t.Errorf("%v calls of unknown tools, want 100", got)
	}
}

func TestCallDoneLabels(t *testing.T) {
	m := NewMetrics()
	for _, kind := range tool.Kinds() {
		m.CallDone("t", "error", string(kind), 1, 1)
	}
	for i := range 50 {
		m.CallDone("t", "error", fmt.Sprint("made up ", i), 1, 1)
		m.CallDone("t", fmt.Sprint("made up ", i), "", 1, 1)
	}
	if got, want := testutil.CollectAndCount(m.calls), len(tool.Kinds())+2; got != want {
		t.Errorf("%d series, want %d: one for each kind, one for other kinds, one for other statuses", got, want)
	}
	if got := testutil.ToFloat64(m.calls.WithLabelValues("t", "error", unknown)); got != 50 {
		t.Errorf("%v calls of unknown error_type, want 50", got)
	}
}

func TestCallDoneLeavesOutWhatNeverRan(t *testing.T) {
	m := NewMetrics()
	m.CallDone("t", "error", "validation_error", 0, time.Millisecond)
	rec := httptest.NewRecorder()
	m.Handler().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if body := rec.Body.String(); !strings.Contains(body, "helve_call_duration_seconds_count{tool=\"t\"} 0\n") ||
		!strings.Contains(body, "helve_call_overhead_seconds_count 1\n") {
		t.Error("a call that never ran counts in the tool's duration, or not in the overhead")
	}
}

func TestCallDoneConcurrently(t *testing.T) {
	m := NewMetrics()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 200 {
				m.CallDone(fmt.Sprintf("tool_%d", i%40), "success", "", 1, 1)
				m.Pool(fmt.Sprintf("pool_%d", i%4)).Overloaded()
			}
		})
	}
	wg.Wait()
	var total float64
	for i := range 40 {
		total += testutil.ToFloat64(m.calls.WithLabelValues(fmt.Sprintf("tool_%d", i), "success", ""))
	}
	if total != 1600 {
		t.Errorf("%v calls counted, want 1600", total)
	}
}

func TestCallDoneAllocatesNothing(t *testing.T) {
	m := NewMetrics()
	count := func() {
		m.CallDone("read_file", "success", "", 1, 1)
		m.TenantCall("acme", "success")
		m.Requested(HTTP, "execute", 200)
	}
	if allocs := testing.AllocsPerRun(100, count); allocs != 0 {
		t.Errorf("counting a call allocates %v times, want 0 for an outcome seen before", allocs)
	}
}

func BenchmarkCallDone(b *testing.B) {
	m := NewMetrics()
	b.ReportAllocs()
	for b.Loop() {
		m.CallDone("read_file", "success", "", 1700*time.Microsecond, 12*time.Microsecond)
	}
}

// TestCountersStartAtZero: a counter whose labels are known is there before it counts, so that
// its first increase is seen.
func TestCountersStartAtZero(t *testing.T) {
	m := NewMetrics()
	m.SandboxReasons("cpu")
	m.UpstreamConnected("files", 0)
	m.Add(RateLimited, 0, "send_email=10/1h")
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{
		"helve_js_kills_total": 1, "helve_schedule_runs_total": 2, "helve_rate_limited_total": 1, "helve_upstream_restarts_total": 1,
	}
	for _, family := range families {
		for _, series := range family.GetMetric() {
			if _, ok := want[family.GetName()]; ok && series.GetCounter().GetValue() == 0 {
				want[family.GetName()]--
			}
		}
	}
	for name, missing := range want {
		if missing != 0 {
			t.Errorf("%s lacks %d series", name, missing)
		}
	}
}
