package e2e

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
)

// callsOther is the code of a tool that calls the one it is told to, and says how
// that ended.
const callsOther = `try { return await utils.callTool(args.tool, args.args || {}); } catch (e) { return e.error_type + ": " + e.message; }`

// TestInnerCallKeepsToTheAgentsTools: what an agent may not call its script may not.
func TestInnerCallKeepsToTheAgentsTools(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	create(t, shared, tenant, custom{Name: "tryer", Code: callsOther})
	use(t, d, tenant, "tryer", `{"tool":"debug.echo"}`)
	put(t, d, tenant, "named", `{"tools": ["tryer", "use_tool"]}`)
	put(t, d, tenant, "denied", `{"tools": ["*"], "deny": ["debug.*", "utilities"]}`)
	for _, agent := range []string{"named", "denied", "unheard"} {
		for way, call := range map[string]string{
			"script":   `{"tool": "tryer", "arguments": {"tool": "debug.echo", "args": {"value": 1}}}`,
			"use_tool": `{"tool": "use_tool", "arguments": {"tool_name": "debug.echo", "arguments": {"value": 1}}}`,
		} {
			eventually(t, agent+" is kept out by "+way, func() bool {
				e := execute(t, d, tenant, fmt.Sprintf(`{"context": {"agent": %q}, "calls": [%s]}`, agent, call)).Results[0]
				return e.ErrorType == "tool_not_available" || strings.Contains(string(e.Result), "tool_not_available: ")
			})
		}
	}
}

// TestInnerCallKeepsToRules: rules see the way a call came, and permissions are asked
// of nobody by a running script.
func TestInnerCallKeepsToRules(t *testing.T) {
	t.Parallel()
	rules := filepath.Join(t.TempDir(), "r.cedar")
	if err := os.WriteFile(rules, []byte(`@id("no-js") forbid(principal, action == Action::"execute", resource == Tool::"debug.echo") when { context.origin == "javascript" };
@id("no-use") forbid(principal, action == Action::"execute", resource == Tool::"debug.blob") when { context.origin == "use_tool" };`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := launch(t, plan{config: func(c *config.Config) { c.Policy.Rules = []string{rules} }})
	tenant, d := newTenant(), s.http(0)
	create(t, s, tenant, custom{Name: "tryer", Code: callsOther})
	says := func(tool, args, want string) {
		t.Helper()
		e := use(t, d, tenant, tool, args)
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
	if waiting := consents(t, d, tenant, "pending"); len(waiting) != 0 {
		t.Errorf("a script has a person asked: %+v", waiting)
	}
}

// TestInnerCallsAndTokens: a plan's token covers as many inner calls as it has uses,
// and no call reaches further than the token, the tools around it and its own.
func TestInnerCallsAndTokens(t *testing.T) {
	t.Parallel()
	var posts atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { posts.Add(1) }))
	t.Cleanup(srv.Close)
	tenant, d := newTenant(), shared.http(0)
	const twice = `const out = []; for (let i = 0; i < 2; i++) try { out.push((await utils.callTool("http_request", {url: args.url, method: "POST"})).status) } catch (e) { out.push(e.error_type) } return out`
	create(t, shared, tenant, custom{Name: "poster", Permissions: []string{"network"}, Code: twice})
	create(t, shared, tenant, custom{Name: "wide", Permissions: []string{"network"}, Code: `return (await fetch(args.url)).status`})
	create(t, shared, tenant, custom{Name: "relay", Permissions: []string{"network"}, Code: `return await utils.callTool("wide", {url: args.url})`})
	create(t, shared, tenant, custom{Name: "narrow", Permissions: []string{"network"}, Hosts: []string{"example.com"}, Code: `const out = []; for (const by of ["wide", "relay"]) try { out.push(await utils.callTool(by, {url: args.url})) } catch (e) { out.push(e.error_type) } return out`})
	url := fmt.Sprintf(`{"url": %q}`, srv.URL)
	wantResult(t, use(t, d, tenant, "relay", url), `200`)
	wantResult(t, use(t, d, tenant, "narrow", url), `["permission_denied","permission_denied"]`)
	wantResult(t, use(t, d, tenant, "poster", url), `["confirmation_required","confirmation_required"]`)

	trace, call := newTrace(), fmt.Sprintf(`{"tool": "poster", "arguments": %s}`, url)
	for _, tt := range []struct {
		token, want string
		posts       int64
	}{
		{`"tools": ["poster", "http_request"]`, `[200,"confirmation_required"]`, 1},
		{`"tools": ["poster"], "reusable": true`, `["confirmation_required","confirmation_required"]`, 0},
		{`"tools": ["poster", "http_request"], "reusable": true`, `[200,200]`, 2},
		{`"tools": ["poster", "http_request"], "reusable": true, "scopes": {"hosts": ["example.com"]}`, `["permission_denied","permission_denied"]`, 0},
	} {
		before := posts.Load()
		wantResult(t, show(t, d, tenant, "u1", trace, mint(t, d, tenant, trace, tt.token), call), tt.want)
		if n := posts.Load() - before; n != tt.posts {
			t.Errorf("with %s the server got %d requests, want %d", tt.token, n, tt.posts)
		}
	}
	other := mint(t, d, tenant, trace, `"tools": ["http_request"]`)
	wantError(t, show(t, d, tenant, "u1", trace, other, call), "permission_denied", "poster")
}

// TestInnerArguments: what a script hands over is judged as what a caller does, and
// what it hides behind getters and proxies is read once.
func TestInnerArguments(t *testing.T) {
	t.Parallel()
	tenant := newTenant()
	create(t, shared, tenant, custom{Name: "hands", Code: `const out = [], give = async (a) => { try { out.push(await utils.callTool("debug.echo", a)) } catch (e) { out.push(e.error_type || e.name) } };
await give({value: "x".repeat(2 << 20)}); let deep = {}; for (let i = 0; i < 300; i++) deep = {a: deep}; await give({value: deep});
await give([1]); let n = 0; await give({get value() { return ++n }}); await give({get value() { throw new RangeError("no") }});
const round = {}; round.round = round; await give(round); await give({value: 1n});
await give(new Proxy({}, {ownKeys: () => ["value"], getOwnPropertyDescriptor: () => ({enumerable: true, configurable: true, value: 9}), get: () => 9}));
await give(JSON.parse('{"value": {"__proto__": {"polluted": 1}}}')); out.push(typeof ({}).polluted); return out`})
	wantResult(t, use(t, shared.http(0), tenant, "hands", `{}`),
		`["validation_error","validation_error","TypeError",1,"RangeError","TypeError","TypeError",9,{"__proto__":{"polluted":1}},"undefined"]`)
}

// TestInnerCallsAtOnce: the bound on inner calls holds for those made together, and
// each that was let through is on record.
func TestInnerCallsAtOnce(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	create(t, shared, tenant, custom{Name: "many", Code: `const all = await Promise.all(Array.from({length: 60}, (_, i) => utils.callTool("debug.echo", {value: i}).then(() => "ok", (e) => e.error_type))); return [all.filter((x) => x === "ok").length, all.filter((x) => x === "rate_limited").length]`})
	e := use(t, d, tenant, "many", `{}`)
	wantResult(t, e, `[50,10]`)
	var hashes []string
	for n := range 50 {
		id := fmt.Sprintf("%s~%d", e.CallID, n+1)
		eventually(t, id+" is on record", func() bool { return slices.Equal(phases(story(t, d, tenant, id)), []string{"finished"}) })
		hashes = append(hashes, story(t, d, tenant, id)[0].ArgsHash)
	}
	slices.Sort(hashes)
	if n := len(slices.Compact(hashes)); n != 50 {
		t.Errorf("50 calls with different arguments have %d different hashes", n)
	}
}

// TestInnerCallInterrupted: a call that was cut off in a side effect that a script
// asked for is not repeated, and both calls say that nobody knows.
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
	tenant, d, trace := newTenant(), shared.http(0), newTrace()
	create(t, shared, tenant, custom{Name: "poster", Permissions: []string{"network"}, Code: `return await utils.callTool("http_request", {url: args.url, method: "POST"})`})
	tok := mint(t, d, tenant, trace, `"tools": ["poster", "http_request"], "reusable": true`)
	send := func(id string) element {
		args, _ := json.Marshal(map[string]string{"url": srv.URL})
		return execute(t, d, tenant, fmt.Sprintf(`{"wait_ms": 0, "context": {"user": "u1"}, "trace_id": %q, "calls": [{"call_id": %q, "confirm_token": %q, "tool": "poster", "arguments": %s}]}`, trace, id, tok, args)).Results[0]
	}
	eventually(t, "poster is known", func() bool { return send("first").ErrorType != "tool_not_found" })
	<-arrived
	wantError(t, byID(t, d, "calls.cancel", tenant, "first"), "outcome_unknown", "")
	wantError(t, send("first"), "outcome_unknown", "")
	if n := posts.Load(); n != 1 {
		t.Errorf("the server got %d requests, want 1", n)
	}
	for _, id := range []string{"first", "first~1"} {
		eventually(t, id+" is on record", func() bool {
			return slices.Equal(phases(story(t, d, tenant, id)), []string{"started", "finished"})
		})
		if r := story(t, d, tenant, id)[1]; r.Result.ErrorType != "outcome_unknown" {
			t.Errorf("%s is on record as %+v", id, r.Result)
		}
	}
}
