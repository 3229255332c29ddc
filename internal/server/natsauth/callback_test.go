package natsauth

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
)

// TestCallbacks: a dispatcher may do what it needs to store callbacks, to send them and to
// remove them.
func TestCallbacks(t *testing.T) {
	t.Parallel()
	got := make(chan string, 10)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body) // the test compares it
		got <- string(body)
	}))
	t.Cleanup(hook.Close)
	s := &system{dir: t.TempDir(), tenants: []string{"acme"}, logs: &transcript{}}
	s.change = func(c *config.Config) { c.Callbacks.AllowedHosts = []string{strings.TrimPrefix(hook.URL, "http://")} }
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Errorf("drain: %v", err)
		}
		if lines := s.logs.violations(); len(lines) > 0 {
			t.Errorf("refused:\n%s", lines)
		}
	})
	if err := s.serve(-1); err != nil {
		t.Fatal(err)
	}
	if err := s.run(); err != nil {
		t.Fatal(err)
	}
	agent := s.as(t, "acme.agent")
	large := strings.Repeat("x", 600<<10)
	for _, call := range []string{
		`{"tool": "debug.echo", "arguments": {"value": 7}}`,
		`{"call_id": "c1", "tool": "debug.echo", "arguments": {"value": "` + large + `"}}`,
		`{"call_id": "c2", "tool": "nope"}`,
	} {
		agent.call(t, "acme", `{"context": {"user": "dora"}, "callback": {"url": "`+hook.URL+`"}, "calls": [`+call+`]}`)
	}
	all := ""
	for range 3 {
		select {
		case body := <-got:
			all += body
		case <-time.After(patience()):
			t.Fatalf("a callback did not come; the log:\n%s", s.logs)
		}
	}
	if !strings.Contains(all, `"result":7`) || !strings.Contains(all, large) || !strings.Contains(all, "tool_not_found") {
		t.Errorf("sent: %d bytes", len(all))
	}
	s.as(t, "acme.admin").api(t, "acme", "data.delete", `{"user": "dora"}`)
}
