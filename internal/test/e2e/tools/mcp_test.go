package tools

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/e2e/system/mcpclient"
)

func TestMCPList(t *testing.T) {
	t.Parallel()
	mcpclient.EveryVersion(t, func(t *testing.T, version string) {
		tenant := system.NewTenant()
		c := mcpclient.Connect(t, shared, version, mcpclient.AsUser1(tenant), nil)
		var names []string
		pages, cursor := 0, ""
		for ; pages == 0 || cursor != ""; pages++ {
			page, err := c.ListTools(system.Context(t), &mcp.ListToolsParams{Cursor: cursor})
			if err != nil {
				t.Fatal(err)
			}
			for _, tl := range page.Tools {
				names = append(names, tl.Name)
				switch tl.Name {
				case "read_file":
					if a := tl.Annotations; !a.ReadOnlyHint || *a.DestructiveHint || *a.OpenWorldHint {
						t.Errorf("read_file is annotated as %+v", a)
					}
				case "delete_file":
					if a := tl.Annotations; a.ReadOnlyHint || !*a.DestructiveHint {
						t.Errorf("delete_file is annotated as %+v", a)
					}
				case "calculate":
					schema, _ := tl.InputSchema.(map[string]any)
					if schema["type"] != "object" || tl.OutputSchema == nil {
						t.Errorf("calculate has the schemas %v and %v", tl.InputSchema, tl.OutputSchema)
					}
				}
			}
			cursor = page.NextCursor
		}
		var native []string
		for _, def := range system.Decode[struct{ Tools []struct{ Name string } }](t,
			shared.HTTP(0).Ask(t, tenant, "tools.list", nil, "")).Tools {
			native = append(native, def.Name)
		}
		if pages < 2 || !slices.Equal(names, native) {
			t.Errorf("%d pages list %d tools, want those of tools.list, %d, in order", pages, len(names), len(native))
		}
		if _, err := c.ListTools(system.Context(t), &mcp.ListToolsParams{Cursor: "nonsense!"}); err == nil ||
			!strings.Contains(err.Error(), "cursor") {
			t.Errorf("a cursor that is none: %v", err)
		}
	})
}

// TestMCPListOfAgent: the list of an agent has the tools that it may use.
func TestMCPListOfAgent(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	r := shared.HTTP(0).Ask(t, tenant, "agents.put", map[string]string{"agent": "a1"}, `{"tools": ["calculate", "read_file"], "groups": []}`)
	if r.Status != 200 {
		t.Fatalf("agents.put = %d %s", r.Status, r.Body)
	}
	system.Eventually(t, "the other dispatcher knows the agent", func() bool {
		return len(system.Decode[struct{ Tools []any }](t,
			shared.HTTP(1).Ask(t, tenant, "tools.list", map[string]string{"agent": "a1"}, "")).Tools) == 2
	})
	c := mcpclient.Connect(t, shared, mcpclient.Versions[0], map[string]string{"Helve-Tenant": tenant, "Helve-Agent": "a1"}, nil)
	page, err := c.ListTools(system.Context(t), nil)
	if err != nil || len(page.Tools) != 2 || page.Tools[0].Name != "calculate" || page.Tools[1].Name != "read_file" {
		t.Fatalf("the agent is listed %+v, %v", page, err)
	}
	if page.CacheScope != "private" || page.TTLMs == 0 {
		t.Errorf("the list may be kept %d ms as %q", page.TTLMs, page.CacheScope)
	}
	if res, text := mcpclient.Call(t, c, "write_file", map[string]any{"path": "a", "content": "b"}); !res.IsError ||
		!strings.Contains(text, "not available for this agent") {
		t.Errorf("a tool that is not the agent's ended as %s", text)
	}
}

func TestMCPResults(t *testing.T) {
	t.Parallel()
	mcpclient.EveryVersion(t, func(t *testing.T, version string) {
		tenant := system.NewTenant()
		c := mcpclient.Connect(t, shared, version, mcpclient.AsUser1(tenant), nil)
		for name, want := range map[string]struct {
			tool, args, text, structured string
			failed                       bool
		}{
			"object": {
				"calculate", `{"expression":"6*7"}`, `{"expression":"6*7","result":42,"formatted":"42"}`,
				`{"expression":"6*7","formatted":"42","result":42}`, false,
			},
			"text":      {"debug.echo", `{"value":"a \"text\" <&> ü"}`, `a "text" <&> ü`, "", false},
			"digits":    {"debug.echo", `{"value":12345678901234567890.123}`, `12345678901234567890.123`, "", false},
			"failure":   {"debug.fail", `{"how":"error"}`, "execution_error: ", "", true},
			"arguments": {"calculate", `{"expresion":"1"}`, "validation_error: unknown parameter 'expresion': did you mean 'expression'?", "", true},
			"panic":     {"debug.fail", `{"how":"panic"}`, "execution_error: ", "", true},
		} {
			res, text := mcpclient.Call(t, c, want.tool, json.RawMessage(want.args))
			structured := ""
			if res.StructuredContent != nil {
				b, _ := json.Marshal(res.StructuredContent)
				structured = string(b)
			}
			if res.IsError != want.failed || !strings.HasPrefix(text, want.text) || !want.failed && text != want.text ||
				structured != want.structured {
				t.Errorf("%s: %v %s, structured %s", name, res.IsError, text, structured)
			}
			id, _ := res.Meta["dev.helve/call_id"].(string)
			if got := system.Settled(t, shared.HTTP(1), tenant, id); got.Tool != want.tool {
				t.Errorf("%s: calls.get of its call_id %q = %v", name, id, got)
			}
		}
		if _, err := c.CallTool(system.Context(t), &mcp.CallToolParams{Name: "no_such_tool"}); err == nil ||
			!strings.Contains(err.Error(), "not found") {
			t.Errorf("a tool that is not there: %v", err)
		}
		if res, text := mcpclient.Call(t, c, "*", nil); !res.IsError || !strings.HasPrefix(text, "validation_error: ") {
			t.Errorf("a name that no tool can have ended as %s", text)
		}
	})
}

// TestMCPTrace: the client's trace continues in the call, and the audit trail records the
// call with the user of the MCP client.
func TestMCPTrace(t *testing.T) {
	t.Parallel()
	mcpclient.EveryVersion(t, func(t *testing.T, version string) {
		tenant, trace := system.NewTenant(), system.NewTrace()
		c := mcpclient.Connect(t, shared, version, mcpclient.AsUser1(tenant), nil)
		params := &mcp.CallToolParams{Name: "debug.echo", Arguments: json.RawMessage(`{"value":1}`)}
		params.Meta = mcp.Meta{"traceparent": "00-" + trace + "-00f067aa0ba902b7-01"}
		res, err := c.CallTool(system.Context(t), params)
		if err != nil {
			t.Fatal(err)
		}
		id, _ := res.Meta["dev.helve/call_id"].(string)
		if got := system.ByID(t, shared.HTTP(0), "calls.get", tenant, id); got.TraceID != trace {
			t.Errorf("the call is in trace %q, want %q", got.TraceID, trace)
		}
		system.Eventually(t, "the call is on the trail", func() bool { return len(system.CallRecords(t, shared.HTTP(0), tenant, id)) > 0 })
		for _, rec := range system.CallRecords(t, shared.HTTP(0), tenant, id) {
			if rec.User != "u1" {
				t.Errorf("the record %s names the user %q", rec.Phase, rec.User)
			}
		}
	})
}

// TestMCPConfigured: only the tools of discovery are offered, and rules distinguish a call
// of an MCP client from others.
func TestMCPConfigured(t *testing.T) {
	t.Parallel()
	rules := filepath.Join(t.TempDir(), "rules.cedar")
	const rule = `@id("no-echo-by-mcp") @reason("No echo for MCP clients.")
forbid (principal, action == Action::"execute", resource == Tool::"debug.echo") when { context.origin == "mcp" };`
	if err := os.WriteFile(rules, []byte(rule), 0o600); err != nil {
		t.Fatal(err)
	}
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.MCP.Tools, c.Policy.Rules = config.MCPDiscovery, []string{rules} }})
	c := mcpclient.Connect(t, s, mcpclient.Versions[0], mcpclient.AsUser1("default"), nil)
	page, err := c.ListTools(system.Context(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tl := range page.Tools {
		names = append(names, tl.Name)
	}
	if want := []string{"batch_use_tool", "get_tool_help", "list_tool_groups", "search_tools", "use_tool"}; !slices.Equal(names, want) {
		t.Errorf("tools are %q, want %q", names, want)
	}
	if res, text := mcpclient.Call(t, c, "use_tool", map[string]any{
		"tool_name": "calculate", "arguments": map[string]any{"expression": "6*7"},
	}); res.IsError || !strings.Contains(text, "42") {
		t.Errorf("use_tool ended as %s", text)
	}
	system.WantResult(t, system.One(t, s.HTTP(0), "default", `{"tool": "debug.echo", "arguments": {"value": 1}}`), "1")
	for _, version := range mcpclient.Versions {
		c := mcpclient.Connect(t, s, version, mcpclient.AsUser1("default"), nil)
		if res, text := mcpclient.Call(t, c, "debug.echo", map[string]any{"value": 1}); !res.IsError ||
			!strings.HasPrefix(text, "policy_denied: ") || !strings.Contains(text, "No echo for MCP clients.") {
			t.Errorf("%s: a call that a rule forbids to MCP clients ended as %s", version, text)
		}
	}
}
