package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
)

// attackCall makes a call as u1, lets a person agree if it is asked for, and returns how it ended.
func attackCall(t testing.TB, s *system, tenant, tool string, args map[string]any) element {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"tool": tool, "arguments": args})
	if err != nil {
		t.Fatal(err)
	}
	d := s.http(0)
	e := execute(t, d, tenant, asUser(30000, string(raw))).Results[0]
	if e.State != "awaiting_consent" {
		return e
	}
	grant(t, d, tenant, e.ConsentID)
	return settled(t, d, tenant, e.CallID)
}

// TestSecretsStayOut: a value of the config center that a script prints or throws is
// in no log, event or message.
func TestSecretsStayOut(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/services.yaml"
	s := launch(t, plan{config: func(c *config.Config) { c.ServicesFile = file }, before: func() error {
		return writeSecret(file, "- {service: weatherapi, label: main, default: true, data: {api_key: s3cretKEY12345}}\n")
	}})
	tenant, d := "default", s.http(0)
	keys := []map[string]string{{"name": "weatherapi"}}
	create(t, s, tenant, custom{Name: "thrower", Keys: keys, Code: `throw new Error("boom " + utils.getApiKey("weatherapi"))`})
	create(t, s, tenant, custom{Name: "printer", Keys: keys, Code: `console.log("k", utils.getApiKey("weatherapi")); return 1`})
	if e := use(t, d, tenant, "thrower", `{}`); strings.Contains(e.Message, "s3cret") {
		t.Errorf("the message is %q", e.Message)
	}
	use(t, d, tenant, "printer", `{}`)
	for line := range strings.Lines(s.logs.String()) {
		if strings.Contains(line, "s3cretKEY12345") {
			t.Errorf("the log has %s", line)
		}
	}
}

// TestNameAsProvidersSeeIt: a name that model providers cannot tell from that of a
// built-in tool is refused.
func TestNameAsProvidersSeeIt(t *testing.T) {
	t.Parallel()
	e := execute(t, shared.http(0), newTenant(), asUser(3000, custom{Name: "debug_echo", Code: `return "hijacked"`}.call(t))).Results[0]
	wantError(t, e, "validation_error", "built-in")
}

// TestCheckKeepsToTheTime: what a tool looks at before a person is asked counts
// towards the time of the call.
func TestCheckKeepsToTheTime(t *testing.T) {
	t.Parallel()
	s := launch(t, plan{config: func(c *config.Config) { c.Sandbox.Children = 1 }})
	tenant, d := newTenant(), s.http(0)
	events := s.listen(t, tenant)
	create(t, s, tenant, custom{Name: "slow", Code: `console.log("here"); return await utils.callTool("debug.sleep", {ms: 8000})`})
	eventually(t, "slow runs", func() bool {
		return queue(t, d, tenant, `{"call_id":"s1","tool":"slow"}`).ErrorType == ""
	})
	events.until("log", "s1")
	call := strings.Replace(custom{Name: "x", Code: "return 1"}.call(t), "{", `{"timeout_ms":500,`, 1)
	e := execute(t, d, newTenant(), asUser(20000, call)).Results[0]
	if got := byID(t, d, "calls.get", tenant, "s1"); got.State == "done" {
		t.Errorf("a call of 500 ms was answered %v after another's 8 s", e)
	}
}

// TestOneTenantDoesNotTakeTheCage: while one tenant's scripts wait, another's run.
func TestOneTenantDoesNotTakeTheCage(t *testing.T) {
	t.Parallel()
	s := launch(t, plan{config: func(c *config.Config) { c.Sandbox.Children = 2 }})
	a, b, d := newTenant(), newTenant(), s.http(0)
	create(t, s, a, custom{Name: "slow", Code: `return await utils.callTool("debug.sleep", {ms: 25000})`})
	create(t, s, b, custom{Name: "good", Code: `return 1`})
	use(t, d, b, "good", `{}`)
	for i := range 8 {
		eventually(t, "slow is known", func() bool { return queue(t, d, a, fmt.Sprintf(`{"call_id":"s%d","tool":"slow"}`, i)).ErrorType == "" })
	}
	eventually(t, "one is running", func() bool { return byID(t, d, "calls.get", a, "s7").State == "running" })
	wantResult(t, execute(t, d, b, `{"calls":[{"tool":"good","timeout_ms":20000}]}`).Results[0], "1")
	for i := range 8 {
		byID(t, d, "calls.cancel", a, fmt.Sprintf("s%d", i))
	}
}

// TestRaisedToHigh: a tool whose maker raised its risk can be agreed to.
func TestRaisedToHigh(t *testing.T) {
	t.Parallel()
	tenant := newTenant()
	e := attackCall(t, shared, tenant, "create_tool", map[string]any{"name": "raised", "description": "d", "parameters": `{"type":"object"}`, "code": "return 1", "risk": "high"})
	if e.Status == "error" {
		return // also right, if it says that nobody could ever call it
	}
	if e = use(t, shared.http(0), tenant, "raised", `{}`); e.State != "awaiting_consent" {
		t.Errorf("it was made, and a call of it is answered %v", e)
	}
}

// TestRuleOnUseTool: a rule that forbids use_tool holds.
func TestRuleOnUseTool(t *testing.T) {
	t.Parallel()
	rules := filepath.Join(t.TempDir(), "r.cedar")
	if err := os.WriteFile(rules, []byte(`@id("no-way-round") forbid(principal, action == Action::"execute", resource == Tool::"use_tool");`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := launch(t, plan{config: func(c *config.Config) { c.Policy.Rules = []string{rules} }})
	e := one(t, s.http(0), newTenant(), `{"tool":"use_tool","arguments":{"tool_name":"debug.echo","arguments":{"value":1}}}`)
	wantError(t, e, "policy_denied", "no-way-round")
}

// TestEveryInnerCallIsOnRecord: also one that was refused before the gate, and one
// that its script did not wait for.
func TestEveryInnerCallIsOnRecord(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	for name, code := range map[string]string{
		"beyond":    `try { await utils.callTool("write_file", {path: "a", content: "b"}) } catch (e) { return e.error_type }`,
		"unknown":   `try { await utils.callTool("nope", {}) } catch (e) { return e.error_type }`,
		"forgotten": `utils.callTool("debug.sleep", {ms: 5000}); await utils.callTool("get_current_time", {}); return "left"`,
	} {
		create(t, shared, tenant, custom{Name: name, Code: code})
		var e element
		eventually(t, name+" runs", func() bool {
			e = execute(t, d, tenant, asUser(5000, fmt.Sprintf(`{"tool":%q}`, name))).Results[0]
			return e.Status == "success"
		})
		eventually(t, "the outer call is on record", func() bool { return len(story(t, d, tenant, e.CallID)) > 0 })
		eventually(t, name+": the inner call is on record", func() bool { return len(story(t, d, tenant, e.CallID+"~1")) > 0 })
	}
}

// TestLittleThingsAreBounded: what is kept in memory for each tool has a bound, and
// is text.
func TestLittleThingsAreBounded(t *testing.T) {
	t.Parallel()
	tenant := newTenant()
	base := map[string]any{"name": "large", "description": "d", "parameters": `{"type":"object"}`, "code": "return 1", "required_api_keys": []map[string]string{{"name": "a", "displayName": strings.Repeat("K", 900<<10)}}}
	if e := attackCall(t, shared, tenant, "create_tool", base); e.ErrorType != "validation_error" {
		t.Errorf("a displayName of 900 KB: %v", e)
	}
	create(t, shared, tenant, custom{Name: "small", Code: "return 1"})
	for what, category := range map[string]string{"of 400 KB": strings.Repeat("K", 400<<10), "with control characters": "\x1b[31mFile System\r\n"} {
		if e := attackCall(t, shared, tenant, "update_custom_tool", map[string]any{"name": "small", "category": category}); e.ErrorType != "validation_error" {
			t.Errorf("a category %s: %v", what, e)
		}
	}
}
