package tools

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/e2e/system/mcpclient"
)

// metaTools are the tools of the set search; both sets lack tools that are not built yet.
var (
	metaTools = []string{"batch_use_tool", "get_tool_help", "list_tool_groups", "search_tools", "use_tool"}
	codeTools = []string{"get_tool_help", "search_tools"}
	laterOnes = []string{"read_result", "run_program"}
)

// withoutLater returns the names that every deployment has.
func withoutLater(names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(laterOnes, name) })
}

// TestToolsetList: in every format a set lists its own tools, and an unknown set is an error
// that names the sets.
func TestToolsetList(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		tenant := system.NewTenant()
		for set, want := range map[string][]string{"search": metaTools, "code": codeTools} {
			var names []string
			list := d.Ask(t, tenant, "tools.list", map[string]string{"toolset": set}, "")
			for _, def := range system.Decode[struct{ Tools []struct{ Name string } }](t, list).Tools {
				names = append(names, def.Name)
			}
			if names = withoutLater(names); !slices.Equal(names, want) {
				t.Errorf("the set %s lists %q, want %q", set, names, want)
			}
			for _, format := range []string{"openai", "openai_responses", "anthropic", "gemini", "mcp"} {
				body := string(d.Ask(t, tenant, "tools.list", map[string]string{"toolset": set, "format": format}, "").Body)
				if !strings.Contains(body, `"search_tools"`) || strings.Contains(body, `"read_file"`) || strings.Contains(body, `"debug_echo"`) {
					t.Errorf("the set %s in the format %s is %.300s", set, format, body)
				}
			}
		}
		all, plain := d.Ask(t, tenant, "tools.list", map[string]string{"toolset": "all"}, ""), d.Ask(t, tenant, "tools.list", nil, "")
		if string(all.Body) != string(plain.Body) {
			t.Error("the set all is not the list without a set")
		}
		for _, unknown := range []string{"nope", "Code", "code/readonly"} {
			r := d.Ask(t, tenant, "tools.list", map[string]string{"toolset": unknown}, "")
			if r.Status != 400 || !strings.Contains(string(r.Body), "use one of all, code, search") {
				t.Errorf("the set %q = %d %s", unknown, r.Status, r.Body)
			}
		}
	})
}

// TestToolsetCalls: a call of a tool outside the set of its request is refused, by whatever
// name or format, and what the set search delegates is not.
func TestToolsetCalls(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		tenant := system.NewTenant()
		in := func(set, calls string) []system.Element {
			t.Helper()
			return system.Execute(t, d, tenant, fmt.Sprintf(`{"context": {"user": "u1", "conversation": "c1", "toolset": %q}, "calls": [%s]}`,
				set, calls)).Results
		}
		const echo = `{"tool": "debug.echo", "arguments": {"value": 1}}`
		const use = `{"tool": "use_tool", "arguments": {"tool_name": "debug.echo", "arguments": {"value": 1}}}`
		const batch = `{"tool": "batch_use_tool", "arguments": {"calls": [{"tool_name": "debug.echo", "arguments": {"value": 1}}]}}`

		for _, e := range in("code", echo+","+use+","+batch) {
			system.WantError(t, e, "tool_not_available", "Tool '"+e.Tool+"' is not in the tool set 'code', which has get_tool_help,")
		}
		found := in("code", `{"tool": "search_tools", "arguments": {"query": "debug.echo"}}`)[0]
		if found.Status != "success" || !strings.Contains(string(found.Result), `"debug.echo"`) {
			t.Errorf("search_tools in the set code = %+v", found)
		}
		const help = `{"tool": "get_tool_help", "arguments": {"tool_name": "files.read_text"}}`
		for set, declares := range map[string]bool{"code": true, "search": false, "all": false} {
			e := in(set, help)[0]
			if e.Status != "success" || declares != strings.Contains(string(e.Result), `"declaration":"declare namespace tools {\n  namespace files {`) ||
				declares != strings.HasPrefix(e.Text, "declare namespace tools {") {
				t.Errorf("get_tool_help in the set %s = %s, %s", set, e, e.Text)
			}
		}
		system.WantError(t, in("search", echo)[0], "tool_not_available", "call it with use_tool, or several tools with batch_use_tool")
		system.WantResult(t, in("search", use)[0], "1")
		if e := in("search", batch)[0]; !strings.Contains(string(e.Result), `"succeeded":1`) {
			t.Errorf("batch_use_tool in the set search = %+v", e)
		}
		system.WantResult(t, in("all", echo)[0], "1")
		system.WantError(t, in("nope", echo)[0], "validation_error", "there is no tool set 'nope'; use one of all, code, search")

		// Aliases, other cases, and the names of model providers.
		for _, name := range []string{"get_cwd", "Debug.Echo", "DEBUG.ECHO", "debug_echo", "USE_TOOL"} {
			if e := in("code", fmt.Sprintf(`{"tool": %q, "arguments": {}}`, name))[0]; e.ErrorType != "tool_not_available" && e.ErrorType != "tool_not_found" {
				t.Errorf("%s in the set code = %+v", name, e)
			}
		}
		r := system.Execute(t, d, tenant, `{"context": {"user": "u1", "toolset": "code"}, "format": "openai", "message": {"role": "assistant",
			"tool_calls": [{"id": "1", "type": "function", "function": {"name": "debug_echo", "arguments": "{\"value\": 1}"}}]}}`)
		system.WantError(t, r.Results[0], "tool_not_available", "not in the tool set 'code'")
	})
}

// TestToolsetOfACallID: a call that ran with all tools is not answered to a request whose
// set lacks its tool, through any door, and a refused call_id can still be used.
func TestToolsetOfACallID(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	ask := func(d system.Door, id, set string) system.Element {
		t.Helper()
		return system.Execute(t, d, tenant, fmt.Sprintf(`{"context": {"user": "u1", "toolset": %q}, "calls": [{"call_id": %q,
			"tool": "debug.echo", "arguments": {"value": 1}}]}`, set, id)).Results[0]
	}
	doors := []system.Door{shared.HTTP(0), shared.HTTP(1), shared.NATS()}
	for i, first := range doors {
		id := fmt.Sprintf("%s-%d", tenant, i)
		system.WantError(t, ask(first, id, "code"), "tool_not_available", "")
		system.WantResult(t, ask(first, id, "all"), "1")
		for _, d := range doors {
			system.WantError(t, ask(d, id, "code"), "tool_not_available", "")
			system.WantError(t, ask(d, id, "search"), "tool_not_available", "")
		}
	}
}

// TestMCPToolset: each set has an address, whose list and calls are those of the set in
// every version; an unknown set is not found.
func TestMCPToolset(t *testing.T) {
	t.Parallel()
	mcpclient.EveryVersion(t, func(t *testing.T, version string) {
		as := mcpclient.AsUser1(system.NewTenant())
		for set, want := range map[string][]string{"search": metaTools, "code": codeTools} {
			c := mcpclient.ConnectTo(t, shared, "/mcp/"+set, version, as, nil)
			page, err := c.ListTools(system.Context(t), nil)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, tl := range page.Tools {
				names = append(names, tl.Name)
			}
			if names = withoutLater(names); !slices.Equal(names, want) {
				t.Errorf("/mcp/%s lists %q, want %q", set, names, want)
			}
			res, text := mcpclient.Call(t, c, "debug.echo", map[string]any{"value": 1})
			if !res.IsError || !strings.HasPrefix(text, "tool_not_available: Tool 'debug.echo' is not in the tool set '"+set) {
				t.Errorf("a call at /mcp/%s of a tool outside = %s", set, text)
			}
			res, text = mcpclient.Call(t, c, "use_tool", map[string]any{"tool_name": "debug.echo", "arguments": map[string]any{"value": 1}})
			if res.IsError != (set == "code") {
				t.Errorf("use_tool at /mcp/%s = %s", set, text)
			}
			if res, text := mcpclient.Call(t, c, "search_tools", json.RawMessage(`{"query": "echo"}`)); res.IsError {
				t.Errorf("search_tools at /mcp/%s = %s", set, text)
			}
		}
		c := mcpclient.ConnectTo(t, shared, "/mcp/all/", version, as, nil)
		if res, text := mcpclient.Call(t, c, "debug.echo", map[string]any{"value": 1}); res.IsError || text != "1" {
			t.Errorf("a call at /mcp/all = %s", text)
		}
	})
	if r := shared.HTTP(0).Send(t, http.MethodGet, "/mcp/code", "", http.Header{"Accept": {"text/event-stream"}}); r.Status != 405 {
		t.Errorf("a stream of /mcp/code = %d %.300s, want 405 as at /mcp", r.Status, r.Body)
	}
	for _, path := range []string{"/mcp/nope", "/mcp/Code", "/mcp/mcp/"} {
		r := shared.HTTP(0).Send(t, http.MethodPost, path, "{}", nil)
		if r.Status != 404 || !strings.Contains(string(r.Body), "use one of all, code, search") {
			t.Errorf("%s = %d %s", path, r.Status, r.Body)
		}
	}
}
