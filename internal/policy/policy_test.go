package policy

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

// TestDecide shows how rules lie over the table, and what wins where they
// contradict each other.
func TestDecide(t *testing.T) {
	t.Parallel()
	const (
		forbid   = `@id("no") @reason("Not here.") forbid(principal, action == Action::"execute", resource);`
		askFirst = `@id("ask") forbid(principal, action == Action::"auto_approve", resource);`
		approve  = `@id("yes") permit(principal, action == Action::"auto_approve", resource);`
		trusted  = `@id("trusted") @allow_high("true") permit(principal, action == Action::"auto_approve", resource);`
		narrow   = `@narrow_hosts("a.example, *.b.example") @narrow_paths("notes") permit(principal, action == Action::"execute", resource);`
		broken   = `@id("broken") permit(principal, action == Action::"auto_approve", resource) when { context.arguments.nothing == 1 };`
	)
	scopes := tool.Scopes{Paths: []string{"notes"}, Hosts: []string{"a.example", "*.b.example"}}
	for _, tt := range []struct {
		name    string
		profile Profile
		rules   string
		def     *tool.Definition
		want    Decision
	}{
		{"no rules", "", "", writeFile, Decision{Outcome: Run, Rule: "table:low"}},
		{"no rules, asks", "", "", httpRequest, Decision{Outcome: Ask, Rule: "table:medium-mutates", TTL: time.Hour}},
		{"no rules, high", "", "", runShell, Decision{Outcome: Ask, Rule: "table:high", Strong: true, TTL: time.Minute}},

		{"forbid", "", forbid, writeFile, Decision{Outcome: Refuse, Rule: "no", Reason: "Not here."}},
		{"forbid under auto", Auto, forbid, writeFile, Decision{Outcome: Refuse, Rule: "no", Reason: "Not here."}},
		{"forbid wins over approval", "", approve + trusted + forbid, runShell, Decision{Outcome: Refuse, Rule: "no", Reason: "Not here."}},
		{"forbid wins over narrowing", "", narrow + forbid, httpRequest, Decision{Outcome: Refuse, Rule: "no", Reason: "Not here."}},
		{
			"the first forbid is the reason", "", `@id("z") forbid(principal, action, resource == Tool::"write_file");` + forbid, writeFile,
			Decision{Outcome: Refuse, Rule: "z"},
		},

		{"ask first", "", askFirst, writeFile, Decision{Outcome: Ask, Rule: "ask", TTL: time.Hour}},
		{"ask first under auto", Auto, askFirst, writeFile, Decision{Outcome: Ask, Rule: "ask", TTL: time.Hour}},
		{
			"ask first under auto is strong at high risk", Auto, askFirst, runShell,
			Decision{Outcome: Ask, Rule: "ask", Strong: true, TTL: time.Minute},
		},
		{"ask first wins over approval", "", approve + askFirst, httpRequest, Decision{Outcome: Ask, Rule: "ask", TTL: time.Hour}},

		{"approve", "", approve, httpRequest, Decision{Outcome: Run, Rule: "yes"}},
		{"approve under strict", Strict, approve, writeFile, Decision{Outcome: Run, Rule: "yes"}},
		{"approve where nothing asks", "", approve, writeFile, Decision{Outcome: Run, Rule: "table:low"}},
		{"approve does not reach high risk", "", approve, runShell, Decision{Outcome: Ask, Rule: "table:high", Strong: true, TTL: time.Minute}},
		{"allow_high does", "", approve + trusted, runShell, Decision{Outcome: Run, Rule: "trusted"}},

		{"narrow", "", narrow, writeFile, Decision{Outcome: Run, Rule: "table:low", Narrow: []tool.Scopes{scopes}}},
		{
			"narrow what asks", "", narrow, httpRequest,
			Decision{Outcome: Ask, Rule: "table:medium-mutates", TTL: time.Hour, Narrow: []tool.Scopes{scopes}},
		},
		{"narrow twice", "", narrow + narrow, writeFile, Decision{Outcome: Run, Rule: "table:low", Narrow: []tool.Scopes{scopes, scopes}}},
		{
			"an approval narrows what it lets run", "",
			`@id("yes") @narrow_apps("mail") permit(principal, action == Action::"auto_approve", resource);`, httpRequest,
			Decision{Outcome: Run, Rule: "yes", Narrow: []tool.Scopes{{Apps: []string{"mail"}}}},
		},
		{
			"and nothing else", "", `@id("yes") @narrow_apps("mail") permit(principal, action == Action::"auto_approve", resource);`, writeFile,
			Decision{Outcome: Run, Rule: "table:low"},
		},

		{"a rule that fails", Auto, broken, writeFile, Decision{Outcome: Refuse, Rule: "broken"}},
		{"a rule that fails beside an approval", "", approve + broken, httpRequest, Decision{Outcome: Refuse, Rule: "broken"}},
		{"a forbid is the reason before a failure", "", broken + forbid, writeFile, Decision{Outcome: Refuse, Rule: "no", Reason: "Not here."}},
		{"every action", "", `@id("all") forbid(principal, action, resource);`, writeFile, Decision{Outcome: Refuse, Rule: "all"}},
		{
			"a name by place", "", askFirst + `forbid(principal, action == Action::"execute", resource);`, writeFile,
			Decision{Outcome: Refuse, Rule: "rules.cedar#2"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := of(t, Options{Profile: tt.profile, TTL: time.Hour, HighTTL: time.Minute}, tt.rules)
			got := p.Decide(call(tt.def, `{"path": "x"}`))
			if got.Reason == "" ||
				tt.want.Reason == "" && !strings.HasPrefix(tt.want.Rule, "table:") && !strings.Contains(got.Reason, tt.want.Rule) {
				t.Errorf("Reason = %q, want a sentence that names rule %s", got.Reason, tt.want.Rule)
			}
			if tt.want.Reason == "" {
				got.Reason = ""
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Decide (-want +got):\n%s", diff)
			}
		})
	}
}

func TestProfileOfTenant(t *testing.T) {
	t.Parallel()
	p, err := New(Options{Profile: Strict, Tenants: map[string]Profile{"acme": Auto}})
	if err != nil {
		t.Fatal(err)
	}
	in := call(writeFile, "{}")
	if got := p.Decide(in); got.Rule != "table:auto" {
		t.Errorf("tenant acme is decided by %s, want its own profile auto", got.Rule)
	}
	in.Tenant = "other"
	if got := p.Decide(in); got.Rule != "table:strict-mutates" {
		t.Errorf("another tenant is decided by %s, want the profile strict", got.Rule)
	}
}

func TestNewRefusesUnknownProfiles(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{Profile: "lax"}, {Tenants: map[string]Profile{"acme": "lax"}}} {
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), "lax") {
			t.Errorf("New(%+v) = %v, want an error that names the profile", o, err)
		}
	}
}

// TestDecideNeverPanics: what the policy cannot handle is refused.
func TestDecideNeverPanics(t *testing.T) {
	t.Parallel()
	p := of(t, Options{Profile: Auto}, `forbid(principal, action, resource) when { context.arguments has x };`)
	if got := p.Decide(Input{}); got.Outcome != Refuse || got.Rule != "policy:no-tool" {
		t.Errorf("no tool: %+v, want a refusal", got)
	}
	for _, args := range []string{`[]`, `{`, `{"x": 1, "x": 2}`, `{"x": 1} {}`, "null", "{\"\xff\": 1}"} {
		if got := p.Decide(call(writeFile, args)); got.Outcome != Refuse || got.Rule != "policy:arguments" {
			t.Errorf("arguments %s: %+v, want a refusal", args, got)
		}
	}
	broken := newRuleSet([]*rule{{id: "x", execute: true}})
	p.inForce.Store(broken)
	if got := p.Decide(call(writeFile, "{}")); got.Outcome != Refuse || got.Rule != "policy:failed" {
		t.Errorf("a rule that panics: %+v, want a refusal", got)
	}
}
