package system

import (
	"fmt"
	"testing"
)

// ToolNames returns the names of the tools in an answer of tools.list.
func ToolNames(t testing.TB, d Door, tenant string, filter map[string]string) []string {
	t.Helper()
	r := d.Ask(t, tenant, "tools.list", filter, "")
	if r.Status != 200 {
		t.Fatalf("tools.list = %d %s", r.Status, r.Body)
	}
	list := Decode[struct {
		Tools []struct{ Name string }
	}](t, r)
	var all []string
	for _, tl := range list.Tools {
		all = append(all, tl.Name)
	}
	return all
}

// PutAgent stores an agent's record.
func PutAgent(t testing.TB, d Door, tenant, agent, rules string) {
	t.Helper()
	if r := d.Ask(t, tenant, "agents.put", map[string]string{"agent": agent}, rules); r.Status != 200 {
		t.Fatalf("agents.put %s = %d %s", rules, r.Status, r.Body)
	}
}

// ExecuteAsAgent calls a tool with arguments that suit every tool of these tests.
func ExecuteAsAgent(t testing.TB, d Door, tenant, agent, tool string) Element {
	t.Helper()
	who := "null"
	if agent != "" {
		who = `"` + agent + `"`
	}
	return Execute(t, d, tenant,
		fmt.Sprintf(`{"context": {"agent": %s}, "calls": [{"tool": %q, "arguments": {"value": 1, "n": 1, "ms": 0}}]}`, who, tool)).Results[0]
}
