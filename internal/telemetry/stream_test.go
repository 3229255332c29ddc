package telemetry_test

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/telemetry"
)

// TestStreamKept: a stream keeps its series, a consumer has one only while it is not usable.
func TestStreamKept(t *testing.T) {
	t.Parallel()
	m := telemetry.NewMetrics()
	m.StreamKept("HELVE_CALLS", true, false)
	m.StreamKept("HELVE_AUDIT", false, false)
	m.StreamKept("HELVE_CALLS/default", false, false)
	m.StreamKept("HELVE_CALLS/default~1", false, false)
	m.StreamKept("HELVE_CALLS/default~1", true, true)
	answer := httptest.NewRecorder()
	m.Handler().ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]bool{
		`helve_stream_usable{stream="HELVE_CALLS"} 1`:          true,
		`helve_stream_usable{stream="HELVE_AUDIT"} 0`:          true,
		`helve_stream_usable{stream="HELVE_CALLS/default"} 0`:  true,
		`helve_stream_usable{stream="HELVE_CALLS/default~1"}`:  false,
		`helve_stream_repairs_total{stream="HELVE_CALLS"} 1`:   true,
		`helve_stream_repairs_total{stream="HELVE_AUDIT"} 0`:   true,
		`helve_stream_repairs_total{stream="HELVE_CALLS/defau`: false,
	} {
		if got := strings.Contains(string(text), line); got != want {
			t.Errorf("the metrics have %q: %v, want %v", line, got, want)
		}
	}
}
