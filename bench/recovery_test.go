package bench

import "testing"

// TestRecovery runs the scenario with few calls: every figure is there and above 0.
func TestRecovery(t *testing.T) {
	opts, gone := quick(t)
	opts.Calls = 200
	sheet, err := Scenario(bounded(t), "recovery", opts)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range sheet.Figures {
		got[f.Name] = f.Value
	}
	for _, name := range []string{
		"worker_killed_s", "dispatcher_killed_s", "nats_ready_s", "nats_restarted_s", "r1_rate", "r3_rate", "r3_of_r1",
	} {
		if got[name] <= 0 {
			t.Errorf("%s is %v, want more than 0", name, got[name])
		}
	}
	gone(12)
}
