package bench

import "testing"

// TestListenersScenario: the streams are really open and really heard.
func TestListenersScenario(t *testing.T) {
	opts, gone := quick(t)
	opts.Calls = 20
	s, err := Scenario(bounded(t), "listeners", opts)
	if err != nil {
		t.Fatal(err)
	}
	gone(3)
	s.above(t, "listen_per_s", "dispatcher_rss_mib", "dispatcher_goroutines", "broker_rss_mib")
	if got := s.figures()["mcp_clients"]; got != 20 {
		t.Errorf("%v MCP clients were connected, want 20", got)
	}
	if got := s.figures()["listeners"]; got != 20 {
		t.Errorf("%v streams were opened, want 20", got)
	}
}
