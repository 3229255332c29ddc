package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/config"
)

var mcpVersions = []string{"2026-07-28", "2025-11-25", "2025-06-18"}

// headers are sent with every request of a client, each of which goes to the next
// dispatcher.
type headers struct {
	set  map[string]string
	urls []string
	next *atomic.Int64
	own  *http.Transport
}

func (h headers) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range h.set {
		r.Header.Set(name, value)
	}
	if r.Host == r.URL.Host {
		r.Host = ""
	}
	r.URL.Host = strings.TrimPrefix(h.urls[int(h.next.Add(1))%len(h.urls)], "http://")
	return h.own.RoundTrip(r)
}

// mcpWeb is an HTTP client that no replica sees twice in a row.
func mcpWeb(t *testing.T, s *system, set map[string]string) *http.Client {
	own := &http.Transport{}
	t.Cleanup(own.CloseIdleConnections)
	return &http.Client{Transport: headers{set, s.urls, new(atomic.Int64), own}}
}

// mcpClient connects the SDK's client in a version of the protocol.
func mcpClient(t *testing.T, s *system, version string, set map[string]string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o)
	transport := &mcp.StreamableClientTransport{Endpoint: s.urls[0] + "/mcp", HTTPClient: mcpWeb(t, s, set)}
	session, err := c.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	if got := session.InitializeResult().ProtocolVersion; got != version {
		t.Fatalf("the version %s was agreed on, want %s", got, version)
	}
	return session
}

// everyVersion runs a test as clients of each version would.
func everyVersion(t *testing.T, test func(t *testing.T, version string)) {
	for _, version := range mcpVersions {
		t.Run(version, func(t *testing.T) { t.Parallel(); test(t, version) })
	}
}

func asUser1(tenant string) map[string]string {
	return map[string]string{"Helve-Tenant": tenant, "Helve-User": "u1"}
}

// called calls a tool, whose answer has one text.
func called(t *testing.T, c *mcp.ClientSession, name string, args any) (*mcp.CallToolResult, string) {
	t.Helper()
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return res, said(t, res)
}

func said(t *testing.T, res *mcp.CallToolResult) string {
	t.Helper()
	if len(res.Content) != 1 {
		t.Fatalf("the result has %d parts, want one text", len(res.Content))
	}
	return res.Content[0].(*mcp.TextContent).Text
}

func TestMCPList(t *testing.T) {
	t.Parallel()
	everyVersion(t, func(t *testing.T, version string) {
		tenant := newTenant()
		c := mcpClient(t, shared, version, asUser1(tenant), nil)
		var names []string
		pages, cursor := 0, ""
		for ; pages == 0 || cursor != ""; pages++ {
			page, err := c.ListTools(t.Context(), &mcp.ListToolsParams{Cursor: cursor})
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
		for _, def := range decode[struct{ Tools []struct{ Name string } }](t, shared.http(0).ask(t, tenant, "tools.list", nil, "")).Tools {
			native = append(native, def.Name)
		}
		if pages < 2 || !slices.Equal(names, native) {
			t.Errorf("%d pages list %d tools, want those of tools.list, %d, in order", pages, len(names), len(native))
		}
		if _, err := c.ListTools(t.Context(), &mcp.ListToolsParams{Cursor: "nonsense!"}); err == nil || !strings.Contains(err.Error(), "cursor") {
			t.Errorf("a cursor that is none: %v", err)
		}
	})
}

// An agent is listed what it may use.
func TestMCPListOfAgent(t *testing.T) {
	t.Parallel()
	tenant := newTenant()
	r := shared.http(0).ask(t, tenant, "agents.put", map[string]string{"agent": "a1"}, `{"tools": ["calculate", "read_file"], "groups": []}`)
	if r.status != 200 {
		t.Fatalf("agents.put = %d %s", r.status, r.body)
	}
	eventually(t, "the other dispatcher knows the agent", func() bool {
		return len(decode[struct{ Tools []any }](t, shared.http(1).ask(t, tenant, "tools.list", map[string]string{"agent": "a1"}, "")).Tools) == 2
	})
	c := mcpClient(t, shared, mcpVersions[0], map[string]string{"Helve-Tenant": tenant, "Helve-Agent": "a1"}, nil)
	page, err := c.ListTools(t.Context(), nil)
	if err != nil || len(page.Tools) != 2 || page.Tools[0].Name != "calculate" || page.Tools[1].Name != "read_file" {
		t.Fatalf("the agent is listed %+v, %v", page, err)
	}
	if page.CacheScope != "private" || page.TTLMs == 0 {
		t.Errorf("the list may be kept %d ms as %q", page.TTLMs, page.CacheScope)
	}
	if res, text := called(t, c, "write_file", map[string]any{"path": "a", "content": "b"}); !res.IsError || !strings.Contains(text, "not available for this agent") {
		t.Errorf("a tool that is not the agent's ended as %s", text)
	}
}

func TestMCPResults(t *testing.T) {
	t.Parallel()
	everyVersion(t, func(t *testing.T, version string) {
		tenant := newTenant()
		c := mcpClient(t, shared, version, asUser1(tenant), nil)
		for name, want := range map[string]struct {
			tool, args, text, structured string
			failed                       bool
		}{
			"object":    {"calculate", `{"expression":"6*7"}`, `{"expression":"6*7","result":42,"formatted":"42"}`, `{"expression":"6*7","formatted":"42","result":42}`, false},
			"text":      {"debug.echo", `{"value":"a \"text\" <&> ü"}`, `a "text" <&> ü`, "", false},
			"digits":    {"debug.echo", `{"value":12345678901234567890.123}`, `12345678901234567890.123`, "", false},
			"failure":   {"debug.fail", `{"how":"error"}`, "execution_error: ", "", true},
			"arguments": {"calculate", `{"expresion":"1"}`, "validation_error: missing required parameter 'expression'", "", true},
			"panic":     {"debug.fail", `{"how":"panic"}`, "execution_error: ", "", true},
		} {
			res, text := called(t, c, want.tool, json.RawMessage(want.args))
			structured := ""
			if res.StructuredContent != nil {
				b, _ := json.Marshal(res.StructuredContent)
				structured = string(b)
			}
			if res.IsError != want.failed || !strings.HasPrefix(text, want.text) || !want.failed && text != want.text || structured != want.structured {
				t.Errorf("%s: %v %s, structured %s", name, res.IsError, text, structured)
			}
			id, _ := res.Meta["dev.helve/call_id"].(string)
			if got := settled(t, shared.http(1), tenant, id); got.Tool != want.tool {
				t.Errorf("%s: calls.get of its call_id %q = %v", name, id, got)
			}
		}
		if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "no_such_tool"}); err == nil || !strings.Contains(err.Error(), "not found") {
			t.Errorf("a tool that is not there: %v", err)
		}
		if res, text := called(t, c, "*", nil); !res.IsError || !strings.HasPrefix(text, "validation_error: ") {
			t.Errorf("a name that no tool can have ended as %s", text)
		}
	})
}

// The client's trace goes on in the call, and on the audit trail the call is one of an
// MCP client's user.
func TestMCPTrace(t *testing.T) {
	t.Parallel()
	everyVersion(t, func(t *testing.T, version string) {
		tenant, trace := newTenant(), newTrace()
		c := mcpClient(t, shared, version, asUser1(tenant), nil)
		params := &mcp.CallToolParams{Name: "debug.echo", Arguments: json.RawMessage(`{"value":1}`)}
		params.Meta = mcp.Meta{"traceparent": "00-" + trace + "-00f067aa0ba902b7-01"}
		res, err := c.CallTool(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		id, _ := res.Meta["dev.helve/call_id"].(string)
		if got := byID(t, shared.http(0), "calls.get", tenant, id); got.TraceID != trace {
			t.Errorf("the call is in trace %q, want %q", got.TraceID, trace)
		}
		eventually(t, "the call is on the trail", func() bool { return len(story(t, shared.http(0), tenant, id)) > 0 })
		for _, rec := range story(t, shared.http(0), tenant, id) {
			if rec.User != "u1" {
				t.Errorf("the record %s names the user %q", rec.Phase, rec.User)
			}
		}
	})
}

// TestMCPConfigured: only the tools of discovery are offered, and rules tell a call of
// an MCP client from others.
func TestMCPConfigured(t *testing.T) {
	t.Parallel()
	rules := filepath.Join(t.TempDir(), "rules.cedar")
	const rule = `@id("no-echo-by-mcp") @reason("No echo for MCP clients.")
forbid (principal, action == Action::"execute", resource == Tool::"debug.echo") when { context.origin == "mcp" };`
	if err := os.WriteFile(rules, []byte(rule), 0o600); err != nil {
		t.Fatal(err)
	}
	s := launch(t, plan{config: func(c *config.Config) { c.MCP.Tools, c.Policy.Rules = config.MCPDiscovery, []string{rules} }})
	c := mcpClient(t, s, mcpVersions[0], asUser1("default"), nil)
	page, err := c.ListTools(t.Context(), nil)
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
	if res, text := called(t, c, "use_tool", map[string]any{"tool_name": "calculate", "arguments": map[string]any{"expression": "6*7"}}); res.IsError || !strings.Contains(text, "42") {
		t.Errorf("use_tool ended as %s", text)
	}
	wantResult(t, one(t, s.http(0), "default", `{"tool": "debug.echo", "arguments": {"value": 1}}`), "1")
	for _, version := range mcpVersions {
		c := mcpClient(t, s, version, asUser1("default"), nil)
		if res, text := called(t, c, "debug.echo", map[string]any{"value": 1}); !res.IsError || !strings.HasPrefix(text, "policy_denied: ") || !strings.Contains(text, "No echo for MCP clients.") {
			t.Errorf("%s: a call that a rule forbids to MCP clients ended as %s", version, text)
		}
	}
}
