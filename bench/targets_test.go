package bench

import (
	"slices"
	"testing"
)

func TestMissed(t *testing.T) {
	s := Sheet{Scenario: "recovery"}
	s.put("worker_killed_s", 6, "")
	s.put("dispatcher_killed_s", 1.25, "")
	s.put("r3_of_r1", 0.49, "")
	want := []string{"dispatcher_killed_s is 1.25, want 0 to 1", "nats_restarted_s was not measured", "r3_of_r1 is 0.49, want 0.50 to +Inf"}
	if got := s.Missed(); !slices.Equal(got, want) {
		t.Errorf("missed are %q, want %q", got, want)
	}
	for _, name := range []string{"autoscale", "rolling"} {
		if got := (&Sheet{Scenario: name}).Missed(); len(got) == 0 {
			t.Errorf("a sheet of %s without figures misses nothing", name)
		}
	}
	if got := (&Sheet{Scenario: "gate"}).Missed(); len(got) != 0 {
		t.Errorf("a scenario without targets misses %q", got)
	}
}
