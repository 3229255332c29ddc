package bench

import "testing"

// TestOutwardScenario: calls that wait for a server all run at the same time, each with the
// goroutines of a call, two of its connection, and none beside.
func TestOutwardScenario(t *testing.T) {
	opts, gone := quick(t)
	opts.Calls = 300
	s, err := Scenario(bounded(t), "outward", opts)
	if err != nil {
		t.Fatal(err)
	}
	gone(4)
	s.above(t, "debug.echo_rate", "http_request_rate", "json_api_rate", "http_request_rate_of_noop", "json_api_cpu_us", "goroutines_waiting",
		"bystander_p99_us")
	all := s.figures()
	const call, connection = 2, 2
	if each := all["goroutines_waiting"]; all["slow_calls"] != 300 || each > call+connection+0.2 {
		t.Errorf("%v calls that wait have %v goroutines each, want at most %d", all["slow_calls"], each, call+connection)
	}
}
