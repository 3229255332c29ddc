package tools

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// attackCall makes a call as u1, grants consent if it is requested, and returns the
// outcome.
func attackCall(t testing.TB, s *system.System, tenant, tool string, args map[string]any) system.Element {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"tool": tool, "arguments": args})
	if err != nil {
		t.Fatal(err)
	}
	d := s.HTTP(0)
	e := system.Execute(t, d, tenant, system.AsUser(30000, string(raw))).Results[0]
	if e.State != "awaiting_consent" {
		return e
	}
	system.Grant(t, d, tenant, e.ConsentID)
	return system.Settled(t, d, tenant, e.CallID)
}

// TestSecretsStayOut: a value of the config center that a script prints or throws is in no
// log, event or message.
func TestSecretsStayOut(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/services.yaml"
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.ServicesFile = file }, Before: func() error {
		return writeSecret(file, "- {service: weatherapi, label: main, default: true, data: {api_key: s3cretKEY12345}}\n")
	}})
	tenant, d := "default", s.HTTP(0)
	keys := []map[string]string{{"name": "weatherapi"}}
	system.CreateTool(t, s, tenant, system.CustomTool{
		Name: "thrower",
		Keys: keys,
		Code: `throw new Error("boom " + utils.getApiKey("weatherapi"))`,
	})
	system.CreateTool(t, s, tenant, system.CustomTool{
		Name: "printer",
		Keys: keys,
		Code: `console.log("k", utils.getApiKey("weatherapi")); return 1`,
	})
	if e := system.UseTool(t, d, tenant, "thrower", `{}`); strings.Contains(e.Message, "s3cret") {
		t.Errorf("the message is %q", e.Message)
	}
	system.UseTool(t, d, tenant, "printer", `{}`)
	for line := range strings.Lines(s.Logs.String()) {
		if strings.Contains(line, "s3cretKEY12345") {
			t.Errorf("the log has %s", line)
		}
	}
}

// TestNameAsProvidersSeeIt: a name that model providers cannot distinguish from that of a
// built-in tool is refused.
func TestNameAsProvidersSeeIt(t *testing.T) {
	t.Parallel()
	e := system.Execute(t, shared.HTTP(0), system.NewTenant(),
		system.AsUser(3000, system.CustomTool{Name: "debug_echo", Code: `return "hijacked"`}.CreateCall(t))).Results[0]
	system.WantError(t, e, "validation_error", "built-in")
}

// TestCheckKeepsToTheTime: the checks of a tool before a person is asked count towards the
// time of the call.
func TestCheckKeepsToTheTime(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.Sandbox.Children = 1 }})
	tenant, d := system.NewTenant(), s.HTTP(0)
	events := s.Listen(t, tenant)
	system.CreateTool(t, s, tenant, system.CustomTool{
		Name: "slow", Code: `console.log("here"); return await utils.callTool("debug.sleep", {ms: 8000})`,
	})
	system.Eventually(t, "slow runs", func() bool {
		return system.Execute(t, d, tenant, system.AsUser(0, `{"call_id":"s1","tool":"slow"}`)).Results[0].ErrorType == ""
	})
	events.Until("log", "s1")
	call := strings.Replace(system.CustomTool{Name: "x", Code: "return 1"}.CreateCall(t), "{", `{"timeout_ms":500,`, 1)
	e := system.Execute(t, d, system.NewTenant(), system.AsUser(20000, call)).Results[0]
	if got := system.ByID(t, d, "calls.get", tenant, "s1"); got.State == "done" {
		t.Errorf("a call of 500 ms was answered %v after another's 8 s", e)
	}
}

// TestOneTenantDoesNotTakeTheCage: while one tenant's scripts wait, another's run.
func TestOneTenantDoesNotTakeTheCage(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.Sandbox.Children = 2 }})
	a, b, d := system.NewTenant(), system.NewTenant(), s.HTTP(0)
	system.CreateTool(t, s, a, system.CustomTool{Name: "slow", Code: `return await utils.callTool("debug.sleep", {ms: 25000})`})
	system.CreateTool(t, s, b, system.CustomTool{Name: "good", Code: `return 1`})
	system.UseTool(t, d, b, "good", `{}`)
	for i := range 8 {
		system.Eventually(t, "slow is known", func() bool {
			return system.Execute(t, d, a, system.AsUser(0, fmt.Sprintf(`{"call_id":"s%d","tool":"slow"}`, i))).Results[0].ErrorType == ""
		})
	}
	system.Eventually(t, "one is running", func() bool { return system.ByID(t, d, "calls.get", a, "s7").State == "running" })
	system.WantResult(t, system.Execute(t, d, b, system.AsUser(30000, `{"tool":"good","timeout_ms":20000}`)).Results[0], "1")
	for i := range 8 {
		system.ByID(t, d, "calls.cancel", a, fmt.Sprintf("s%d", i))
	}
}

// TestRaisedToHigh: a tool whose author raised its risk can be granted.
func TestRaisedToHigh(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	e := attackCall(t, shared, tenant, "create_tool", map[string]any{
		"name": "raised", "description": "d", "parameters": `{"type":"object"}`, "code": "return 1", "risk": "high",
	})
	if e.Status == "error" {
		return // also right, if the error explains that it could never be called
	}
	if e = system.UseTool(t, shared.HTTP(0), tenant, "raised", `{}`); e.State != "awaiting_consent" {
		t.Errorf("it was made, and a call of it is answered %v", e)
	}
}

// TestRuleOnUseTool: a rule that forbids use_tool holds.
func TestRuleOnUseTool(t *testing.T) {
	t.Parallel()
	rules := filepath.Join(t.TempDir(), "r.cedar")
	if err := os.WriteFile(rules, []byte(`@id("no-way-round") forbid(principal, action == Action::"execute", resource == Tool::"use_tool");`),
		0o600); err != nil {
		t.Fatal(err)
	}
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.Policy.Rules = []string{rules} }})
	e := system.One(t, s.HTTP(0), system.NewTenant(), `{"tool":"use_tool","arguments":{"tool_name":"debug.echo","arguments":{"value":1}}}`)
	system.WantError(t, e, "policy_denied", "no-way-round")
}

// TestEveryInnerCallIsOnRecord: including a call refused before the gate, and a call that
// its script did not await.
func TestEveryInnerCallIsOnRecord(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	for name, code := range map[string]string{
		"beyond":    `try { await utils.callTool("write_file", {path: "a", content: "b"}) } catch (e) { return e.error_type }`,
		"unknown":   `try { await utils.callTool("nope", {}) } catch (e) { return e.error_type }`,
		"forgotten": `utils.callTool("debug.sleep", {ms: 5000}); await utils.callTool("get_current_time", {}); return "left"`,
	} {
		system.CreateTool(t, shared, tenant, system.CustomTool{Name: name, Code: code})
		var e system.Element
		system.Eventually(t, name+" runs", func() bool {
			e = system.Execute(t, d, tenant, system.AsUser(5000, fmt.Sprintf(`{"tool":%q}`, name))).Results[0]
			return e.Status == "success"
		})
		system.Eventually(t, "the outer call is on record", func() bool { return len(system.CallRecords(t, d, tenant, e.CallID)) > 0 })
		system.Eventually(t, name+": the inner call is on record", func() bool {
			return len(system.CallRecords(t, d, tenant, e.CallID+"~1")) > 0
		})
	}
}

// TestLittleThingsAreBounded: the texts kept in memory for each tool are bounded and valid.
func TestLittleThingsAreBounded(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	base := map[string]any{
		"name":              "large",
		"description":       "d",
		"parameters":        `{"type":"object"}`,
		"code":              "return 1",
		"required_api_keys": []map[string]string{{"name": "a", "displayName": strings.Repeat("K", 900<<10)}},
	}
	if e := attackCall(t, shared, tenant, "create_tool", base); e.ErrorType != "validation_error" {
		t.Errorf("a displayName of 900 KB: %v", e)
	}
	system.CreateTool(t, shared, tenant, system.CustomTool{Name: "small", Code: "return 1"})
	for what, category := range map[string]string{
		"of 400 KB": strings.Repeat("K", 400<<10), "with control characters": "\x1b[31mFile System\r\n",
	} {
		if e := attackCall(t, shared, tenant, "update_custom_tool", map[string]any{
			"name": "small", "category": category,
		}); e.ErrorType != "validation_error" {
			t.Errorf("a category %s: %v", what, e)
		}
	}
}
