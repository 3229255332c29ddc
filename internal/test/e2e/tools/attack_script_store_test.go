package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestCustomToolNames: a name is one tool for each tenant, and no spelling of a name
// reaches another tenant's.
func TestCustomToolNames(t *testing.T) {
	t.Parallel()
	d, theirs, ours := shared.HTTP(0), system.NewTenant(), system.NewTenant()
	system.CreateTool(t, shared, theirs, system.CustomTool{Name: "mine", Code: `return "theirs"`})
	system.CreateTool(t, shared, ours, system.CustomTool{Name: "mine", Code: `return "ours"`})
	system.CreateTool(t, shared, theirs, system.CustomTool{Name: "only_theirs", Code: `return 1`})
	system.WantResult(t, system.UseTool(t, d, theirs, "mine", `{}`), `"theirs"`)
	system.WantResult(t, system.UseTool(t, d, ours, "mine", `{}`), `"ours"`)
	system.UseTool(t, d, theirs, "only_theirs", `{}`)
	for _, name := range []string{
		"only_theirs", theirs + ".only_theirs", "../" + theirs + ".only_theirs", "mine." + theirs, "*", ">", "mine.>", "mine ", "mine\x00",
		"ｍine", "__proto__", "constructor", "MINE", strings.Repeat("m", 64), strings.Repeat("m", 65), "", "\xef\xbb\xbfmine",
	} {
		for tool, args := range map[string]map[string]any{
			"get_custom_tool": {"name": name}, "update_custom_tool": {"name": name, "code": "return 2"}, "delete_custom_tool": {"name": name},
			"toggle_custom_tool": {"name": name, "enabled": false}, "use_tool": {"tool_name": name, "arguments": map[string]any{}},
		} {
			raw, err := json.Marshal(map[string]any{"tool": tool, "arguments": args})
			if err != nil {
				t.Fatal(err)
			}
			e := system.Execute(t, d, ours, system.AsUser(30000, string(raw))).Results[0]
			if e.ErrorType != "tool_not_found" && e.ErrorType != "validation_error" {
				t.Errorf("%s of %q: %v, want that there is no such tool", tool, name, e)
			}
		}
	}
	system.WantResult(t, system.UseTool(t, d, theirs, "only_theirs", `{}`), `1`)
	system.WantResult(t, system.UseTool(t, d, ours, "mine", `{}`), `"ours"`)
}

// TestConfigCenterNames: no spelling of a service's name reaches an undeclared service.
func TestConfigCenterNames(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/services.yaml"
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.ServicesFile = file }, Before: func() error {
		return writeSecret(file, "- {service: weatherapi, label: main, default: true, data: {api_key: s3cret}}\n- {service: bank, label: "+
			"main, default: true, data: {api_key: hunter2}}\n")
	}})
	system.CreateTool(t, s, "default",
		system.CustomTool{Name: "asks", Keys: []map[string]string{{"name": "weatherapi"}}, Code: `const out = [];
for (const name of ["bank", "__proto__", "constructor", "weatherapi\u0000", "Weatherapi", " weatherapi", "*", "weatherapi/../bank", "weatherapi,bank", ["bank"], {toString: () => "bank"}])
	for (const ask of [utils.getApiKey, utils.getServiceConfig, utils.getConfigEntries]) { if (!ask) continue; try { const got = ask(name); if (got !== undefined) out.push(String(name) + " " + JSON.stringify(got)) } catch (e) {} }
return out`})
	system.WantResult(t, system.UseTool(t, s.HTTP(0), "default", "asks", `{}`), `[]`)
	if log := s.Logs.String(); strings.Contains(log, "hunter2") || strings.Contains(log, "s3cret") {
		t.Error("the log holds a secret")
	}
}

// TestSchemaBombs: a schema is refused, or costs little when it is used.
func TestSchemaBombs(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	var chain strings.Builder
	chain.WriteString(`{"type":"object","allOf":[{"$ref":"#/definitions/d0"}],"definitions":{`)
	for i := range 40 {
		fmt.Fprintf(&chain, `"d%d":{"allOf":[{"$ref":"#/definitions/d%d"},{"$ref":"#/definitions/d%d"}]},`, i, i+1, i+1)
	}
	chain.WriteString(`"d40":{"type":"object"}}}`)
	refused := map[string]string{
		"a file":     `{"type":"object","allOf":[{"$ref":"file:///etc/hostname"}]}`,
		"a page":     `{"type":"object","properties":{"a":{"$ref":"http://127.0.0.1:1/x"}}}`,
		"deep":       `{"type":"object","properties":` + strings.Repeat(`{"a":{"properties":`, 1000) + `{}` + strings.Repeat(`}}`, 1000) + `}`,
		"many":       `{"type":"object","properties":{"a":{"enum":[1` + strings.Repeat(`,1`, 20000) + `]}}}`,
		"repeats":    `{"type":"object","properties":{"a":{"type":"string","pattern":"(a{1,1000}){1,1000}$"}}}`,
		"two types":  `{"type":"object","type":"array"}`,
		"large":      `{"type":"object","description":"` + strings.Repeat("x", 70<<10) + `"}`,
		"no keyword": `{"type":"object","propertys":{}}`,
	}
	for name, schema := range refused {
		e := system.Execute(t, d, tenant,
			system.AsUser(30000, system.CustomTool{Name: "bomb", Code: "return 1", Parameters: schema}.CreateCall(t))).Results[0]
		if e.ErrorType != "validation_error" || !strings.Contains(e.Message, "parameters: ") {
			t.Errorf("%s: %v, want it refused", name, e)
		}
	}
	for name, schema := range map[string]string{
		"chain": chain.String(),
		"forms": `{"type":"object","properties":{"url":{"oneOf":[{"type":"string","pattern":"(x+x+)+y"}` +
			strings.Repeat(`,{"type":"string","pattern":"(x+x+)+y"}`, 999) + `]}}}`,
		"pattern": `{"type":"object","properties":{"url":{"type":"string","pattern":"((x{0,30}){0,30})*y"}}}`,
	} {
		system.CreateTool(t, shared, tenant, system.CustomTool{Name: name, Code: "return 1", Parameters: schema})
		system.WantError(t, system.UseTool(t, d, tenant, name, `{"url":"`+strings.Repeat("x", 5000)+`"}`), "validation_error", "")
	}
}

// TestUseToolIsOnlyAWay: use_tool adds nothing to the called tool: no token, no second run,
// no other arguments.
func TestUseToolIsOnlyAWay(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		tenant, trace := system.NewTenant(), system.NewTrace()
		by := func(rest string) string { return `{"tool": "use_tool", "arguments": {` + rest + `}` }
		for rest, want := range map[string]string{
			`"tool_name": "use_tool", "arguments": {"tool_name": "debug.echo", "arguments": {}}`: "validation_error",
			`"tool_name": "USE_TOOL", "arguments": {}`:                                           "tool_not_found",
			`"tool_name": "contract_former", "arguments": {"text": "x"}`:                         "tool_not_found",
			`"tool_name": "debug.echo", "arguments": {"value": 1, "value": 2}`:                   "validation_error",
			`"tool_name": "debug.echo", "arguments": [1]`:                                        "validation_error",
			`"tool_name": "debug.echo"`:                                                          "validation_error",
		} {
			if e := system.Execute(t, d, tenant, system.AsUser(30000, by(rest)+"}")).Results[0]; e.ErrorType != want {
				t.Errorf("use_tool with %s: %v, want %s", rest, e, want)
			}
		}
		const guarded = `"tool_name": "debug.guarded", "arguments": {"key": "t1"}`
		tok := system.MintToken(t, d, tenant, trace, `"tools": ["use_tool"]`)
		system.WantError(t, system.ExecuteWithToken(t, d, tenant, "u1", trace, tok, by(guarded)+"}"), "permission_denied", "debug.guarded")
		tok = system.MintToken(t, d, tenant, trace, `"tools": ["debug.guarded"]`)
		system.WantResult(t, system.ExecuteWithToken(t, d, tenant, "u1", trace, tok, by(guarded)+"}"), `{"written":true}`)
		system.WantError(t, system.ExecuteWithToken(t, d, tenant, "u1", trace, tok, by(guarded)+"}"), "permission_denied", "used")

		const effect = `"tool_name": "debug.effect", "arguments": {"key": "e1"}`
		again := by(effect) + `, "call_id": "same"}`
		system.WantResult(t, system.Execute(t, d, tenant, system.AsUser(30000, again)).Results[0], `{"written":true}`)
		system.WantResult(t, system.Execute(t, d, tenant, system.AsUser(30000, again)).Results[0], `{"written":true}`)
		for _, call := range []string{
			strings.Replace(again, "e1", "e2", 1), `{"call_id": "same", "tool": "debug.effect", "arguments": {"key": "e1"}}`,
		} {
			system.WantError(t, system.Execute(t, d, tenant, system.AsUser(30000, call)).Results[0], "validation_error", "same")
		}
		if lines := system.UserLedger(t, shared, tenant, "u1"); len(lines) != 2 {
			t.Errorf("the ledger has %q, want one entry of each", lines)
		}
		large := by(`"tool_name": "debug.echo", "arguments": {"value": "`+strings.Repeat("x", 800<<10)+`"}`) + "}"
		if e := system.Execute(t, d, tenant, system.AsUser(30000, large)).Results[0]; e.Status != "success" {
			t.Errorf("large arguments: %s %s", e.ErrorType, e.Message)
		}
	})
}
