package audit

import (
	"net/http"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestRequestMetrics: every answer is counted by door, operation and status, those that no
// operation saw too, and the system reports its pools, streams, policy and connections.
func TestRequestMetrics(t *testing.T) {
	t.Parallel()
	file, keys := system.KeysFile(t, identity.Entry{User: "u1", Roles: []string{"agent"}}, identity.Entry{
		User: "u1", Roles: []string{"auditor"},
	})
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) {
		c.Auth.KeysFile, c.HTTP.MaxBody, c.HTTP.MaxStreams, c.RateLimits = file, 4096, 1, []string{"debug.echo=1/1h"}
	}})
	d := s.HTTP(0)
	send := func(key, method, path, body string, want int) {
		t.Helper()
		header := http.Header{}
		if key != "" {
			header.Set("Authorization", "Bearer "+key)
		}
		if r := d.Send(t, method, path, body, header); r.Status != want {
			t.Fatalf("%s %s = %d %s, want %d", method, path, r.Status, r.Body, want)
		}
	}
	const echo = `{"calls": [{"tool": "debug.echo", "arguments": {"value": 1}}]}`
	send("", "POST", "/v1/execute", echo, http.StatusUnauthorized)
	send(keys[1], "POST", "/v1/execute", echo, http.StatusForbidden)
	send(keys[0], "POST", "/v1/execute", `{"calls": [{"tool": "debug.echo", "arguments": {"value": "`+strings.Repeat("x", 5000)+`"}}]}`,
		http.StatusRequestEntityTooLarge)
	send(keys[0], "POST", "/v1/execute", echo, http.StatusOK)
	send(keys[0], "POST", "/v1/execute", echo, http.StatusOK) // its one call is refused by the rule
	send(keys[0], "GET", "/v1/nothing", "", http.StatusNotFound)
	send(keys[0], "PATCH", "/v1/execute", "", http.StatusMethodNotAllowed)

	events := "/v1/events?trace_id=" + system.NewTrace()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URLs[0]+events, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+keys[0])
	open, err := s.Client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = open.Body.Close() }()
	send(keys[0], "GET", events, "", http.StatusTooManyRequests)

	want := map[string]float64{
		`helve_requests_total{door="http",operation="events",status="429"}`:  1,
		`helve_requests_total{door="http",operation="execute",status="401"}`: 1,
		`helve_requests_total{door="http",operation="execute",status="403"}`: 1,
		`helve_requests_total{door="http",operation="execute",status="413"}`: 1,
		`helve_requests_total{door="http",operation="execute",status="200"}`: 2,
		`helve_requests_total{door="http",operation="other",status="404"}`:   1,
		`helve_requests_total{door="http",operation="other",status="405"}`:   1,
		`helve_rate_limited_total{rule="debug.echo=1/1h0m0s"}`:               1,
		`helve_tenant_calls_total{status="success",tenant="default"}`:        1,
		`helve_tenant_calls_total{status="error",tenant="default"}`:          1,
		`helve_pool_calls_total{pool="default",status="error"}`:              1,
		`helve_deliveries_total{pool="default"}`:                             2,
		`helve_pool_workers{pool="default"}`:                                 1,
		`helve_stream_usable{stream="HELVE_CALLS"}`:                          1,
		`helve_stream_repairs_total{stream="HELVE_CALLS"}`:                   0,
		`helve_stream_replicas{state="current",stream="HELVE_CALLS"}`:        1,
		`helve_jetstream_up`:                                 1,
		`helve_lease_held{lease="sealer"}`:                   1,
		`helve_draining`:                                     0,
		`helve_event_streams`:                                1,
		`helve_nats_reconnects_total`:                        0,
		`helve_database_connections_limit{database="store"}`: 5,
	}
	system.Eventually(t, "every figure is in the scrape", func() bool {
		got := s.Samples(t, keys[1])
		for name, value := range want {
			if now, ok := got[name]; !ok || now != value {
				t.Logf("%s = %v (there: %v), want %v", name, now, ok, value)
				return false
			}
		}
		return got["helve_nats_round_trip_seconds"] > 0 && got["helve_jetstream_round_trip_seconds"] > 0
	})
}
