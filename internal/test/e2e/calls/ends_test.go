package calls

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestEveryEnd: however a call ends, and although nobody asks for it, its element is sent.
func TestEveryEnd(t *testing.T) {
	t.Parallel()
	s, r := launchReceiver(t, system.Plan{Dispatchers: 2})
	d, decides := s.HTTP(0), s.HTTP(1)
	execute := func(path, call string) system.Element {
		t.Helper()
		return system.Execute(t, d, "acme", `{"context": {"user": "u1"}, `+r.to(path)+`, "calls": [`+call+`]}`).Results[0]
	}
	sent := func(path string) system.Element {
		t.Helper()
		p := r.await(t, path, 1)[0]
		verifyCallback(t, d, p)
		return p.element
	}
	e := execute("/refused", `{"call_id": "x", "tool": "nope"}`)
	system.WantError(t, e, "tool_not_found", "")
	system.WantError(t, sent("/refused"), "tool_not_found", e.Message)
	e = execute("/again", `{"call_id": "x", "tool": "debug.echo", "arguments": {"value": 1}}`) // the id is not used up
	system.WantResult(t, e, "1")
	system.WantResult(t, sent("/again"), "1")
	execute("/reused", `{"call_id": "x", "tool": "debug.echo", "arguments": {"value": 2}}`)
	system.WantError(t, sent("/reused"), "validation_error", "already used")
	execute("/invalid", `{"call_id": "not an id", "tool": "debug.echo"}`)
	system.WantError(t, sent("/invalid"), "validation_error", "call_id")

	park := func(path string) system.Element {
		t.Helper()
		e := execute(path, fmt.Sprintf(`{"call_id": %q, "tool": "debug.guarded", "arguments": {"key": %q}}`, strings.Trim(path, "/"), path))
		if e.State != "awaiting_consent" {
			t.Fatalf("%s: %v", path, e)
		}
		return e
	}
	granted, denied, cancelled := park("/granted"), park("/denied"), park("/cancelled")
	if n := len(r.at("/granted")); n != 0 {
		t.Errorf("%d callbacks of a pending call", n)
	}
	system.Grant(t, decides, "acme", granted.ConsentID)
	system.WantResult(t, sent("/granted"), `{"written":true}`)
	if got := system.Decide(t, decides, "acme", denied.ConsentID, `{"decision": "deny", "by": "u1"}`); got.Status != 200 {
		t.Fatalf("deny = %d %s", got.Status, got.Body)
	}
	system.WantError(t, sent("/denied"), "permission_denied", "")
	system.WantError(t, system.ByID(t, decides, "calls.cancel", "acme", cancelled.CallID), "cancelled", "")
	system.WantError(t, sent("/cancelled"), "cancelled", "")

	system.Execute(t, d, "acme",
		`{"wait_ms": 0, `+r.to("/stopped")+`, "calls": [{"call_id": "running", "tool": "debug.sleep", "arguments": {"ms": 600000}}]}`)
	system.WantError(t, system.ByID(t, decides, "calls.cancel", "acme", "running"), "cancelled", "")
	system.WantError(t, sent("/stopped"), "cancelled", "")
}

// TestUntaken: a call that no worker takes in time is ended although nobody asks for it.
func TestUntaken(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	s := system.Launch(t, system.Plan{Config: r.allow(func(c *config.Config) { c.Worker.Slots = 1 })})
	release := s.Occupy(t, "hold")
	system.Execute(t, s.HTTP(0), "acme",
		`{"wait_ms": 0, `+r.to("/hook")+`, "calls": [{"tool": "debug.sleep", "arguments": {"ms": 1}, "timeout_ms": 500}]}`)
	system.WantError(t, r.await(t, "/hook", 1)[0].element, "timeout", "waited too long")
	release()
}

// TestExpired: a consent that nobody decides ends its call, and that is sent.
func TestExpired(t *testing.T) {
	t.Parallel()
	s, r := launchReceiver(t, system.Plan{}, func(c *config.Config) { c.Consent.TTL, c.Consent.HighTTL = 2*time.Second, time.Second })
	e := system.Execute(t, s.HTTP(0), "acme",
		`{"context": {"user": "u1"}, `+r.to("/hook")+`, "calls": [{"tool": "debug.guarded", "arguments": {"key": "k"}}]}`).Results[0]
	if e.State != "awaiting_consent" {
		t.Fatalf("answer: %v", e)
	}
	system.WantError(t, r.await(t, "/hook", 1)[0].element, "consent_expired", "")
}

// TestJoined: each URL that a request for a call names gets its result, once, also if the
// call was made without a callback, or has ended.
func TestJoined(t *testing.T) {
	t.Parallel()
	s, r := launchReceiver(t, system.Plan{Dispatchers: 2})
	const call = `"calls": [{"call_id": "c1", "tool": "debug.effect", "arguments": {"key": "k", "after_ms": 1500}}]}`
	system.Execute(t, s.HTTP(0), "acme", `{"wait_ms": 0, `+call)
	for i := range 2 {
		for _, path := range []string{"/one", "/two"} {
			system.Execute(t, s.HTTP(i), "acme", `{"wait_ms": 0, `+r.to(path)+`, `+call)
		}
	}
	for _, path := range []string{"/one", "/two"} {
		system.WantResult(t, r.await(t, path, 1)[0].element, `{"written":true}`)
	}
	system.Execute(t, s.HTTP(1), "acme", `{`+r.to("/three")+`, `+call)
	system.WantResult(t, r.await(t, "/three", 1)[0].element, `{"written":true}`)
	// A call whose id was made here, sent again with a callback.
	e := system.Execute(t, s.HTTP(0), "acme", `{"calls": [{"tool": "debug.echo", "arguments": {"value": 7}}]}`).Results[0]
	system.Execute(t, s.HTTP(1), "acme",
		`{`+r.to("/made")+fmt.Sprintf(`, "calls": [{"call_id": %q, "tool": "debug.echo", "arguments": {"value": 7}}]}`, e.CallID))
	system.WantResult(t, r.await(t, "/made", 1)[0].element, "7")
	for _, path := range []string{"/one", "/two", "/three", "/made"} {
		if n := len(r.at(path)); n != 1 {
			t.Errorf("%s got %d callbacks, want 1", path, n)
		}
	}
	s.WantLedger(t, "acme", "k c1")
}

// TestOtherPersonsCall: nobody has the result of another person's call sent by its call_id.
func TestOtherPersonsCall(t *testing.T) {
	t.Parallel()
	s, r := launchReceiver(t, system.Plan{Dispatchers: 2})
	const call = `"calls": [{"call_id": "c1", "tool": "debug.echo", "arguments": {"value": "canary"}}]}`
	system.Execute(t, s.HTTP(0), "acme", `{"context": {"user": "ann"}, `+call)
	system.Execute(t, s.HTTP(1), "acme", `{"context": {"user": "bob"}, `+r.to("/bob")+`, `+call)
	system.WantError(t, r.await(t, "/bob", 1)[0].element, "validation_error", "already used")
	// What else was sent to bob would have been sent before this.
	system.Execute(t, s.HTTP(0), "acme", `{"context": {"user": "ann"}, `+r.to("/ann")+`, `+call)
	system.WantResult(t, r.await(t, "/ann", 1)[0].element, `"canary"`)
	for _, p := range r.at("/bob") {
		if strings.Contains(string(p.body), "canary") {
			t.Errorf("bob got %s", p.body)
		}
	}
}
