package bench

import "testing"

// TestProgramsScenario: programs run beside the calls that they are compared with, wake and wait.
func TestProgramsScenario(t *testing.T) {
	opts, gone := quick(t)
	opts.Calls = 64
	s, err := Scenario(bounded(t), "programs", opts)
	if err != nil {
		t.Fatal(err)
	}
	gone(3)
	s.above(t, "call_p50_us", "program_p50_us", "calls_per_s", "steps_per_s", "parallel_calls_per_s", "parallel_steps_per_s", "wake_p50_ms",
		"wake_replay_p50_ms")
	if all := s.figures(); all["asleep"] != 64 {
		t.Errorf("the figures are %v", all)
	}
}
