package gate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// TestInnerCall: a call made by a running script is judged as any other, except that no
// person is asked, and the token of the outer call need not cover it.
func TestInnerCall(t *testing.T) {
	w := holding(t)
	for name, kind := range map[string]string{"low": "", "medium": "confirmation_required", "high": "confirmation_required"} {
		j := job(name, `{"path":"a"}`)
		j.Nested = true
		want(t, w.run(j), kind)
		j = job(name, `{"path":"a"}`)
		j.Nested, j.Token = true, w.mint(func(c *token.Claims) { c.Tools = []string{"create_tool"} })
		want(t, w.run(j), kind)
	}
	if len(w.parked) != 0 {
		t.Errorf("%d inner calls were parked, want none", len(w.parked))
	}

	covered := job("medium", `{"path":"a"}`)
	covered.Nested, covered.Token = true, w.mint(func(c *token.Claims) {
		c.ID, c.Tools, c.Reusable, c.CallID, c.ArgsHash, c.Scopes = "plan", []string{"create_tool", "medium"}, true, "", "", nil
	})
	want(t, w.run(covered), "")

	// A single-use token was used by the outer call.
	used := job("medium", `{"path":"a"}`)
	used.Nested, used.ID, used.Token = true, "call-1-1", w.mint(func(c *token.Claims) { c.ID = "one"; c.CallID, c.ArgsHash = "", "" })
	w.spent["one"] = "call-1"
	want(t, w.run(used), "confirmation_required")

	w.grants[consent.Subject{Tool: "medium"}] = protocol.Grant{ID: "g1", By: "u1"}
	granted := job("medium", `{"path":"a"}`)
	granted.Nested = true
	out := w.run(granted)
	want(t, out, "")
	if granted.Decision.Outcome != protocol.OutcomeAllowed || granted.Decision.Rule != "grant:g1" {
		t.Errorf("decision %+v, want the grant's", granted.Decision)
	}
}

// TestTokenForWhatACallMakes: a call that makes nested calls may carry a token for those;
// any other defect of the token is still refused.
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

// TestInnerCallStaysWithin: a nested call cannot reach more than its outer call.
func TestInnerCallStaysWithin(t *testing.T) {
	w := holding(t)
	j := job("low", `{"path":"a"}`)
	j.Nested, j.Within = true, []tool.Scopes{{Paths: []string{"notes"}}}
	want(t, w.run(j), "")
	if diff := cmp.Diff([]tool.Scopes{{Paths: []string{"notes"}}}, w.files); diff != "" {
		t.Errorf("the ports were narrowed to (-want +got):\n%s", diff)
	}
}
