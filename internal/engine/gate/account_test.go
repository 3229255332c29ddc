package gate_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// TestConnect: a person is asked for an account only for a call that could run with it.
func TestConnect(t *testing.T) {
	missing := func(page string) *tool.AccountMissing {
		return &tool.AccountMissing{Service: "cloud", Title: "The Cloud", Page: page}
	}
	rules := filepath.Join(t.TempDir(), "rules.cedar")
	if err := os.WriteFile(rules, []byte(`forbid(principal, action == Action::"execute", resource == Tool::"high");`), 0o600); err != nil {
		t.Fatal(err)
	}
	const page = "https://helve.example/v1/connect/"
	for name, tt := range map[string]struct {
		tool   string
		page   string
		change func(w *world, j *engine.Job)
		want   string
		text   string
	}{
		"a call":                   {"low", page, nil, "parked", ""},
		"a call that is asked for": {"medium", page, nil, "parked", ""},
		"no person":                {"low", page, func(_ *world, j *engine.Job) { j.User = "" }, "not_configured", "name the user"},
		"a nested call": {
			"low", page, func(_ *world, j *engine.Job) { j.Nested = true }, "not_configured", "helve config connect cloud --user u1",
		},
		"no public address":     {"low", "", nil, "not_configured", "http.public_url"},
		"a call that is denied": {"high", page, nil, "policy_denied", ""},
		"never this tool": {
			"medium", page, func(w *world, _ *engine.Job) { w.grants[consent.Subject{Tool: "medium"}] = protocol.Grant{Deny: true} },
			"permission_denied", "",
		},
		"never this account": {"low", page, func(w *world, _ *engine.Job) {
			w.grants[consent.AccountOf("cloud")] = protocol.Grant{ID: "g-1", Deny: true}
		}, "permission_denied", "helve grants revoke g-1"},
		"a wrong token": {"medium", page, func(w *world, j *engine.Job) {
			j.Token = w.mint(func(c *token.Claims) { c.User = "u2" })
		}, "permission_denied", "user"},
		"a token":                        {"medium", page, func(w *world, j *engine.Job) { j.Token = w.mint(nil) }, "parked", ""},
		"a storage that does not answer": {"low", page, func(w *world, _ *engine.Job) { w.findErr = context.DeadlineExceeded }, "retry", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := holding(t, rules)
			w.missing = missing(tt.page)
			j := job(tt.tool, `{"path":"a"}`)
			if tt.change != nil {
				tt.change(w, j)
			}
			out := w.run(j)
			want(t, out, tt.want)
			if out.Err != nil && !strings.Contains(out.Err.Msg, tt.text) {
				t.Errorf("the refusal is %q, want one with %q", out.Err.Msg, tt.text)
			}
			if len(w.spent) > 0 || w.ran > 0 {
				t.Errorf("the token is spent %v, the tool ran %d times", w.spent, w.ran)
			}
			if tt.want != "parked" {
				return
			}
			a := w.parked[0]
			if r := a.Request; r.Kind != protocol.ConsentAccount || r.Service != "cloud" || r.ForTool || !a.Shared || a.Page != page ||
				len(r.Permissions) != 0 || !strings.Contains(r.Reason, "an account of The Cloud") {
				t.Errorf("the request is %+v", a)
			}
		})
	}
}
