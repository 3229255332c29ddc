package natsauth

import (
	"errors"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
)

// TestRestarts: everything comes back with the credentials it has. The server's
// keys are those of before, and so are the streams.
func TestRestarts(t *testing.T) {
	t.Parallel()
	s, err := start(t.TempDir())
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Errorf("drain: %v", err)
		}
		if lines := s.logs.violations(); len(lines) > 0 {
			t.Errorf("refused:\n%s", lines)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	agent := s.as(t, "acme.agent")
	runs := func(id string) {
		t.Helper()
		if e := agent.call(t, "acme",
			`{"calls": [{"call_id": "`+id+`", "tool": "debug.effect", "arguments": {"key": "k"}}]}`); e["status"] != "success" {
			t.Errorf("%s = %v, want success", id, e)
		}
	}
	runs("r1")
	if err := s.drain(); err != nil {
		t.Fatalf("drain: %v", err)
	}
	if err := s.run(); err != nil {
		t.Fatal(err)
	}
	runs("r2")

	// A worker with other settings than the dispatcher's takes the streams as
	// they are.
	if err := s.worker.drain(); err != nil {
		t.Fatalf("drain: %v", err)
	}
	s.change = func(c *config.Config) { c.Streams.ResultsMaxAge *= 2 }
	if err := errors.Join(s.runWorker(), s.worker.ready()); err != nil {
		t.Fatal(err)
	}
	until(t, "the log says that its settings do not hold", func() bool {
		return strings.Contains(s.logs.String(), "stream differs from the settings")
	})
	s.change = nil
	runs("r2b")

	// The server comes back with a tenant more.
	port := s.port()
	s.tenants = append(s.tenants, "gamma")
	s.srv.Shutdown()
	s.srv.WaitForShutdown()
	if err := s.serve(port); err != nil {
		t.Fatal(err)
	}
	until(t, "the agent is connected again", agent.IsConnected)
	until(t, "the dispatcher answers", func() bool {
		_, err := agent.Request("helve.v1.acme.api.tools.list", []byte("{}"), patience())
		return err == nil
	})
	runs("r3")
	if e := agent.settled(t, "acme", "r1"); e["status"] != "success" {
		t.Errorf("the result of before is %v, want success", e)
	}
	gamma := s.as(t, "gamma.agent")
	if e := gamma.call(t, "gamma",
		`{"calls": [{"call_id": "r1", "tool": "debug.echo", "arguments": {"value": 1}}]}`); e["status"] != "success" {
		t.Errorf("the new tenant's call = %v, want success", e)
	}
}
