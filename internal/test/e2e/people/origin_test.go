package people

import (
	"net/http"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestAllowedOrigin: a dispatcher permits browsers of the configured origins, and of no
// other.
func TestAllowedOrigin(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.HTTP.AllowedOrigins = []string{"https://app.example"} }})
	preflight := func(s *system.System, origin string) string {
		return s.HTTP(0).Send(t, http.MethodOptions, "/v1/execute", "", http.Header{
			"Origin": {origin}, "Access-Control-Request-Method": {"POST"}, "Access-Control-Request-Headers": {"content-type"},
		}).Header.Get("Access-Control-Allow-Origin")
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
	r := s.HTTP(0).Send(t, http.MethodPost, "/v1/execute", `{"calls": [`+system.EchoCall("1")+`]}`,
		http.Header{"Origin": {"https://app.example"}})
	if r.Status != 200 || r.Header.Get("Access-Control-Allow-Origin") != "https://app.example" {
		t.Errorf("execute from a page that may = %d %.200s, headers %v", r.Status, r.Body, r.Header)
	}
}
