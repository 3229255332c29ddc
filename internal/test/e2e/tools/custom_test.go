package tools

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestCustomTool follows a tool that a model makes: requested, granted, created on one
// worker, called by name and by use_tool on any, changed, switched off, deleted.
func TestCustomTool(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		tenant := system.NewTenant()
		system.CreateTool(t, shared, tenant, system.CustomTool{
			Name:       "word_count",
			Parameters: `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`,
			Code:       `return { words: utils.countWords(args.text), by: context.userId, tool: context.toolName };`,
		})
		want := `{"words":3,"by":"u1","tool":"word_count"}`
		system.WantResult(t, system.UseTool(t, d, tenant, "word_count", `{"text":"one two three"}`), want)
		workers := map[string]bool{}
		for i := range 40 {
			call := `{"tool": "word_count", "arguments": {"text":"one two three"}}`
			if i%2 == 1 {
				call = `{"tool": "use_tool", "arguments": {"tool_name": "word_count", "arguments": {"text":"one two three"}}}`
			}
			e := system.Execute(t, d, tenant, system.AsUser(30000, call)).Results[0]
			system.WantResult(t, e, want)
			workers[e.Worker] = true
		}
		if len(workers) != 2 {
			t.Errorf("it ran on %v, want both workers", workers)
		}
		system.WantError(t, system.UseTool(t, d, tenant, "word_count", `{}`), "validation_error", "text")
		system.WantError(t,
			system.Execute(t, d, system.NewTenant(), `{"calls": [{"tool": "word_count", "arguments": {"text": "x"}}]}`).Results[0], "tool_not_found",
			"word_count")

		var list struct {
			Tools []struct {
				Name, Status string
				Version      int
			}
			Stats struct{ Total, Active int }
		}
		if e := system.UseTool(t, d, tenant, "list_custom_tools", `{}`); json.Unmarshal(e.Result, &list) != nil || list.Stats.Total != 1 ||
			list.Tools[0].Status != "active" {
			t.Errorf("list_custom_tools = %s", e.Result)
		}
		e := system.Park(t, d, tenant, `{"tool": "update_custom_tool", "arguments": {"name": "word_count", "code": "return 'changed'"}}`)
		system.Grant(t, d, tenant, e.ConsentID)
		system.Settled(t, d, tenant, e.CallID)
		system.Eventually(t, "the change is known everywhere", func() bool {
			for range 4 {
				if got := system.UseTool(t, d, tenant, "word_count", `{"text":"x"}`); string(got.Result) != `"changed"` {
					return false
				}
			}
			return true
		})
		system.UseTool(t, d, tenant, "toggle_custom_tool", `{"name": "word_count", "enabled": false}`)
		system.Eventually(t, "it is switched off everywhere", func() bool {
			return system.UseTool(t, d, tenant, "word_count", `{"text":"x"}`).ErrorType == "tool_not_available"
		})
		e = system.Park(t, d, tenant, `{"tool": "delete_custom_tool", "arguments": {"name": "word_count"}}`)
		system.Grant(t, d, tenant, e.ConsentID)
		system.WantResult(t, system.Settled(t, d, tenant, e.CallID),
			`{"message":"Tool 'word_count' was deleted.","name":"word_count","deleted":true}`)
		system.Eventually(t, "it is gone", func() bool {
			return system.Execute(t, d, tenant,
				`{"calls": [{"tool": "word_count", "arguments": {"text": "x"}}]}`).Results[0].ErrorType == "tool_not_found"
		})
	})
}

// TestCustomToolRefused: an invalid tool is refused before a person is asked.
func TestCustomToolRefused(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	for name, tt := range map[string]struct {
		tool system.CustomTool
		says string
	}{
		"name":       {system.CustomTool{Name: "Big", Code: "return 1"}, "name"},
		"built-in":   {system.CustomTool{Name: "read_file", Code: "return 1"}, "built-in"},
		"schema":     {system.CustomTool{Name: "x", Code: "return 1", Parameters: `{"type":"array"}`}, "parameters"},
		"no JSON":    {system.CustomTool{Name: "x", Code: "return 1", Parameters: `{`}, "parameters"},
		"syntax":     {system.CustomTool{Name: "x", Code: "return return"}, "code"},
		"escape":     {system.CustomTool{Name: "x", Code: "});evil();(function(){"}, "code"},
		"permission": {system.CustomTool{Name: "x", Code: "return 1", Permissions: []string{"root"}}, "permissions"},
		"exit":       {system.CustomTool{Name: "x", Code: "process.exit(1)"}, "process.exit"},
		"require":    {system.CustomTool{Name: "x", Code: "require('fs')"}, "require("},
		"import":     {system.CustomTool{Name: "x", Code: "await import('fs')"}, "import("},
		"dirname":    {system.CustomTool{Name: "x", Code: "return __dirname"}, "__dirname"},
		"filename":   {system.CustomTool{Name: "x", Code: "return __filename"}, "__filename"},
		"global":     {system.CustomTool{Name: "x", Code: "global.x = 1"}, "global."},
		"globalThis": {system.CustomTool{Name: "x", Code: "globalThis.x = 1"}, "globalThis."},
		"large":      {system.CustomTool{Name: "x", Code: "return '" + strings.Repeat("x", 300<<10) + "'"}, "code"},
		"never called": {
			system.CustomTool{Name: "x", Code: "async function execute(args) {\n  return args.url;\n}"}, "return await execute(args)",
		},
		"no network": {
			system.CustomTool{Name: "x", Code: "const a = 1;\nreturn await fetch(args.url)"}, "line 2: fetch needs the permission 'network'",
		},
		"no files":    {system.CustomTool{Name: "x", Code: "return fs.readFile('a')", Permissions: []string{"network"}}, "'filesystem'"},
		"no timers":   {system.CustomTool{Name: "x", Code: "setTimeout(() => {}, 5); return 1"}, "setTimeout"},
		"a module":    {system.CustomTool{Name: "x", Code: "import x from 'y';\nreturn x"}, "no modules"},
		"open":        {system.CustomTool{Name: "x", Code: "if (args.url) {\n  return 1;"}, "the '{' of line 1 is still open"},
		"lonely host": {system.CustomTool{Name: "x", Code: "return 1", Hosts: []string{"a.com"}}, "hosts"},
	} {
		e := system.Execute(t, d, tenant, system.AsUser(30000, tt.tool.CreateCall(t))).Results[0]
		if e.ErrorType != "validation_error" || !strings.Contains(e.Message, tt.says) {
			t.Errorf("%s: create_tool answered %v, want a validation_error that names %s", name, e, tt.says)
		}
	}
	if waiting := system.Consents(t, d, tenant, "pending"); len(waiting) != 0 {
		t.Errorf("a person is asked about %+v", waiting)
	}
}

// TestCustomToolReach: the tools that a script may call follow from its permissions.
func TestCustomToolReach(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	try := `try { return await utils.callTool(args.tool, args.args || {}); } catch (e) { return e.error_type + ": " + e.message; }`
	system.CreateTool(t, shared, tenant, system.CustomTool{Name: "bare", Code: try})
	system.CreateTool(t, shared, tenant, system.CustomTool{Name: "filer", Code: try, Permissions: []string{"filesystem"}})
	system.CreateTool(t, shared, tenant, system.CustomTool{Name: "lister", Code: `return utils.listTools().map((t) => t.name)`})
	says := func(tool, inner, args, want string) {
		t.Helper()
		e := system.UseTool(t, d, tenant, tool, fmt.Sprintf(`{"tool": %q, "args": %s}`, inner, args))
		if !strings.Contains(string(e.Result), want) {
			t.Errorf("%s called %s and got %s (%v), want %s", tool, inner, e.Result, e, want)
		}
	}
	says("bare", "get_current_time", `{"timezone":"UTC"}`, "T")
	says("bare", "write_file", `{"path":"a.txt","content":"x"}`, "permission_denied: 'bare' cannot call 'write_file': it has no permissions")
	says("bare", "create_tool", `{}`, "permission_denied")
	says("bare", "use_tool", `{"tool_name":"get_current_time","arguments":{}}`, "permission_denied")
	says("bare", "nope", `{}`, "tool_not_found")
	says("bare", "get_current_time", `{"timezone":7}`, "validation_error")
	says("bare", "filer", `{"tool":"get_current_time"}`, "permission_denied")
	says("filer", "bare", `{"tool":"get_current_time"}`, "T")
	says("filer", "write_file", `{"path":"a.txt","content":"x"}`, `"written"`)
	says("filer", "read_file", `{"path":"a.txt"}`, `"x"`)
	if e := system.UseTool(t, d, tenant, "lister", `{}`); !strings.Contains(string(e.Result), `"get_current_time"`) ||
		strings.Contains(string(e.Result), "write_file") || strings.Contains(string(e.Result), "create_tool") {
		t.Errorf("listTools shows %s", e.Result)
	}
}

// TestCustomToolInTheTrail: a call that a script makes is judged and recorded as a separate
// call.
func TestCustomToolInTheTrail(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	system.CreateTool(t, shared, tenant, system.CustomTool{
		Name:        "keeper",
		Code:        `return utils.callTool("write_file", {path: "k.txt", content: "x"})`,
		Permissions: []string{"filesystem"},
	})
	system.UseTool(t, d, tenant, "list_custom_tools", `{}`)
	var e system.Element
	system.Eventually(t, "keeper runs", func() bool {
		e = system.Execute(t, d, tenant, system.AsUser(30000, `{"tool": "keeper"}`)).Results[0]
		return e.Status == "success"
	})
	for id, want := range map[string][]string{e.CallID: {"started", "finished"}, e.CallID + "~1": {"finished"}} {
		system.Eventually(t, id+" is in the trail", func() bool {
			got := system.Phases(system.CallRecords(t, d, tenant, id))
			return slices.Equal(got, want) || id != e.CallID && slices.Equal(got, []string{"started", "finished"})
		})
	}
}

// TestCustomToolBounds: scripts that call scripts end, and block no others.
func TestCustomToolBounds(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	system.CreateTool(t, shared, tenant, system.CustomTool{Name: "deeper", Code: `return await utils.callTool("deeper", {})`})
	system.CreateTool(t, shared, tenant, system.CustomTool{
		Name: "often",
		Code: `let n = 0; try { for (;;) { await utils.callTool("get_current_time", {}); n++; } } catch (e) { return n + " " + e.error_type; }`,
	})
	if e := system.UseTool(t, d, tenant, "deeper", `{}`); e.Status != "error" || !strings.Contains(e.Message, "deep") {
		t.Errorf("endless recursion answered %v", e)
	}
	system.WantResult(t, system.UseTool(t, d, tenant, "often", `{}`), `"50 rate_limited"`)
	calls := make([]string, 60)
	for i := range calls {
		calls[i] = `{"tool": "deeper"}`
	}
	for _, e := range system.Execute(t, d, tenant, system.AsUser(60000, strings.Join(calls, ","))).Results {
		if e.Status != "error" || e.State != "done" {
			t.Errorf("one of many answered %v", e)
		}
	}
}

// TestCustomToolFetch: the permission network reaches only the hosts that the guard and the
// tool allow.
func TestCustomToolFetch(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
			return
		}
		_, _ = w.Write([]byte(`{"current":{"temp_c":7}}`))
	}))
	t.Cleanup(srv.Close)
	tenant, d := system.NewTenant(), shared.HTTP(0)
	fetch := `try { const r = await fetch(args.url); return (await r.json()).current.temp_c; } catch (e) { return e.error_type || e.name; }`
	system.CreateTool(t, shared, tenant, system.CustomTool{Name: "getter", Code: fetch, Permissions: []string{"network"}})
	system.CreateTool(t, shared, tenant, system.CustomTool{
		Name:        "narrow",
		Code:        fetch,
		Permissions: []string{"network"},
		Hosts:       []string{"api.example.com"},
	})
	system.CreateTool(t, shared, tenant, system.CustomTool{
		Name: "offline", Code: `return typeof fetch + " " + typeof fs + " " + typeof setTimeout`,
	})
	url := func(u string) string { return fmt.Sprintf(`{"url": %q}`, u) }
	system.WantResult(t, system.UseTool(t, d, tenant, "getter", url(srv.URL)), `7`)
	system.WantResult(t, system.UseTool(t, d, tenant, "getter", url(srv.URL+"/away")), `"permission_denied"`)
	system.WantResult(t, system.UseTool(t, d, tenant, "getter", url("http://169.254.169.254/")), `"permission_denied"`)
	system.WantResult(t, system.UseTool(t, d, tenant, "getter", url("http://10.0.0.1/")), `"permission_denied"`)
	system.WantResult(t, system.UseTool(t, d, tenant, "getter", url("file:///etc/passwd")), `"TypeError"`)
	system.WantResult(t, system.UseTool(t, d, tenant, "narrow", url(srv.URL)), `"permission_denied"`)
	system.WantResult(t, system.UseTool(t, d, tenant, "offline", `{}`), `"undefined undefined undefined"`)
}

func writeSecret(file, text string) error { return os.WriteFile(file, []byte(text), 0o600) }

// TestCustomToolSecrets: a script reads the services it declared, and no others.
func TestCustomToolSecrets(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/services.yaml"
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.ServicesFile = file }, Before: func() error {
		return writeSecret(file, "- {service: weatherapi, label: main, default: true, data: {api_key: s3cret}}\n- {service: bank, label: "+
			"main, data: {api_key: hunter2}}\n")
	}})
	tenant, d := "default", s.HTTP(0)
	system.CreateTool(t, s, tenant, system.CustomTool{
		Name: "keyed", Keys: []map[string]string{{"name": "weatherapi", "displayName": "WeatherAPI"}},
		Code: `let other; try { other = utils.getApiKey("bank"); } catch (e) { other = e.error_type; } return [utils.getApiKey("weatherapi").length, other === undefined ? null : other];`,
	})
	system.WantResult(t, system.UseTool(t, d, tenant, "keyed", `{}`), `[6,"permission_denied"]`)
}

// TestCallTree: the nested calls of one call are bounded in total, however scripts and
// batches distribute them, and a script that continues at the bound does not fill the
// trail.
func TestCallTree(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	system.CreateTool(t, shared, tenant, system.CustomTool{
		Name: "leaf", Code: `let n = 0; for (let i = 0; i < 40; i++) try { await utils.callTool("get_current_time", {}); n++ } catch (e) { if (e.error_type !== "rate_limited") throw e } return n`,
	})
	system.CreateTool(t, shared, tenant, system.CustomTool{
		Name: "root_of", Code: `let n = 0; for (let i = 0; i < 40; i++) try { n += 1 + await utils.callTool("leaf", {}) } catch (e) { if (e.error_type !== "rate_limited") throw e } return n`,
	})
	system.UseTool(t, d, tenant, "leaf", `{}`)
	e := system.UseTool(t, d, tenant, "root_of", `{}`)
	system.WantResult(t, e, `200`)
	system.Eventually(t, "the call is on record", func() bool { return len(system.CallRecords(t, d, tenant, e.CallID)) > 0 })
	r := d.Ask(t, tenant, "audit.query", map[string]string{"trace_id": e.TraceID, "limit": "1000"}, "")
	if n := strings.Count(string(r.Body), `"audit_id"`); n > 420 {
		t.Errorf("the trail has %d records of one call", n)
	}
	items := strings.Repeat(`{"tool_name": "root_of"},`, 20)
	batch := system.UseTool(t, d, tenant, "batch_use_tool", `{"calls": [`+strings.TrimSuffix(items, ",")+`]}`)
	var got struct {
		Results []struct{ Result int }
	}
	if err := json.Unmarshal(batch.Result, &got); err != nil {
		t.Fatalf("the batch answered %v: %v", batch, err)
	}
	sum := len(got.Results)
	for _, item := range got.Results {
		sum += item.Result
	}
	if sum != 200 {
		t.Errorf("a batch of scripts made %d calls, want 200", sum)
	}
}
