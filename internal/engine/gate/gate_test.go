package gate_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

func TestWithoutAPerson(t *testing.T) {
	for name, kind := range map[string]string{
		"low": "", "look": "", "medium": "parked", "high": "parked", "boundless": "policy_denied", "locate": "parked",
	} {
		w, j := holding(t), job(name, `{"path":"a"}`)
		want(t, w.run(j), kind)
		outcome := map[string]string{
			"": protocol.OutcomeAllowed, "parked": protocol.OutcomeConfirmationRequired, "policy_denied": protocol.OutcomeBlocked,
		}[kind]
		if j.Decision.Outcome != outcome || j.Decision.Reason == "" || j.Decision.Rule == "" || w.decided[outcome] != 1 {
			t.Errorf("%s: decision %+v, counted %v, want %s with reason and rule, counted once", name, j.Decision, w.decided, outcome)
		}
		if (w.ran == 1) != (kind == "") {
			t.Errorf("%s ran %d times", name, w.ran)
		}
		j = job(name, `{"path":"a"}`)
		j.User = ""
		if kind == "parked" {
			kind = "confirmation_required"
		}
		want(t, w.run(j), kind)
	}
}

func TestWhatThePersonIsAsked(t *testing.T) {
	w := holding(t)
	w.run(job("medium", `{"path":"a\u001b[31m","secret":"hunter2"}`))
	w.run(job("high", `{"path":"a"}`))
	w.run(job("locate", `{"path":"a"}`))
	if len(w.parked) != 3 {
		t.Fatalf("%d jobs were parked, want 3", len(w.parked))
	}
	medium, high, locate := w.parked[0], w.parked[1], w.parked[2]
	r := medium.Request
	if r.Tool != "medium" || r.User != "u1" || r.Conversation != "c1" || r.Call.CallID != "call-1" || r.Reason == "" || !r.ForTool ||
		medium.Shared {
		t.Errorf("the request is %+v, want who asks for what and why", r)
	}
	if text := r.Preview + string(r.Arguments); strings.Contains(text, "hunter2") || strings.Contains(text, "\x1b") {
		t.Errorf("the preview shows %q: a secret or a control character", text)
	}
	if !strings.HasPrefix(r.ArgsHash, "sha256:") || !slices.Equal(r.Scopes.Paths, []string{"workspace"}) {
		t.Errorf("hash %q, scopes %+v, want those of the call", r.ArgsHash, r.Scopes)
	}
	if medium.TTL != 10*time.Minute || high.TTL != 2*time.Minute {
		t.Errorf("a person may take %v and %v, want 10m and, for high risk, 2m", medium.TTL, high.TTL)
	}
	if !locate.Shared || locate.Request.ForTool || !slices.Equal(locate.Request.Permissions, []string{"location"}) ||
		!strings.Contains(locate.Request.Reason, "location") {
		t.Errorf("the request for a permission is %+v, want it shared and named", locate)
	}
}

func TestToken(t *testing.T) {
	w := holding(t)
	j := job("medium", `{"path":"a"}`)
	j.Token = w.mint(nil)
	want(t, w.run(j), "")
	if !strings.Contains(j.Decision.Reason, "boss") || j.Decision.Rule != "token:t1" || w.spent["t1"] != "call-1" {
		t.Errorf("decision %+v, spent %v, want the token's", j.Decision, w.spent)
	}
	if diff := cmp.Diff([]tool.Scopes{{Paths: []string{"notes"}}}, w.files); diff != "" {
		t.Errorf("the ports were narrowed to (-want +got):\n%s", diff)
	}
	again := job("medium", `{"path":"a"}`)
	again.Token = j.Token
	want(t, w.run(again), "") // the same call, delivered again
	other := job("medium", `{"path":"a"}`)
	other.ID, other.Token = "call-2", j.Token
	out := w.run(other)
	want(t, out, "permission_denied")
	if w.ran != 2 || len(w.parked) != 0 || !strings.Contains(out.Err.Msg, "used") {
		t.Errorf("ran %d times, parked %d, %v: want the used token refused, never parked", w.ran, len(w.parked), out.Err)
	}
}

func TestTokenThatDoesNotFit(t *testing.T) {
	for binding, change := range map[string]func(*token.Claims){
		"tenant":    func(c *token.Claims) { c.Tenant = "beta" },
		"user":      func(c *token.Claims) { c.User = "u2" },
		"trace_id":  func(c *token.Claims) { c.TraceID = strings.Repeat("a", 32) },
		"tool":      func(c *token.Claims) { c.Tools = []string{"other"} },
		"arguments": func(c *token.Claims) { c.ArgsHash = "sha256:" + strings.Repeat("0", 64) },
		"call":      func(c *token.Claims) { c.CallID = "call-9" },
		"expired": func(c *token.Claims) {
			c.IssuedAt, c.Expires = time.Now().Add(-time.Hour), time.Now().Add(-time.Minute)
		},
	} {
		for _, name := range []string{"medium", "low"} { // also where none is needed
			w, j := holding(t), job(name, `{"path":"a"}`)
			j.Token = w.mint(change)
			want(t, w.run(j), "permission_denied")
			if w.ran != 0 || len(w.parked) != 0 || len(w.spent) != 0 || j.Decision.Rule != "token:"+binding {
				t.Errorf("%s, %s: ran %d, parked %d, spent %v, rule %q", name, binding, w.ran, len(w.parked), w.spent, j.Decision.Rule)
			}
		}
	}
	w, j := holding(t), job("high", `{"path":"a"}`)
	j.Token = w.mint(func(c *token.Claims) { c.Scopes = nil })
	want(t, w.run(j), "permission_denied")
	j = job("medium", `{"path":"a"}`)
	j.Token = "v4.public.garbage"
	want(t, w.run(j), "permission_denied")
}

func TestTokenIsKeptWhereItIsNotNeeded(t *testing.T) {
	w, j := holding(t), job("low", `{"path":"a"}`)
	j.Token = w.mint(nil)
	want(t, w.run(j), "")
	if len(w.spent) != 0 {
		t.Errorf("a call that needs no token spent %v", w.spent)
	}
	// A token that covers the tool but not a permission: the person is asked, and the token
	// is not spent.
	j = job("locate", `{"path":"a"}`)
	j.Token = w.mint(nil)
	want(t, w.run(j), "parked")
	if len(w.spent) != 0 {
		t.Errorf("a parked call spent %v", w.spent)
	}
	j = job("locate", `{"path":"a"}`)
	j.Token = w.mint(func(c *token.Claims) { c.Permissions = []string{"location"} })
	want(t, w.run(j), "")
	// A token that covers the tool is spent although a permission is still missing: the
	// person's consent then brings a token of its own.
	j = job("both", `{"path":"a"}`)
	j.Token = w.mint(func(c *token.Claims) { c.ID = "t2" })
	want(t, w.run(j), "parked")
	if w.spent["t2"] != "call-1" || w.parked[len(w.parked)-1].Request.ForTool {
		t.Errorf("spent %v, asked %+v: want the token spent and only the permission asked for", w.spent, w.parked[len(w.parked)-1])
	}
	// A reusable token is never spent.
	for range 2 {
		j = job("medium", `{"path":"a"}`)
		j.Token = w.mint(func(c *token.Claims) { c.Reusable, c.ID = true, "plan" })
		want(t, w.run(j), "")
	}
	if _, ok := w.spent["plan"]; ok {
		t.Error("a reusable token was spent")
	}
}

func TestGrants(t *testing.T) {
	w := holding(t)
	w.grants[consent.Subject{Tool: "medium"}] = protocol.Grant{ID: "g1", By: "u1", Scopes: &tool.Scopes{Paths: []string{"notes"}}}
	w.grants[consent.Subject{Tool: "high"}] = protocol.Grant{ID: "g2", By: "u1"}
	w.grants[consent.Subject{Permission: "location"}] = protocol.Grant{ID: "g3", By: "u1"}
	j := job("medium", `{"path":"a"}`)
	want(t, w.run(j), "")
	if j.Decision.Rule != "grant:g1" || len(w.files) != 1 || w.files[0].Paths[0] != "notes" {
		t.Errorf("decision %+v within %v, want the grant's", j.Decision, w.files)
	}
	want(t, w.run(job("high", `{"path":"a"}`)), "parked") // a grant does not suffice
	want(t, w.run(job("locate", `{"path":"a"}`)), "")

	w.grants[consent.Subject{Tool: "medium"}] = protocol.Grant{ID: "g1", Deny: true}
	w.grants[consent.Subject{Permission: "location"}] = protocol.Grant{ID: "g3", Deny: true}
	w.grants[consent.Subject{Tool: "high"}] = protocol.Grant{ID: "g2", Deny: true}
	for name, sentence := range map[string]string{
		"medium": "settings", "high": "settings", "locate": "Required permissions were denied: location",
	} {
		out := w.run(job(name, `{"path":"a"}`))
		want(t, out, "permission_denied")
		if !strings.Contains(out.Err.Msg, sentence) {
			t.Errorf("%s: %q, want %q", name, out.Err.Msg, sentence)
		}
	}
}

func TestRulesComeFirst(t *testing.T) {
	dir := t.TempDir()
	rules := filepath.Join(dir, "rules.cedar")
	text := `@id("no-medium") @reason("Medium is closed.") forbid(principal, action == Action::"execute", resource == Tool::"medium");`
	if err := os.WriteFile(rules, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	w, j := holding(t, rules), job("medium", `{"path":"a"}`)
	j.Token = w.mint(nil)
	out := w.run(j)
	want(t, out, "policy_denied")
	if !strings.Contains(out.Err.Msg, "Medium is closed.") || !strings.Contains(out.Err.Msg, "no-medium") || j.Decision.Rule != "no-medium" ||
		len(w.spent) != 0 {
		t.Errorf("%q, decision %+v, spent %v, want the rule's id and text", out.Err.Msg, j.Decision, w.spent)
	}
}

func TestWhatCannotBeAskedIsTriedAgain(t *testing.T) {
	away := errors.New("no responders")
	for _, tt := range []struct {
		name   string
		change func(*world, *engine.Job)
		kind   string
	}{
		{"grants", func(w *world, _ *engine.Job) { w.findErr = away }, "retry"},
		{"parking", func(w *world, _ *engine.Job) { w.parkErr = away }, "retry"},
		{"spending", func(w *world, j *engine.Job) { w.spendErr, j.Token = away, w.mint(nil) }, "retry"},
		{"decided before", func(w *world, _ *engine.Job) { w.parkErr = consent.ErrDecided }, "parked"},
		{"too many", func(w *world, _ *engine.Job) { w.parkErr = tool.Fail(tool.RateLimited, "too many") }, "rate_limited"},
	} {
		w, j := holding(t), job("medium", `{"path":"a"}`)
		tt.change(w, j)
		t.Run(tt.name, func(t *testing.T) { want(t, w.run(j), tt.kind) })
		if w.ran != 0 {
			t.Errorf("%s: the tool ran", tt.name)
		}
	}
}
