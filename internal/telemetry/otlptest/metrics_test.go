package otlptest

import (
	"context"
	"io"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/telemetry"
)

// TestMetrics: the receiver has every series of Helve that a scrape has, with its value.
func TestMetrics(t *testing.T) {
	address, _, sink := receive(t)
	cfg := config.Default()
	cfg.Telemetry.OTLPEndpoint, cfg.Telemetry.MetricsInterval = address, time.Hour
	kit, err := telemetry.NewKit(t.Context(), telemetry.KitFromConfig(cfg, "worker"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	kit.Metrics.CallTraced("read_file", "success", "", 3*time.Millisecond, time.Millisecond, "0af7651916cd43dd8448eb211c80319c",
		"b7ad6b7169203331")
	kit.Metrics.CallDone("write_file", "error", "timeout", 20*time.Second, time.Millisecond)
	kit.Metrics.Pool("default").AddSlots(7)
	page := httptest.NewRecorder()
	kit.Metrics.Handler().ServeHTTP(page, httptest.NewRequest("GET", "/metrics", nil))
	kit.Close(context.Background())

	received := series(t, sink.AllMetrics())
	scraped := 0
	for line := range strings.Lines(page.Body.String()) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !strings.HasPrefix(name, "helve_") || !ok {
			continue
		}
		scraped++
		if want, err := strconv.ParseFloat(value, 64); err != nil || received[name] != want {
			t.Errorf("%s is %v at the receiver, want %s", name, received[name], value)
		}
	}
	if scraped < 100 {
		t.Errorf("%d series were compared, want 100 at least", scraped)
	}
}

// series returns the values of metrics under the names that a scrape gives them.
func series(t *testing.T, all []pmetric.Metrics) map[string]float64 {
	t.Helper()
	values := map[string]float64{}
	for _, data := range all {
		for _, resource := range data.ResourceMetrics().All() {
			if name, _ := resource.Resource().Attributes().Get("service.name"); name.Str() != "helve-worker" {
				t.Errorf("service.name is %q, want helve-worker", name.Str())
			}
			for _, scope := range resource.ScopeMetrics().All() {
				for _, m := range scope.Metrics().All() {
					add(values, m)
				}
			}
		}
	}
	return values
}

func add(values map[string]float64, m pmetric.Metric) {
	switch m.Type() {
	case pmetric.MetricTypeSum:
		for _, p := range m.Sum().DataPoints().All() {
			values[m.Name()+labels(p.Attributes())] = p.DoubleValue()
		}
	case pmetric.MetricTypeGauge:
		for _, p := range m.Gauge().DataPoints().All() {
			values[m.Name()+labels(p.Attributes())] = p.DoubleValue()
		}
	case pmetric.MetricTypeHistogram:
		for _, p := range m.Histogram().DataPoints().All() {
			total := uint64(0)
			for i, n := range p.BucketCounts().All() {
				total += n
				bound := "+Inf"
				if i < p.ExplicitBounds().Len() {
					bound = strconv.FormatFloat(p.ExplicitBounds().At(i), 'g', -1, 64)
				}
				values[m.Name()+"_bucket"+labels(p.Attributes(), `le="`+bound+`"`)] = float64(total)
			}
			values[m.Name()+"_sum"+labels(p.Attributes())] = p.Sum()
			values[m.Name()+"_count"+labels(p.Attributes())] = float64(p.Count())
		}
	default: // Helve has no others
	}
}

// labels returns the labels of a series as a scrape shows them.
func labels(attrs pcommon.Map, more ...string) string {
	var list []string
	for key, value := range attrs.All() {
		list = append(list, key+"="+strconv.Quote(value.Str()))
	}
	if list = append(list, more...); len(list) == 0 {
		return ""
	}
	return "{" + strings.Join(list, ",") + "}"
}
