package policy

import (
	"fmt"
	"strings"
	"testing"
)

// TestCheckRefuses shows the rules that Cedar takes and that could never do
// what they seem to.
func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	const head = `forbid(principal, action == Action::"execute", resource)`
	for _, tt := range []struct{ rule, want string }{
		{`forbid(principal, action == Action::"excute", resource);`, `Action::"excute" names nothing`},
		{`forbid(principal, action in [Action::"execute", Action::"run"], resource);`, `Action::"run" names nothing`},
		{`forbid(principal, action in [], resource);`, "names no action"},
		{`forbid(principal, action == Tool::"execute", resource);`, "action is never in a Tool"},
		{`forbid(principal, action, resource == Tools::"x");`, "no entity type Tools"},
		{`forbid(principal, action, resource == Tool::"web_*");`, "one exact name"},
		{`forbid(principal, action, resource in Risk::"extreme");`, `Risk::"low"`},
		{`forbid(principal, action, resource == Group::"web");`, "write resource in Group"},
		{`forbid(principal, action, resource in Group::"");`, `Group::"name"`},
		{`forbid(principal, action, resource is Group);`, "resource is never a Group"},
		{`forbid(principal, action, resource in User::"acme/anna");`, "resource is never in a User"},
		{`forbid(principal == User::"acme/anna", action, resource);`, "write principal in User"},
		{`forbid(principal in User::"anna", action, resource);`, `User::"tenant/user"`},
		{`forbid(principal in Agent::"scribe", action, resource);`, `Agent::"tenant/agent"`},
		{`forbid(principal == Caller::"anna", action, resource);`, `Caller::"tenant/user/agent"`},
		{`forbid(principal is Tool, action, resource);`, "principal is never a Tool"},
		{`forbid(principal is Caller in Group::"web", action, resource);`, "principal is never in a Group"},

		{head + ` when { resource.title == "x" };`, "resource has no attribute title"},
		{head + ` when { context has argument };`, "context has no attribute argument"},
		{head + ` when { principal["name"] == "x" };`, "principal has no attribute name"},
		{head + ` unless { principal == User::"acme/anna" };`, "write principal in User"},
		{head + ` when { principal != Agent::"acme/scribe" };`, "write principal in Agent"},
		{head + ` when { principal in [User::"acme/anna", Group::"web"] };`, "principal is never in a Group"},
		{head + ` when { [User::"anna"].contains(principal) };`, `User::"tenant/user"`},
		{head + ` when { resource is Tools };`, "resource is never a Tools"},
		{head + ` when { resource is Group in Risk::"low" };`, "resource is never a Group"},
		{head + ` when { resource is Tool in Risk::"mild" };`, `Risk::"mild" names nothing`},
		{head + ` when { context.time < datetime("2026-13-01") };`, "datetime(…) cannot be evaluated"},
		{head + ` when { context.arguments.ip == ip("10.0.0.300") };`, "ip(…) cannot be evaluated"},

		{`permit(principal, action, resource);`, "a permit must name its action"},
		{`permit(principal, action == Action::"execute", resource);`, "this permit does nothing"},
		{`@narrow_hosts("a.example") ` + head + `;`, "a forbid narrows nothing"},
		{`@allow_high("true") ` + head + `;`, "@allow_high belongs to"},
		{`@allow_high("yes") permit(principal, action == Action::"auto_approve", resource);`, `@allow_high is "true"`},
		{`@narrow_host("a.example") ` + head + `;`, "@narrow_host is unknown"},
		{`@narrow_hosts("a.example,,b.example") permit(principal, action == Action::"execute", resource);`, "empty entry"},
		{`@id("no spaces") ` + head + `;`, "@id is letters"},
		{`@id("table:low") ` + head + `;`, "@id is letters"},
		{`@reason("") ` + head + `;`, "@reason is empty"},
	} {
		_, err := parse([]source{{"10-x.cedar", []byte("// first line\n  " + tt.rule)}})
		if err == nil {
			t.Errorf("%s was taken, want an error with %q", tt.rule, tt.want)
			continue
		}
		if !strings.HasPrefix(err.Error(), "10-x.cedar:2:3: ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want 10-x.cedar:2:3 and %q", tt.rule, err, tt.want)
		}
		if strings.Count(err.Error(), "\n") > 0 {
			t.Errorf("%s: %v, want one problem", tt.rule, err)
		}
	}
}

// TestReads: what a rule reads of the arguments is known when it is loaded, and
// nothing is missed.
func TestReads(t *testing.T) {
	t.Parallel()
	for condition, want := range map[string]reads{
		`context.hour > 9`:                                            {},
		`context has arguments`:                                       {},
		`context.arguments.path == "x"`:                               {names: []string{"path"}},
		`context["arguments"]["path"] == "x"`:                         {names: []string{"path"}},
		`context.arguments has path`:                                  {names: []string{"path"}},
		`context.arguments.json.deep.down == 1`:                       {names: []string{"json"}},
		`context.arguments has a && context.arguments.b.c > 1`:        {names: []string{"a", "b"}},
		`if true then context.arguments.a else principal.user == "x"`: {names: []string{"a"}},
		`context.arguments == {"path": "x"}`:                          {all: true},
		`[context.arguments].contains({"path": "x"})`:                 {all: true},
		`{"x": context}.x.arguments has path`:                         {all: true},
		`(if true then context else context).arguments has path`:      {all: true},
		`(if true then context.arguments else {}).path == "x"`:        {all: true},
		`context == {"hour": 9}`:                                      {all: true},
	} {
		set, err := parse([]source{{"x.cedar", fmt.Appendf(nil, `forbid(principal, action, resource) when { %s };`, condition)}})
		if err != nil {
			t.Errorf("%s: %v", condition, err)
			continue
		}
		if got := set.rules[0].reads; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s reads %+v, want %+v", condition, got, want)
		}
	}
}
