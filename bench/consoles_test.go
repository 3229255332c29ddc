package bench

import "testing"

// TestConsoleScenario: the lists are read, and the open inboxes have what is new.
func TestConsoleScenario(t *testing.T) {
	opts, gone := quick(t)
	opts.Calls, opts.Parked, opts.Consoles = 40, 30, 50
	s, err := Scenario(bounded(t), "console", opts)
	if err != nil {
		t.Fatal(err)
	}
	gone(4)
	s.above(t, "page_p50_ms", "inbox_p50_ms", "calls_p50_ms", "audit_p50_ms", "calls_per_s_alone", "calls_per_s_beside", "calls_per_s_beside_streams",
		"calls_with_content_p50_ms", "news_all_ms")
	if all := s.figures(); all["calls"] != 40 || all["parked"] != 30 || all["consoles"] != 50 {
		t.Errorf("the figures are %v", all)
	}
}
