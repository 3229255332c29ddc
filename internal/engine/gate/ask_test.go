package gate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/protocol"
)

const adoption = "custom_tool.x.ct_1.3"

// TestAdoption: the caller is asked about a tool made by somebody else, until they agreed
// to exactly that version.
func TestAdoption(t *testing.T) {
	w, j := holding(t), job("adopted", `{"path":"a"}`)
	want(t, w.run(j), "parked")
	ask := w.parked[0]
	r := ask.Request
	if r.Adopts != adoption || !slices.Equal(r.Permissions, []string{adoption}) || r.Reason != "ann made it" || r.ForTool || !ask.Shared {
		t.Errorf("the person is asked %+v", r)
	}
	w.grants[consent.Subject{Permission: "custom_tool.x.ct_1.2"}] = protocol.Grant{By: "u1"}
	want(t, w.run(job("adopted", `{"path":"a"}`)), "parked") // another version
	w.grants[consent.Subject{Permission: adoption}] = protocol.Grant{By: "u1"}
	want(t, w.run(job("adopted", `{"path":"a"}`)), "")
	want(t, w.run(job("adopted_medium", `{"path":"a"}`)), "parked") // each call of this tool is asked about in any case

	w = holding(t)
	want(t, w.run(job("adopted_medium", `{"path":"a"}`)), "parked")
	if r := w.parked[0].Request; r.Adopts != adoption || !r.ForTool || !strings.HasPrefix(r.Reason, "ann made it; ") {
		t.Errorf("the person is asked %+v, want both in one", r)
	}
	w.grants[consent.Subject{Permission: adoption}] = protocol.Grant{By: "u1", Deny: true}
	out := w.run(job("adopted", `{"path":"a"}`))
	want(t, out, "permission_denied")
	if !strings.Contains(out.Err.Msg, "somebody else made") {
		t.Errorf("the refusal says %q", out.Err.Msg)
	}
	nobody := job("adopted", `{"path":"a"}`)
	nobody.User = ""
	want(t, w.run(nobody), "confirmation_required")
	plan := job("adopted", `{"path":"a"}`)
	plan.Token = w.mint(func(c *token.Claims) { c.Tools = []string{"adopted"} })
	want(t, holding(t).run(plan), "permission_denied") // a token of other keys
	w = holding(t)
	plan.Token = w.mint(func(c *token.Claims) { c.Tools = []string{"adopted"} })
	want(t, w.run(plan), "parked") // a plan names no version
}

// TestApproverOnly: neither a plan's token nor a lasting grant replaces an approver's
// consent to this call.
func TestApproverOnly(t *testing.T) {
	w := holding(t)
	w.grants[consent.Subject{Tool: "approved"}] = protocol.Grant{By: "u1"}
	want(t, w.run(job("approved", `{"path":"a"}`)), "parked")
	if r := w.parked[0].Request; !r.ApproverOnly || !r.ForTool || !strings.Contains(r.Reason, "approver") {
		t.Errorf("the request is %+v, want one for approvers", r)
	}
	for _, approver := range []bool{false, true} {
		j := job("approved", `{"path":"a"}`)
		j.Token = w.mint(func(c *token.Claims) { c.Tools, c.Approver = []string{"approved"}, approver })
		kind := map[bool]string{false: "permission_denied", true: ""}[approver]
		out := w.run(j)
		want(t, out, kind)
		if !approver && j.Decision.Rule != "token:role" {
			t.Errorf("the rule is %q", j.Decision.Rule)
		}
	}
}
