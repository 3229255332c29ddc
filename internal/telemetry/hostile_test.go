package telemetry

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// hostile returns names that a caller might send, which a scrape must survive.
func hostile() []string {
	return []string{
		"two\nlines", "a \"quote\"", "back\\slash", "nul\x00", "\xff\xfe", "\u2028", "{label=\"x\"} 1\n# EOF", "", strings.Repeat("x", 1<<20),
	}
}

// TestHostileNames: 10,000 tools, tenants and pools and names of any bytes leave a small
// scrape that can be parsed.
func TestHostileNames(t *testing.T) {
	m := NewMetrics()
	names := hostile()
	for i, odd := 0, hostile(); i < 10_000; i++ {
		from := odd[i%len(odd)]
		names = append(names, fmt.Sprintf("%s_%d", from[:min(8, len(from))], i))
	}
	for _, name := range names {
		m.CallTraced(name, "success", "", time.Millisecond, 1, name, name)
		m.CallDone("t", name, name, 1, 1)
		m.TenantCall(name, "success")
		m.Pool(name).Overloaded()
		m.Count(RateLimited, name[:min(8, len(name))])
		m.Requested(Door("http"), "execute", len(name))
	}
	m.Read(func(set Set) {
		for _, name := range names {
			set(PoolWorkers, 1, name)
		}
	})
	for _, f := range []struct {
		what string
		got  int
		most int
	}{
		{"calls", testutil.CollectAndCount(m.calls), maxTools + 30}, {"tenants", testutil.CollectAndCount(m.tenantCalls), maxTenants + 1},
		{"pools", testutil.CollectAndCount(m.overloaded), maxPools + 1}, {"readings", testutil.CollectAndCount(m.sources), maxSeries + 1},
	} {
		if f.got > f.most || f.got == 0 {
			t.Errorf("%d series of %s after %d names, want 1 to %d", f.got, f.what, len(names), f.most)
		}
	}
	rec := httptest.NewRecorder()
	m.Handler().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if rec.Code != http.StatusOK || rec.Body.Len() > 20<<20 {
		t.Errorf("the scrape has status %d and %d bytes", rec.Code, rec.Body.Len())
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	if _, err := parser.TextToMetricFamilies(bytes.NewReader(rec.Body.Bytes())); err != nil {
		t.Errorf("the scrape cannot be parsed: %v", err)
	}
	for line := range strings.Lines(rec.Body.String()) {
		if len(line) > 1000 {
			t.Fatalf("a line of the scrape has %d bytes: %.100s", len(line), line)
		}
	}
}

// TestExemplar: a traced call is the exemplar of its duration, in the OpenMetrics format.
func TestExemplar(t *testing.T) {
	m := NewMetrics()
	m.CallTraced("read_file", "success", "", time.Millisecond, 1, "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331")
	r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	r.Header.Set("Accept", "application/openmetrics-text; version=1.0.0")
	rec := httptest.NewRecorder()
	m.Handler().ServeHTTP(rec, r)
	exemplar := regexp.MustCompile(`.*# {.*`).FindString(rec.Body.String())
	for _, want := range []string{`trace_id="0af7651916cd43dd8448eb211c80319c"`, `span_id="b7ad6b7169203331"`, "} 0.001"} {
		if !strings.Contains(exemplar, want) {
			t.Errorf("the scrape of a traced call has the exemplar %q, want one with %s", exemplar, want)
		}
	}
}

// TestReadCombines: two parts of a process report one series.
func TestReadCombines(t *testing.T) {
	m := NewMetrics()
	for _, v := range []float64{2, 5} {
		m.Read(func(set Set) {
			set(EventStreams, v)
			set(PoolWorkers, v, "p")
			set(JetStreamUp, v)
			set(NATSReconnects, v)
		})
	}
	stop := m.Read(func(set Set) { set(EventStreams, 100) })
	stop()
	rec := httptest.NewRecorder()
	m.Handler().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, line := range []string{
		"helve_event_streams 7", `helve_pool_workers{pool="p"} 5`, "helve_jetstream_up 2", "helve_nats_reconnects_total 7",
	} {
		if !strings.Contains(rec.Body.String(), line+"\n") {
			t.Errorf("/metrics lacks %s", line)
		}
	}
}

// TestCountersBegin: a counter with a closed set of labels is in the first scrape, so that an
// alert sees its first increase.
func TestCountersBegin(t *testing.T) {
	rec := httptest.NewRecorder()
	NewMetrics().Handler().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, line := range []string{
		`helve_policy_reloads_total{outcome="error"} 0`, `helve_audit_refused_total{reason="full"} 0`,
		`helve_nats_errors_total{cause="other"} 0`, "helve_quota_refused_total 0",
	} {
		if !strings.Contains(rec.Body.String(), line+"\n") {
			t.Errorf("the first scrape lacks %s", line)
		}
	}
}

func BenchmarkScrape(b *testing.B) {
	m := NewMetrics()
	for i := range 1000 {
		m.CallDone(fmt.Sprintf("tool_%d", i), "success", "", time.Millisecond, 1)
		m.CallDone(fmt.Sprintf("tool_%d", i), "error", "timeout", time.Millisecond, 1)
	}
	for b.Loop() {
		rec := httptest.NewRecorder()
		m.Handler().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	}
}
