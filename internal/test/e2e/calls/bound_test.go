package calls

import (
	"context"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/worker"
)

// TestBoundToolsAreNotShown: a bound tool is invisible to callers it is not bound to, and
// no caller sees the other bindings.
func TestBoundToolsAreNotShown(t *testing.T) {
	t.Parallel()
	started := make(chan *worker.Providers, 1)
	s := system.Launch(t, system.Plan{
		Program: worker.Program{Started: func(_ context.Context, p *worker.Providers) error { started <- p; return nil }},
	})
	d := s.HTTP(0)
	if err := system.Receive(t, "the worker has started", started).Add(system.Context(t), worker.Provider{
		Name: "secrets", Tools: []*tool.Tool{says(t, "murmur", "psst")},
		For: &tool.Contexts{Tenants: []string{"acme", "globex"}, Conversations: []string{"c1"}},
	}); err != nil {
		t.Fatal(err)
	}
	look := func(tenant, conversation, name, args string) string {
		context := ""
		if conversation != "" {
			context = `"conversation": "` + conversation + `"`
		}
		e := system.Execute(t, d, tenant, `{"context": {`+context+`}, "calls": [{"tool": "`+name+`", "arguments": `+args+`}]}`).Results[0]
		return string(e.Result) + e.Message
	}
	system.Eventually(t, "the bound tool is known", func() bool { return look("acme", "c1", "murmur", "{}") == `"psst"` })
	for name, args := range map[string]string{
		"search_tools": `{"query": "Say a word"}`, "get_tool_help": `{"tool_name": "murmur"}`, "list_tool_groups": `{}`,
		"use_tool": `{"tool_name": "murmu", "arguments": {}}`,
	} {
		shown := func(tenant, conversation string) bool {
			said := strings.ReplaceAll(look(tenant, conversation, name, args), "no tool 'murmur'", "")
			return strings.Contains(said, "murmur")
		}
		system.Eventually(t, name+" shows it where it can be called", func() bool { return shown("acme", "c1") })
		for _, tt := range [][2]string{{"acme", "c2"}, {"acme", ""}, {"other", "c1"}} {
			if shown(tt[0], tt[1]) {
				t.Errorf("%s shows murmur to %s in %s: %s", name, tt[0], tt[1], look(tt[0], tt[1], name, args))
			}
		}
	}
	for operation, params := range map[string]map[string]string{
		"tools.get": {"name": "murmur"}, "tools.list": {}, "groups.list": {}, "groups.list ": {"tool": "murmur"},
	} {
		ask := func(tenant string) string {
			return string(d.Ask(t, tenant, strings.TrimSpace(operation), params, "").Body)
		}
		if got := ask("acme"); !strings.Contains(got, `"murmur"`) || strings.Contains(got, "globex") {
			t.Errorf("%s tells acme %.300s", operation, got)
		}
		if got := ask("other"); strings.Contains(got, `"murmur"`) {
			t.Errorf("%s tells others of murmur: %.300s", operation, got)
		}
	}
}
