package bench

import "testing"

// TestSchedules: every task has one run, which succeeds, and lateness is measured.
func TestSchedules(t *testing.T) {
	opts, gone := quick(t)
	opts.Calls = 3
	sheet, err := Scenario(bounded(t), "schedules", opts)
	if err != nil {
		t.Fatal(err)
	}
	figures := map[string]float64{}
	for _, f := range sheet.Figures {
		figures[f.Name] = f.Value
	}
	if figures["tasks"] != 3 || figures["start_last_ms"] <= 0 || figures["end_last_ms"] < figures["start_p50_ms"] ||
		figures["alone_late_ms"] <= 0 {
		t.Errorf("the figures are %v", figures)
	}
	gone(2)
}
