package policy

import (
	"fmt"
	"testing"
	"time"
)

// TestVocabulary forbids by each thing a rule may speak of, once where it fits
// the call and once where it does not.
func TestVocabulary(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ head, when, not string }{
		{head: `principal == Caller::"acme/anna/scribe"`, not: `principal == Caller::"acme/anna/"`},
		{head: `principal in Tenant::"acme"`, not: `principal in Tenant::"other"`},
		{head: `principal in User::"acme/anna"`, not: `principal in User::"other/anna"`},
		{head: `principal in Agent::"acme/scribe"`, not: `principal in Agent::"acme/anna"`},
		{head: `principal is Caller in Tenant::"acme"`, not: `principal is Caller in Tenant::"x"`},
		{when: `principal.tenant == "acme" && principal.user == "anna" && principal.agent == "scribe"`, not: `principal.user == "otto"`},
		{when: `principal in [User::"acme/otto", User::"acme/anna"]`, not: `principal in [User::"acme/otto"]`},
		{when: `resource == Tool::"http_request"`, not: `resource == Tool::"write_file"`},
		{when: `resource in Group::"web"`, not: `resource in Group::"shell"`},
		{when: `resource in Category::"Web & API"`, not: `resource in Category::"web"`},
		{when: `resource in Risk::"medium"`, not: `resource in Risk::"high"`},
		{
			when: `resource.name == "http_request" && resource.group == "web" && resource.category == "Web & API"`,
			not:  `resource.name like "read_*"`,
		},
		{when: `resource.risk == "medium" && resource.kind == "builtin"`, not: `resource.kind == "mcp"`},
		{when: `resource.mutates && resource.open_world && !resource.destructive`, not: `resource.destructive`},
		{when: `resource.hosts.contains("*") && resource.paths.isEmpty() && resource.apps.isEmpty()`, not: `resource.hosts.isEmpty()`},
		{when: `context.hour == 10 && context.weekday == 3`, not: `context.hour < 9 || context.weekday > 5`},
		{when: `context.time == datetime("2026-11-18T10:30:00Z")`, not: `context.time < datetime("2026-11-18")`},
		{when: `context.conversation == "c1" && context.origin == "direct"`, not: `context.origin == "javascript"`},
		{when: `context.arguments.url like "https://*"`, not: `context.arguments has body`},
		{when: `action == Action::"execute"`, not: `action == Action::"auto_approve"`},
	} {
		if tt.head == "" {
			tt.head = "principal"
		}
		if tt.when == "" {
			tt.when = "true"
		}
		rule := `@id("yes") forbid(%s, action == Action::"execute", resource) when { %s };`
		p := of(t, Options{}, fmt.Sprintf(rule, tt.head, tt.when))
		in := call(httpRequest, `{"url": "https://a.example"}`)
		if got := p.Decide(in); got.Rule != "yes" {
			t.Errorf("%s when %s: decided by %s (%s), want a match", tt.head, tt.when, got.Rule, got.Reason)
		}
		other := fmt.Sprintf(rule, "principal", tt.not)
		if tt.head != "principal" {
			other = fmt.Sprintf(rule, tt.not, "true")
		}
		if got := of(t, Options{}, other).Decide(in); got.Rule != "table:medium-mutates" {
			t.Errorf("%s: decided by %s (%s), want no match", tt.not, got.Rule, got.Reason)
		}
	}
}

// TestNobody: a call without a user or agent is in no User or Agent.
func TestNobody(t *testing.T) {
	t.Parallel()
	p := of(t, Options{}, `
		@id("anna") forbid(principal in User::"acme/anna", action == Action::"execute", resource);
		@id("scribe") forbid(principal in Agent::"acme/scribe", action == Action::"execute", resource);
		@id("nobody") forbid(principal, action == Action::"execute", resource) when { principal.user == "" && principal.agent == "" };`)
	in := call(writeFile, "{}")
	in.User, in.Agent = "", ""
	if got := newRequest(in).principals; len(got) != 2 {
		t.Errorf("the caller is %v, want itself and its tenant", got)
	}
	if got := p.Decide(in); got.Rule != "nobody" {
		t.Errorf("decided by %s, want the rule for calls that name nobody", got.Rule)
	}
	in.Agent = "scribe"
	if got := p.Decide(in); got.Rule != "scribe" {
		t.Errorf("decided by %s, want the agent's rule", got.Rule)
	}
}

// TestOrigins: every way a call comes is judged, and no origin is direct.
func TestOrigins(t *testing.T) {
	t.Parallel()
	p := of(t, Options{}, `@id("direct") forbid(principal, action == Action::"execute", resource) when { context.origin == "direct" };`)
	for origin, want := range map[Origin]string{
		"":         "direct",
		Direct:     "direct",
		UseTool:    "table:low",
		Batch:      "table:low",
		JavaScript: "table:low",
		MCP:        "table:low",
		Schedule:   "table:low",
	} {
		in := call(writeFile, "{}")
		in.Origin = origin
		if got := p.Decide(in); got.Rule != want {
			t.Errorf("origin %q: decided by %s, want %s", origin, got.Rule, want)
		}
	}
}

// TestSunday: the week begins on Monday, in UTC.
func TestSunday(t *testing.T) {
	t.Parallel()
	p := of(t, Options{},
		`@id("sunday") forbid(principal, action == Action::"execute", resource) when { context.weekday == 7 && context.hour == 23 };`)
	in := call(writeFile, "{}")
	in.Now = time.Date(2026, 11, 23, 1, 0, 0, 0, time.FixedZone("east", 2*60*60))
	if got := p.Decide(in); got.Rule != "sunday" {
		t.Errorf("Monday 01:00 two hours east of UTC is decided by %s, want Sunday 23:00", got.Rule)
	}
}
