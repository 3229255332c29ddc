package e2e

import (
	"net/http"
	"testing"

	"github.com/helve-dev/helve/config"
)

// TestAllowedOrigin: a dispatcher tells browsers of the configured origins, and of
// no other.
func TestAllowedOrigin(t *testing.T) {
	t.Parallel()
	s := launch(t, plan{config: func(c *config.Config) { c.HTTP.AllowedOrigins = []string{"https://app.example"} }})
	preflight := func(s *system, origin string) string {
		return s.http(0).send(t, http.MethodOptions, "/v1/execute", "", http.Header{
			"Origin": {origin}, "Access-Control-Request-Method": {"POST"}, "Access-Control-Request-Headers": {"content-type"},
		}).header.Get("Access-Control-Allow-Origin")
	}
	if got := preflight(s, "https://app.example"); got != "https://app.example" {
		t.Errorf("the origin that is configured is told %q", got)
	}
	if got := preflight(s, "https://evil.example"); got != "" {
		t.Errorf("another origin is told %q", got)
	}
	if got := preflight(shared, "https://app.example"); got != "" {
		t.Errorf("where none is configured it is told %q", got)
	}
	r := s.http(0).send(t, http.MethodPost, "/v1/execute", `{"calls": [`+echo("1")+`]}`, http.Header{"Origin": {"https://app.example"}})
	if r.status != 200 || r.header.Get("Access-Control-Allow-Origin") != "https://app.example" {
		t.Errorf("execute from a page that may = %d %.200s, headers %v", r.status, r.body, r.header)
	}
}
