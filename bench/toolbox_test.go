package bench

import (
	"strings"
	"testing"
	"time"
)

func TestToolboxScenario(t *testing.T) {
	opts, gone := quick(t)
	opts.Time = 8 * time.Millisecond
	s, err := Scenario(bounded(t), "toolbox", opts)
	if err != nil {
		t.Fatal(err)
	}
	gone(3)
	s.above(t, "noop_p50_us", "calculate_p50_us", "calculate_of_noop", "convert_units_of_noop", "text_stats_of_noop")
	all := s.figures()
	if got, want := all["calculate_of_noop"], all["calculate_p50_us"]/all["noop_p50_us"]; got != want {
		t.Errorf("calculate takes %v of a no-op, want %v", got, want)
	}
}

func TestToolboxSaysWhatFails(t *testing.T) {
	opts, _ := quick(t)
	opts.Time = 8 * time.Millisecond
	f, err := newFleet(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	err = timeTools(t.Context(), f, &Sheet{}, []example{pure[0], {"calculate", `{"expression":"1/0"}`}})
	if err == nil || !strings.Contains(err.Error(), "calculate: the call did not succeed") {
		t.Errorf("a tool that fails: %v, want an error that names it", err)
	}
	if err := f.close(); err != nil {
		t.Error(err)
	}
}
