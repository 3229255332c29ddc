package telemetry

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	v1 "go.opentelemetry.io/proto/otlp/metrics/v1"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"google.golang.org/protobuf/proto"

	"github.com/helve-dev/helve/config"
)

// pushed is a collector of metrics that can be away.
type pushed struct {
	t    *testing.T
	mu   sync.Mutex
	away bool
	all  []*v1.MetricsData
}

func (c *pushed) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	data := &v1.MetricsData{}
	if err != nil || proto.Unmarshal(body, data) != nil || r.URL.Path != "/v1/metrics" {
		c.t.Errorf("%s received what cannot be read: %v", r.URL.Path, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	status := http.StatusBadRequest
	if !c.away {
		c.all, status = append(c.all, data), http.StatusOK
	}
	return &http.Response{StatusCode: status, Status: http.StatusText(status), Header: http.Header{}, Body: http.NoBody}, nil
}

// set has the collector be away, or there.
func (c *pushed) set(away bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.away = away
}

func (c *pushed) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.all)
}

// metric returns a metric of the last push.
func (c *pushed) metric(name string) *v1.Metric {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.all[len(c.all)-1].GetResourceMetrics()[0].GetScopeMetrics()[0].GetMetrics() {
		if m.GetName() == name {
			return m
		}
	}
	c.t.Fatalf("%s was not pushed", name)
	return nil
}

func TestPush(t *testing.T) {
	clearOTEL(t)
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		logger := zap.New(zapcore.NewCore(jsonEncoder(), zapcore.AddSync(&log), zapcore.InfoLevel))
		m := NewMetrics()
		p, err := startPush(t.Context(), m, 30*time.Second,
			TracingOptions{Endpoint: "http://collector/v1/traces", Service: "helve-worker"}, logger)
		if err != nil {
			t.Fatal(err)
		}
		c := &pushed{t: t}
		p.client.http.Transport = c
		m.CallTraced("read_file", "success", "", 3*time.Millisecond, 1, traceID, spanID)
		m.Pool("default").AddSlots(3)
		sleepTo := func(d time.Duration) { time.Sleep(d); synctest.Wait() } // of the bubble
		sleepTo(61 * time.Second)
		if c.count() != 2 {
			t.Errorf("%d pushes in a minute, want 2", c.count())
		}
		c.set(true)
		m.CallTraced("read_file", "success", "", 3*time.Millisecond, 1, traceID, spanID)
		sleepTo(time.Minute)
		c.set(false)
		p.close(t.Context())
		if c.count() != 3 {
			t.Errorf("%d pushes arrived, want a last one", c.count())
		}
		if got := strings.Count(log.String(), "metrics not pushed"); got != 1 || !strings.Contains(log.String(), "metrics pushed again") {
			t.Errorf("an outage is logged %d times, want once, with its end: %s", got, log.String())
		}
		testPushed(t, c)
	})
}

func testPushed(t *testing.T, c *pushed) {
	t.Helper()
	calls := c.metric("helve_calls_total").GetSum()
	if p := calls.GetDataPoints()[0]; !calls.GetIsMonotonic() || p.GetAsDouble() != 2 || p.GetStartTimeUnixNano() >= p.GetTimeUnixNano() {
		t.Errorf("helve_calls_total is %v, want a sum of 2, the one of the outage included", calls)
	}
	h := c.metric("helve_call_duration_seconds").GetHistogram().GetDataPoints()[0]
	sum := uint64(0)
	for _, n := range h.GetBucketCounts() {
		sum += n
	}
	if h.GetCount() != 2 || sum != 2 || len(h.GetBucketCounts()) != len(h.GetExplicitBounds())+1 ||
		len(h.GetExplicitBounds()) != len(buckets) || h.GetBucketCounts()[6] != 2 {
		t.Errorf("helve_call_duration_seconds is %v, want both in the bucket of 5 ms", h)
	}
	if e := h.GetExemplars(); len(e) != 1 || len(e[0].GetTraceId()) != 16 || len(e[0].GetSpanId()) != 8 || e[0].GetAsDouble() != 0.003 {
		t.Errorf("the exemplars are %v, want the last call's trace and span", e)
	}
	if s := c.metric("go_gc_duration_seconds").GetSummary(); len(s.GetDataPoints()) != 1 ||
		len(s.GetDataPoints()[0].GetQuantileValues()) == 0 {
		t.Errorf("go_gc_duration_seconds is %v, want a summary", s)
	}
	about := map[string]string{}
	for _, kv := range c.all[0].GetResourceMetrics()[0].GetResource().GetAttributes() {
		about[kv.GetKey()] = kv.GetValue().GetStringValue()
	}
	if about["service.name"] != "helve-worker" || about["service.instance.id"] == "" {
		t.Errorf("the process is described as %v", about)
	}
	labels := calls.GetDataPoints()[0].GetAttributes()
	if len(labels) != 3 || labels[2].GetKey() != "tool" || labels[2].GetValue().GetStringValue() != "read_file" {
		t.Errorf("helve_calls_total has the labels %v", labels)
	}
	if g := c.metric("helve_worker_slots").GetGauge(); len(g.GetDataPoints()) == 0 {
		t.Error("helve_worker_slots is no gauge")
	}
}

// TestPushNeedsACollector: an interval without a collector is an error that names the
// setting.
func TestPushNeedsACollector(t *testing.T) {
	clearOTEL(t)
	c := config.Default()
	c.Telemetry.MetricsInterval = time.Minute
	if _, err := NewKit(t.Context(), KitFromConfig(c, "worker"), io.Discard); err == nil ||
		!strings.Contains(err.Error(), "telemetry.otlp_endpoint") {
		t.Errorf("NewKit = %v, want an error that names telemetry.otlp_endpoint", err)
	}
}

func TestServiceName(t *testing.T) {
	c := config.Default()
	for program, want := range map[string]string{
		"/usr/bin/worker": "helve-worker", "helve": "helve", "helve-dispatcher": "helve-dispatcher", "dispatcher.exe": "helve-dispatcher",
	} {
		if got := KitFromConfig(c, program).Tracing.Service; got != want {
			t.Errorf("the service of %s is %s, want %s", program, got, want)
		}
	}
	c.Telemetry.ServiceName = "mine"
	if got := KitFromConfig(c, "worker").Tracing.Service; got != "mine" {
		t.Errorf("the service is %s, want that of the configuration", got)
	}
}

// TestKitPushes: a kit sends spans and metrics to one endpoint, the last ones when it closes.
func TestKitPushes(t *testing.T) {
	clearOTEL(t)
	spans := newOTLP(t)
	c := config.Default()
	c.Telemetry.OTLPEndpoint, c.Telemetry.MetricsInterval = spans.URL, time.Hour
	kit, err := NewKit(t.Context(), KitFromConfig(c, "worker"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	_, span := kit.Tracing.Start(t.Context(), "", "work")
	span.End()
	collector := &pushed{t: t}
	kit.push.client.http.Transport = collector
	kit.Close(context.Background())
	if collector.count() != 1 || len(spans.spans) != 1 {
		t.Errorf("%d pushes and %d spans arrived, want 1 of each", collector.count(), len(spans.spans))
	}
}
