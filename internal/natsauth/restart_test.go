package natsauth

import "testing"

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
		if e := agent.call(t, "acme", `{"calls": [{"call_id": "`+id+`", "tool": "debug.effect", "arguments": {"key": "k"}}]}`); e["status"] != "success" {
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

	port := s.port()
	s.srv.Shutdown()
	s.srv.WaitForShutdown()
	if err := s.serve(port); err != nil {
		t.Fatal(err)
	}
	until(t, "the agent is connected again", agent.IsConnected)
	until(t, "the dispatcher answers", func() bool {
		_, err := agent.Request("helve.v1.acme.api.tools.list", []byte("{}"), patience)
		return err == nil
	})
	runs("r3")
	if e := agent.settled(t, "acme", "r1"); e["status"] != "success" {
		t.Errorf("the result of before is %v, want success", e)
	}
}
