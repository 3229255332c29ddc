package audit

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

func TestMetrics(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.Worker.Slots = 7 }})
	a := system.Execute(t, s.HTTP(0), "some-tenant", `{"context": {"user": "some-user", "agent": "some-agent"}, "calls": [
		{"tool": "get_current_time", "call_id": "some-call"}, {"tool": "read_file", "arguments": {"path": "nothing"}}, {"tool": "some_tool"}]}`)
	system.WantError(t, a.Results[1], "file_not_found", "")
	got := s.Samples(t, "")
	for name, want := range map[string]float64{
		`helve_calls_total{error_type="",status="success",tool="get_current_time"}`:      1,
		`helve_calls_total{error_type="file_not_found",status="error",tool="read_file"}`: 1,
		`helve_calls_total{error_type="tool_not_found",status="error",tool="unknown"}`:   1,
		`helve_call_duration_seconds_count{tool="get_current_time"}`:                     1,
		`helve_call_queue_seconds_count{pool="default"}`:                                 2,
		`helve_calls_in_flight{pool="default"}`:                                          0,
		`helve_worker_slots{pool="default",state="busy"}`:                                0,
		`helve_worker_slots{pool="default",state="free"}`:                                7,
		`helve_redeliveries_total`:                                                       0,
		`helve_stuck_calls`:                                                              0,
		`helve_dead_letters_total`:                                                       0,
	} {
		if value, there := got[name]; !there || value != want {
			t.Errorf("%s = %v (there: %v), want %v", name, value, there, want)
		}
	}
	for _, prefix := range []string{"helve_call_overhead_seconds_count", "helve_build_info{"} {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(got)), func(name string) bool {
			return strings.HasPrefix(name, prefix) && got[name] > 0
		}) {
			t.Errorf("no metric %s above 0", prefix)
		}
	}
	for name := range got {
		for _, secret := range []string{"some-user", "some-agent", "some-call", "some_tool", a.TraceID, "user=", "call_id=", "trace_id="} {
			if strings.Contains(name, secret) {
				t.Errorf("the metric %s shows %s", name, secret)
			}
		}
	}
}
