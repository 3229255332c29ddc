package bench

import "testing"

// TestRolling restarts dispatchers and workers under load: no call fails, and no effect is
// doubled.
func TestRolling(t *testing.T) {
	opts, gone := quick(t)
	opts.Rate = 40
	sheet, err := Scenario(bounded(t), "rolling", opts)
	if err != nil {
		t.Fatal(err)
	}
	figures := map[string]float64{}
	for _, f := range sheet.Figures {
		figures[f.Name] = f.Value
	}
	if figures["restarts"] != 4 || figures["rolling_calls"] == 0 || figures["rolling_failed"] != 0 || figures["effects"] == 0 ||
		figures["rolling_p99_us"] <= 0 {
		t.Errorf("the figures are %v, want 4 restarts, calls and effects, and no failure", figures)
	}
	gone(9)
}
