package tools

import (
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/e2e/system/mcpclient"
)

// TestOffForEverybody: a group that is off by default, and that nobody has switched on, is off
// for calls without an agent too, whatever way they come, and each list says so.
func TestOffForEverybody(t *testing.T) {
	t.Parallel()
	const off, place = "get_weather", `{"location": "Rome"}`
	tenant := system.NewTenant()
	system.PutAgent(t, shared.HTTP(0), tenant, "herald", `{"tools": ["get_weather"]}`)
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		refused := func(what, call string) {
			t.Helper()
			if e := system.One(t, d, tenant, call); e.ErrorType != "tool_not_available" || !strings.Contains(e.Message, "--group weather=on") {
				t.Errorf("%s: %s %s %q", what, e.Status, e.ErrorType, e.Message)
			}
		}
		refused("a call", `{"tool": "get_weather", "arguments": `+place+`}`)
		refused("use_tool", `{"tool": "use_tool", "arguments": {"tool_name": "get_weather", "arguments": `+place+`}}`)
		batch := system.One(t, d, tenant,
			`{"tool": "batch_use_tool", "arguments": {"calls": [{"tool_name": "get_weather", "arguments": `+place+`}]}}`)
		if !strings.Contains(string(batch.Result), "tool_not_available") {
			t.Errorf("batch_use_tool = %s %s %s", batch.Result, batch.ErrorType, batch.Message)
		}
		if found := discover(t, d, tenant, "", "search_tools", `{"query": "weather"}`); strings.Contains(found, off) {
			t.Errorf("search_tools = %s", found)
		}
		if list := d.Ask(t, tenant, "tools.list", nil, ""); strings.Contains(string(list.Body), `"`+off+`"`) || list.Status != 200 {
			t.Errorf("tools.list has it: %d", list.Status)
		}
		one := system.Decode[struct {
			Enabled     bool
			Unavailable string
		}](t, d.Ask(t, tenant, "tools.get", map[string]string{"name": off}, ""))
		if one.Enabled || !strings.Contains(one.Unavailable, "--group weather=on") {
			t.Errorf("tools.get = %+v", one)
		}
		groups := system.Decode[struct {
			Groups []struct {
				Name    string
				Enabled bool
			}
		}](t, d.Ask(t, tenant, "groups.list", map[string]string{"tool": off}, ""))
		if len(groups.Groups) != 1 || groups.Groups[0].Enabled {
			t.Errorf("groups.list = %+v", groups)
		}
		system.Eventually(t, "an agent has it by its record", func() bool {
			e := system.Execute(t, d, tenant, `{"context": {"agent": "herald"}, "calls": [{"tool": "get_weather", "arguments": {}}]}`).Results[0]
			return e.ErrorType == "validation_error"
		})
	})
	c := mcpclient.Connect(t, shared, mcpclient.Versions[0], mcpclient.AsUser1(tenant), nil)
	listed, err := c.ListTools(system.Context(t), nil)
	if err != nil || slices.ContainsFunc(listed.Tools, func(o *mcp.Tool) bool { return o.Name == off }) {
		t.Errorf("tools/list over MCP has it: %v", err)
	}
	res, err := c.CallTool(system.Context(t), &mcp.CallToolParams{Name: off, Arguments: map[string]any{"location": "Rome"}})
	if err == nil && (!res.IsError || !strings.Contains(mcpclient.Text(t, res), "weather=on")) {
		t.Errorf("tools/call over MCP = %+v", res)
	}
}
