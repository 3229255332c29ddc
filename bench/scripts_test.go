package bench

import (
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/toolbox/sandbox/sandboxtest"
)

func TestScriptsScenario(t *testing.T) {
	opts, gone := quick(t)
	opts.Time, opts.Child = 20*time.Millisecond, sandboxtest.Program(t)
	s, err := Scenario(bounded(t), "js", opts)
	if err != nil {
		t.Fatal(err)
	}
	s.above(t, "js_noop_p50_us", "js_small_p99_us", "cage_noop_p50_us", "cage_noop_floor_p50_us", "cage_small_floor_p50_us",
		"cage_round_trip_p50_us", "quickjs_small_p50_us",
		"cage_small_per_s", "cage_new_p50_ms", "leak_seen_ms", "slot_back_ms", "first_answer_ms", "load_1000_ms", "bodies_6_rss_mib",
		"bodies_24_times", "load_1000_mib")
	if failed, ok := s.figures()["bystanders_failed"]; !ok || failed != 0 {
		t.Errorf("%v bystanders failed, want none", failed)
	}
	gone(0)
}
