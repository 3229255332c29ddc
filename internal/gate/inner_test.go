package gate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/token"
	"github.com/helve-dev/helve/tool"
)

// TestInnerCall: a call that a running script makes is judged as any other, but
// nobody is asked, and the token of the call around it need not cover it.
func TestInnerCall(t *testing.T) {
	w := holding(t)
	for name, kind := range map[string]string{"low": "", "medium": "confirmation_required", "high": "confirmation_required"} {
		j := job(name, `{"path":"a"}`)
		j.Inner = true
		want(t, w.run(j), kind)
		j = job(name, `{"path":"a"}`)
		j.Inner, j.Token = true, w.mint(func(c *token.Claims) { c.Tools = []string{"create_tool"} })
		want(t, w.run(j), kind)
	}
	if len(w.parked) != 0 {
		t.Errorf("%d inner calls were parked, want none", len(w.parked))
	}

	covered := job("medium", `{"path":"a"}`)
	covered.Inner, covered.Token = true, w.mint(func(c *token.Claims) {
		c.ID, c.Tools, c.Reusable, c.CallID, c.ArgsHash, c.Scopes = "plan", []string{"create_tool", "medium"}, true, "", "", nil
	})
	want(t, w.run(covered), "")

	// One that holds for one call was used by the call around it.
	used := job("medium", `{"path":"a"}`)
	used.Inner, used.ID, used.Token = true, "call-1-1", w.mint(func(c *token.Claims) { c.ID = "one"; c.CallID, c.ArgsHash = "", "" })
	w.spent["one"] = "call-1"
	want(t, w.run(used), "confirmation_required")

	w.grants[consent.Subject{Tool: "medium"}] = consent.Grant{GrantID: "g1", By: "u1"}
	granted := job("medium", `{"path":"a"}`)
	granted.Inner = true
	out := w.run(granted)
	want(t, out, "")
	if granted.Decision.Outcome != audit.Allowed || granted.Decision.Rule != "grant:g1" {
		t.Errorf("decision %+v, want the grant's", granted.Decision)
	}
}

// TestTokenForWhatACallMakes: a call that makes others may carry the token that is for
// those, and nothing else that is wrong with it passes.
func TestTokenForWhatACallMakes(t *testing.T) {
	w := holding(t)
	for name, tt := range map[string]struct {
		tool   string
		change func(*token.Claims)
		want   string
	}{
		"of other tools":                  {"several", func(c *token.Claims) { c.Tools = []string{"medium"} }, ""},
		"of other tools, of another user": {"several", func(c *token.Claims) { c.Tools, c.User = []string{"medium"}, "u2" }, "permission_denied"},
		"a call that makes none":          {"low", func(c *token.Claims) { c.Tools = []string{"medium"} }, "permission_denied"},
	} {
		j := job(tt.tool, `{"path":"a"}`)
		j.Token = w.mint(tt.change)
		if out := w.run(j); out.Err != nil && string(out.Err.Kind) != tt.want || out.Err == nil && tt.want != "" {
			t.Errorf("%s: %v, want %q", name, out.Err, tt.want)
		}
	}
}

// TestInnerCallStaysWithin: what the call around it may not reach, it may not.
func TestInnerCallStaysWithin(t *testing.T) {
	w := holding(t)
	j := job("low", `{"path":"a"}`)
	j.Inner, j.Within = true, []tool.Scopes{{Paths: []string{"notes"}}}
	want(t, w.run(j), "")
	if diff := cmp.Diff([]tool.Scopes{{Paths: []string{"notes"}}}, w.files); diff != "" {
		t.Errorf("the ports were narrowed to (-want +got):\n%s", diff)
	}
}
