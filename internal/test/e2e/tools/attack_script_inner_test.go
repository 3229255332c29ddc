package tools

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// callsOther is the code of a tool that calls the tool in its arguments, and returns the
// outcome.
const callsOther = `try { return await utils.callTool(args.tool, args.args || {}); } catch (e) { return e.error_type + ": " + e.message; }`

// TestInnerCallKeepsToTheAgentsTools: an agent's script cannot call tools that the agent
// may not.
func TestInnerCallKeepsToTheAgentsTools(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	system.CreateTool(t, shared, tenant, system.CustomTool{Name: "tryer", Code: callsOther})
	system.UseTool(t, d, tenant, "tryer", `{"tool":"debug.echo"}`)
	system.PutAgent(t, d, tenant, "named", `{"tools": ["tryer", "use_tool"]}`)
	system.PutAgent(t, d, tenant, "denied", `{"tools": ["*"], "deny": ["debug.*", "utilities"]}`)
	for _, agent := range []string{"named", "denied", "unheard"} {
		for way, call := range map[string]string{
			"script":   `{"tool": "tryer", "arguments": {"tool": "debug.echo", "args": {"value": 1}}}`,
			"use_tool": `{"tool": "use_tool", "arguments": {"tool_name": "debug.echo", "arguments": {"value": 1}}}`,
		} {
			system.Eventually(t, agent+" is kept out by "+way, func() bool {
				e := system.Execute(t, d, tenant, fmt.Sprintf(`{"context": {"user": "u1", "agent": %q}, "calls": [%s]}`, agent, call)).Results[0]
				return e.ErrorType == "tool_not_available" || strings.Contains(string(e.Result), "tool_not_available: ")
			})
		}
	}
}

// TestInnerCallKeepsToRules: rules see the route of a nested call, and a running script
// cannot ask a person for permissions.
func TestInnerCallKeepsToRules(t *testing.T) {
	t.Parallel()
	rules := filepath.Join(t.TempDir(), "r.cedar")
	if err := os.WriteFile(rules, []byte(`@id("no-js") forbid(principal, action == Action::"execute", resource == Tool::"debug.echo") when { context.origin == "javascript" };
@id("no-use") forbid(principal, action == Action::"execute", resource == Tool::"debug.blob") when { context.origin == "use_tool" };`),
		0o600); err != nil {
		t.Fatal(err)
	}
	s := system.Launch(t, system.Plan{Groups: []string{"webFetch"}, Config: func(c *config.Config) { c.Policy.Rules = []string{rules} }})
	tenant, d := system.NewTenant(), s.HTTP(0)
	system.CreateTool(t, s, tenant, system.CustomTool{Name: "tryer", Code: callsOther})
	says := func(tool, args, want string) {
		t.Helper()
		e := system.UseTool(t, d, tenant, tool, args)
		if !strings.Contains(string(e.Result)+e.ErrorType+e.Message, want) {
			t.Errorf("%s %s: %v, want %s", tool, args, e, want)
		}
	}
	says("tryer", `{"tool": "debug.echo", "args": {"value": 1}}`, "(no-js)")
	says("use_tool", `{"tool_name": "tryer", "arguments": {"tool": "debug.echo", "args": {"value": 1}}}`, "(no-js)")
	says("use_tool", `{"tool_name": "debug.blob", "arguments": {"bytes": 1}}`, "(no-use)")
	says("debug.echo", `{"value": 1}`, "1")
	says("tryer", `{"tool": "debug.restricted"}`, "confirmation_required: ")
	says("tryer", `{"tool": "debug.guarded", "args": {"key": "k"}}`, "permission_denied: ")
	if waiting := system.Consents(t, d, tenant, "pending"); len(waiting) != 0 {
		t.Errorf("a script has a person asked: %+v", waiting)
	}
}

// TestInnerCallsAndTokens: a plan's token covers as many nested calls as it has uses, and
// no call reaches further than the token, the outer tools and its own scopes.
func TestInnerCallsAndTokens(t *testing.T) {
	t.Parallel()
	var posts atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { posts.Add(1) }))
	t.Cleanup(srv.Close)
	tenant, d := system.NewTenant(), shared.HTTP(0)
	const twice = `const out = []; for (let i = 0; i < 2; i++) try { out.push((await utils.callTool("http_request", {url: args.url, method: "POST"})).status) } catch (e) { out.push(e.error_type) } return out`
	system.CreateTool(t, shared, tenant, system.CustomTool{Name: "poster", Permissions: []string{"network"}, Code: twice})
	system.CreateTool(t, shared, tenant, system.CustomTool{
		Name:        "wide",
		Permissions: []string{"network"},
		Code:        `return (await fetch(args.url)).status`,
	})
	system.CreateTool(t, shared, tenant, system.CustomTool{
		Name:        "relay",
		Permissions: []string{"network"},
		Code:        `return await utils.callTool("wide", {url: args.url})`,
	})
	system.CreateTool(t, shared, tenant, system.CustomTool{
		Name:        "narrow",
		Permissions: []string{"network"},
		Hosts:       []string{"example.com"},
		Code:        `const out = []; for (const by of ["wide", "relay"]) try { out.push(await utils.callTool(by, {url: args.url})) } catch (e) { out.push(e.error_type) } return out`,
	})
	url := fmt.Sprintf(`{"url": %q}`, srv.URL)
	system.WantResult(t, system.UseTool(t, d, tenant, "relay", url), `200`)
	system.WantResult(t, system.UseTool(t, d, tenant, "narrow", url), `["permission_denied","permission_denied"]`)
	system.WantResult(t, system.UseTool(t, d, tenant, "poster", url), `["confirmation_required","confirmation_required"]`)

	trace, call := system.NewTrace(), fmt.Sprintf(`{"tool": "poster", "arguments": %s}`, url)
	for _, tt := range []struct {
		token, want string
		posts       int64
	}{
		{`"tools": ["poster", "http_request"]`, `[200,"confirmation_required"]`, 1},
		{`"tools": ["poster"], "reusable": true`, `["confirmation_required","confirmation_required"]`, 0},
		{`"tools": ["poster", "http_request"], "reusable": true`, `[200,200]`, 2},
		{
			`"tools": ["poster", "http_request"], "reusable": true, "scopes": {"hosts": ["example.com"]}`,
			`["permission_denied","permission_denied"]`, 0,
		},
	} {
		before := posts.Load()
		system.WantResult(t, system.ExecuteWithToken(t, d, tenant, "u1", trace, system.MintToken(t, d, tenant, trace, tt.token), call), tt.want)
		if n := posts.Load() - before; n != tt.posts {
			t.Errorf("with %s the server got %d requests, want %d", tt.token, n, tt.posts)
		}
	}
	other := system.MintToken(t, d, tenant, trace, `"tools": ["http_request"]`)
	system.WantError(t, system.ExecuteWithToken(t, d, tenant, "u1", trace, other, call), "permission_denied", "poster")
}

// TestInnerArguments: arguments passed by a script are checked like those of a caller, and
// getters and proxies are read once.
func TestInnerArguments(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	system.CreateTool(t, shared, tenant,
		system.CustomTool{Name: "hands", Code: `const out = [], give = async (a) => { try { out.push(await utils.callTool("debug.echo", a)) } catch (e) { out.push(e.error_type || e.name) } };
await give({value: "x".repeat(2 << 20)}); let deep = {}; for (let i = 0; i < 300; i++) deep = {a: deep}; await give({value: deep});
await give([1]); let n = 0; await give({get value() { return ++n }}); await give({get value() { throw new RangeError("no") }});
const round = {}; round.round = round; await give(round); await give({value: 1n});
await give(new Proxy({}, {ownKeys: () => ["value"], getOwnPropertyDescriptor: () => ({enumerable: true, configurable: true, value: 9}), get: () => 9}));
await give(JSON.parse('{"value": {"__proto__": {"polluted": 1}}}')); out.push(typeof ({}).polluted); return out`})
	system.WantResult(t, system.UseTool(t, shared.HTTP(0), tenant, "hands", `{}`),
		`["validation_error","validation_error","TypeError",1,"RangeError","TypeError","TypeError",9,{"__proto__":{"polluted":1}},"undefined"]`)
}

// TestInnerCallsAtOnce: the bound on nested calls holds for concurrent ones, and each
// executed one is recorded.
func TestInnerCallsAtOnce(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	system.CreateTool(t, shared, tenant, system.CustomTool{
		Name: "many", Code: `const all = await Promise.all(Array.from({length: 60}, (_, i) => utils.callTool("debug.echo", {value: i}).then(() => "ok", (e) => e.error_type))); return [all.filter((x) => x === "ok").length, all.filter((x) => x === "rate_limited").length]`,
	})
	e := system.UseTool(t, d, tenant, "many", `{}`)
	system.WantResult(t, e, `[50,10]`)
	var hashes []string
	for n := range 50 {
		id := fmt.Sprintf("%s~%d", e.CallID, n+1)
		system.Eventually(t, id+" is on record", func() bool {
			return slices.Equal(system.Phases(system.CallRecords(t, d, tenant, id)), []string{"finished"})
		})
		hashes = append(hashes, system.CallRecords(t, d, tenant, id)[0].ArgsHash)
	}
	slices.Sort(hashes)
	if n := len(slices.Compact(hashes)); n != 50 {
		t.Errorf("50 calls with different arguments have %d different hashes", n)
	}
}

// TestInnerCallInterrupted: a nested call that was interrupted during a side effect is not
// repeated, and both calls end in outcome_unknown.
func TestInnerCallInterrupted(t *testing.T) {
	t.Parallel()
	var posts atomic.Int64
	arrived, over := make(chan struct{}, 9), make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		posts.Add(1)
		arrived <- struct{}{}
		<-over
	}))
	t.Cleanup(func() { close(over); srv.Close() })
	tenant, d, trace := system.NewTenant(), shared.HTTP(0), system.NewTrace()
	system.CreateTool(t, shared, tenant, system.CustomTool{
		Name:        "poster",
		Permissions: []string{"network"},
		Code:        `return await utils.callTool("http_request", {url: args.url, method: "POST"})`,
	})
	tok := system.MintToken(t, d, tenant, trace, `"tools": ["poster", "http_request"], "reusable": true`)
	send := func(id string) system.Element {
		args, _ := json.Marshal(map[string]string{"url": srv.URL})
		return system.Execute(t, d, tenant,
			fmt.Sprintf(`{"wait_ms": 0, "context": {"user": "u1"}, "trace_id": %q, "calls": [{"call_id": %q, "confirm_token": %q, "tool": "poster", "arguments": %s}]}`,
				trace, id, tok, args)).Results[0]
	}
	system.Eventually(t, "poster is known", func() bool { return send("first").ErrorType != "tool_not_found" })
	system.Receive(t, "the server has the request of the script", arrived)
	system.WantError(t, system.ByID(t, d, "calls.cancel", tenant, "first"), "outcome_unknown", "")
	system.WantError(t, send("first"), "outcome_unknown", "")
	if n := posts.Load(); n != 1 {
		t.Errorf("the server got %d requests, want 1", n)
	}
	for _, id := range []string{"first", "first~1"} {
		system.Eventually(t, id+" is on record", func() bool {
			return slices.Equal(system.Phases(system.CallRecords(t, d, tenant, id)), []string{"started", "finished"})
		})
		if r := system.CallRecords(t, d, tenant, id)[1]; r.Result.ErrorType != "outcome_unknown" {
			t.Errorf("%s is on record as %+v", id, r.Result)
		}
	}
}
