package calls

import (
	"fmt"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestAnotherDispatcherSends: what the sending dispatcher leaves undone another one does; while
// both run, one of them sends.
func TestAnotherDispatcherSends(t *testing.T) {
	t.Parallel()
	s, r := launchReceiver(t, system.Plan{Dispatchers: 2})
	e := system.Execute(t, s.HTTP(0), "acme",
		`{"context": {"user": "u1"}, `+r.to("/hook")+`, "calls": [{"tool": "debug.guarded", "arguments": {"key": "k"}}]}`).Results[0]
	if err := s.Drains[0](); err != nil {
		t.Fatal(err)
	}
	system.Grant(t, s.HTTP(1), "acme", e.ConsentID)
	system.WantResult(t, r.await(t, "/hook", 1)[0].element, `{"written":true}`)
	if _, err := s.AddDispatcher(); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		system.Execute(t, s.HTTP(1+i%2), "acme",
			`{"wait_ms": 0, `+r.to("/many")+`, "calls": [{"tool": "debug.echo", "arguments": {"value": 1}}]}`)
	}
	seen := map[string]int{}
	r.await(t, "/many", 20)
	system.Execute(t, s.HTTP(1), "acme", `{`+r.to("/last")+`, "calls": [{"tool": "debug.echo", "arguments": {"value": 1}}]}`)
	r.await(t, "/last", 1)
	for _, p := range append(r.at("/many"), r.at("/hook")...) {
		verifyCallback(t, s.HTTP(2), p)
		seen[p.element.CallID]++
	}
	for id, n := range seen {
		if n != 1 {
			t.Errorf("call %s was sent %d times", id, n)
		}
	}
}

// TestStreamDeleted: without the stream calls with a callback are refused and others run; a
// dispatcher makes it again, and callbacks are sent again.
func TestStreamDeleted(t *testing.T) {
	t.Parallel()
	s, r := launchReceiver(t, system.Plan{Dispatchers: 2})
	system.Execute(t, s.HTTP(0), "acme", `{`+r.to("/before")+`, "calls": [{"tool": "debug.echo", "arguments": {"value": 1}}]}`)
	r.await(t, "/before", 1)
	js, err := jetstream.New(s.Conn)
	if err != nil {
		t.Fatal(err)
	}
	if err := js.DeleteStream(system.Context(t), "HELVE_CALLBACKS"); err != nil {
		t.Fatal(err)
	}
	system.ExecuteDefault(t, s.HTTP(0), system.EchoCall("1"))
	n := 0
	system.Eventually(t, "a call with a callback is accepted", func() bool {
		n++
		body := fmt.Sprintf(`{%s, "calls": [{"call_id": "c%d", "tool": "debug.echo", "arguments": {"value": %d}}]}`, r.to("/after"), n, n)
		return s.HTTP(1).Ask(t, "acme", "execute", nil, body).Status == 200
	})
	system.WantResult(t, r.await(t, "/after", 1)[0].element, fmt.Sprint(n))
}
