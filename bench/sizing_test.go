package bench

import "testing"

// TestSizing measures each kind of call: it takes CPU, and its record is kept.
func TestSizing(t *testing.T) {
	opts, gone := quick(t)
	sheet, err := Scenario(bounded(t), "sizing", opts)
	if err != nil {
		t.Fatal(err)
	}
	figures := map[string]float64{}
	for _, f := range sheet.Figures {
		figures[f.Name] = f.Value
	}
	for _, want := range []string{
		"worker_idle_rss_mib", "noop_calls_per_s", "noop_calls_per_s_per_core", "effect_broker_cpu_us", "note_worker_cpu_us",
		"noop_HELVE_AUDIT_bytes", "noop_HELVE_RESULTS_bytes", "effect_HELVE_ONCE_bytes", "note_bytes", "dispatcher_rss_mib",
	} {
		if figures[want] <= 0 {
			t.Errorf("%s is %v, want more than 0", want, figures[want])
		}
	}
	gone(3)
}
