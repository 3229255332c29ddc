package bench

import "testing"

func TestFairness(t *testing.T) {
	opts, gone := quick(t)
	opts.Calls = 200
	sheet, err := Scenario(bounded(t), "fairness", opts)
	if err != nil {
		t.Fatal(err)
	}
	gone(3)
	got := map[string]float64{}
	for _, f := range sheet.Figures {
		got[f.Name] = f.Value
	}
	for _, name := range []string{"quiet_alone_p99_us", "quiet_beside_p99_us", "quiet_p99_ratio", "quiet_alone_calls", "quiet_beside_calls"} {
		if got[name] <= 0 {
			t.Errorf("%s is %v, want more than 0", name, got[name])
		}
	}
	if left := got["backlog_left"]; left > 200 {
		t.Errorf("backlog_left is %v, want at most 200", left)
	}
}
