package e2e

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
)

// custom are the arguments of create_tool.
type custom struct {
	Name        string              `json:"name"`
	Description string              `json:"description"`
	Parameters  string              `json:"parameters"`
	Code        string              `json:"code"`
	Permissions []string            `json:"permissions,omitempty"`
	Hosts       []string            `json:"hosts,omitempty"`
	Keys        []map[string]string `json:"required_api_keys,omitempty"`
}

const anyObject = `{"type":"object","properties":{"url":{"type":"string"},"tool":{"type":"string"},"args":{"type":"object"}}}`

func (c custom) call(t testing.TB) string {
	t.Helper()
	if c.Description == "" {
		c.Description = "A tool of a test."
	}
	if c.Parameters == "" {
		c.Parameters = anyObject
	}
	raw, err := json.Marshal(map[string]any{"tool": "create_tool", "arguments": c})
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// create makes a custom tool: it is asked for, granted, and made.
func create(t testing.TB, s *system, tenant string, c custom) {
	t.Helper()
	d := s.http(0)
	e := park(t, d, tenant, c.call(t))
	grant(t, d, tenant, e.ConsentID)
	done := settled(t, d, tenant, e.CallID)
	if done.Status != "success" {
		t.Fatalf("create_tool ended %v", done)
	}
}

// use calls a tool until dispatchers and workers know it.
func use(t testing.TB, d door, tenant, tool, args string) element {
	t.Helper()
	var e element
	eventually(t, tool+" is known", func() bool {
		e = execute(t, d, tenant, asUser(30000, fmt.Sprintf(`{"tool": %q, "arguments": %s}`, tool, args))).Results[0]
		return e.ErrorType != "tool_not_found"
	})
	return e
}

// TestCustomTool is the whole way of a tool that a model makes: asked for, granted,
// made on one worker, called by name and by use_tool on any, changed, switched
// off, deleted.
func TestCustomTool(t *testing.T) {
	t.Parallel()
	everyDoor(t, shared, func(t *testing.T, d door) {
		tenant := newTenant()
		create(t, shared, tenant, custom{
			Name:       "word_count",
			Parameters: `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`,
			Code:       `return { words: utils.countWords(args.text), by: context.userId, tool: context.toolName };`,
		})
		want := `{"words":3,"by":"u1","tool":"word_count"}`
		wantResult(t, use(t, d, tenant, "word_count", `{"text":"one two three"}`), want)
		workers := map[string]bool{}
		for i := range 40 {
			call := `{"tool": "word_count", "arguments": {"text":"one two three"}}`
			if i%2 == 1 {
				call = `{"tool": "use_tool", "arguments": {"tool_name": "word_count", "arguments": {"text":"one two three"}}}`
			}
			e := execute(t, d, tenant, asUser(30000, call)).Results[0]
			wantResult(t, e, want)
			workers[e.Worker] = true
		}
		if len(workers) != 2 {
			t.Errorf("it ran on %v, want both workers", workers)
		}
		wantError(t, use(t, d, tenant, "word_count", `{}`), "validation_error", "text")
		wantError(t, execute(t, d, newTenant(), `{"calls": [{"tool": "word_count", "arguments": {"text": "x"}}]}`).Results[0], "tool_not_found", "word_count")

		var list struct {
			Tools []struct {
				Name, Status string
				Version      int
			}
			Stats struct{ Total, Active int }
		}
		if e := use(t, d, tenant, "list_custom_tools", `{}`); json.Unmarshal(e.Result, &list) != nil || list.Stats.Total != 1 || list.Tools[0].Status != "active" {
			t.Errorf("list_custom_tools = %s", e.Result)
		}
		e := park(t, d, tenant, `{"tool": "update_custom_tool", "arguments": {"name": "word_count", "code": "return 'changed'"}}`)
		grant(t, d, tenant, e.ConsentID)
		settled(t, d, tenant, e.CallID)
		eventually(t, "the change is known everywhere", func() bool {
			for range 4 {
				if got := use(t, d, tenant, "word_count", `{"text":"x"}`); string(got.Result) != `"changed"` {
					return false
				}
			}
			return true
		})
		use(t, d, tenant, "toggle_custom_tool", `{"name": "word_count", "enabled": false}`)
		eventually(t, "it is switched off everywhere", func() bool {
			return use(t, d, tenant, "word_count", `{"text":"x"}`).ErrorType == "tool_not_available"
		})
		e = park(t, d, tenant, `{"tool": "delete_custom_tool", "arguments": {"name": "word_count"}}`)
		grant(t, d, tenant, e.ConsentID)
		wantResult(t, settled(t, d, tenant, e.CallID), `{"message":"Tool 'word_count' was deleted.","name":"word_count","deleted":true}`)
		eventually(t, "it is gone", func() bool {
			return execute(t, d, tenant, `{"calls": [{"tool": "word_count", "arguments": {"text": "x"}}]}`).Results[0].ErrorType == "tool_not_found"
		})
	})
}

// TestCustomToolRefused: what cannot work is refused before anybody is asked.
func TestCustomToolRefused(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	for name, tt := range map[string]struct {
		tool custom
		says string
	}{
		"name":        {custom{Name: "Big", Code: "return 1"}, "name"},
		"built-in":    {custom{Name: "read_file", Code: "return 1"}, "built-in"},
		"schema":      {custom{Name: "x", Code: "return 1", Parameters: `{"type":"array"}`}, "parameters"},
		"no JSON":     {custom{Name: "x", Code: "return 1", Parameters: `{`}, "parameters"},
		"syntax":      {custom{Name: "x", Code: "return return"}, "code"},
		"escape":      {custom{Name: "x", Code: "});evil();(function(){"}, "code"},
		"permission":  {custom{Name: "x", Code: "return 1", Permissions: []string{"root"}}, "permissions"},
		"exit":        {custom{Name: "x", Code: "process.exit(1)"}, "process.exit"},
		"require":     {custom{Name: "x", Code: "require('fs')"}, "require("},
		"import":      {custom{Name: "x", Code: "await import('fs')"}, "import("},
		"dirname":     {custom{Name: "x", Code: "return __dirname"}, "__dirname"},
		"filename":    {custom{Name: "x", Code: "return __filename"}, "__filename"},
		"global":      {custom{Name: "x", Code: "global.x = 1"}, "global."},
		"globalThis":  {custom{Name: "x", Code: "globalThis.x = 1"}, "globalThis."},
		"large":       {custom{Name: "x", Code: "return '" + strings.Repeat("x", 300<<10) + "'"}, "code"},
		"lonely host": {custom{Name: "x", Code: "return 1", Hosts: []string{"a.com"}}, "hosts"},
	} {
		e := execute(t, d, tenant, asUser(30000, tt.tool.call(t))).Results[0]
		if e.ErrorType != "validation_error" || !strings.Contains(e.Message, tt.says) {
			t.Errorf("%s: create_tool answered %v, want a validation_error that names %s", name, e, tt.says)
		}
	}
	if waiting := consents(t, d, tenant, "pending"); len(waiting) != 0 {
		t.Errorf("a person is asked about %+v", waiting)
	}
}

// TestCustomToolReach: what a script may call follows from its permissions.
func TestCustomToolReach(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	try := `try { return await utils.callTool(args.tool, args.args || {}); } catch (e) { return e.error_type + ": " + e.message; }`
	create(t, shared, tenant, custom{Name: "bare", Code: try})
	create(t, shared, tenant, custom{Name: "filer", Code: try, Permissions: []string{"filesystem"}})
	create(t, shared, tenant, custom{Name: "lister", Code: `return utils.listTools().map((t) => t.name)`})
	says := func(tool, inner, args, want string) {
		t.Helper()
		e := use(t, d, tenant, tool, fmt.Sprintf(`{"tool": %q, "args": %s}`, inner, args))
		if !strings.Contains(string(e.Result), want) {
			t.Errorf("%s called %s and got %s (%v), want %s", tool, inner, e.Result, e, want)
		}
	}
	says("bare", "get_current_time", `{"timezone":"UTC"}`, "T")
	says("bare", "write_file", `{"path":"a.txt","content":"x"}`, "permission_denied")
	says("bare", "create_tool", `{}`, "permission_denied")
	says("bare", "use_tool", `{"tool_name":"get_current_time","arguments":{}}`, "permission_denied")
	says("bare", "nope", `{}`, "tool_not_found")
	says("bare", "get_current_time", `{"timezone":7}`, "validation_error")
	says("bare", "filer", `{"tool":"get_current_time"}`, "permission_denied")
	says("filer", "bare", `{"tool":"get_current_time"}`, "T")
	says("filer", "write_file", `{"path":"a.txt","content":"x"}`, `"written"`)
	says("filer", "read_file", `{"path":"a.txt"}`, `"x"`)
	if e := use(t, d, tenant, "lister", `{}`); !strings.Contains(string(e.Result), `"get_current_time"`) || strings.Contains(string(e.Result), "write_file") || strings.Contains(string(e.Result), "create_tool") {
		t.Errorf("listTools shows %s", e.Result)
	}
}

// TestCustomToolInTheTrail: a call that a script makes is judged and recorded as a
// call of its own.
func TestCustomToolInTheTrail(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	create(t, shared, tenant, custom{Name: "keeper", Code: `return utils.callTool("write_file", {path: "k.txt", content: "x"})`, Permissions: []string{"filesystem"}})
	use(t, d, tenant, "list_custom_tools", `{}`)
	var e element
	eventually(t, "keeper runs", func() bool {
		e = execute(t, d, tenant, asUser(30000, `{"tool": "keeper"}`)).Results[0]
		return e.Status == "success"
	})
	for id, want := range map[string][]string{e.CallID: {"started", "finished"}, e.CallID + "~1": {"finished"}} {
		eventually(t, id+" is in the trail", func() bool {
			got := phases(story(t, d, tenant, id))
			return slices.Equal(got, want) || id != e.CallID && slices.Equal(got, []string{"started", "finished"})
		})
	}
}

// TestCustomToolBounds: scripts that call scripts come to an end, and block nobody.
func TestCustomToolBounds(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	create(t, shared, tenant, custom{Name: "deeper", Code: `return await utils.callTool("deeper", {})`})
	create(t, shared, tenant, custom{Name: "often", Code: `let n = 0; try { for (;;) { await utils.callTool("get_current_time", {}); n++; } } catch (e) { return n + " " + e.error_type; }`})
	if e := use(t, d, tenant, "deeper", `{}`); e.Status != "error" || !strings.Contains(e.Message, "deep") {
		t.Errorf("endless recursion answered %v", e)
	}
	wantResult(t, use(t, d, tenant, "often", `{}`), `"50 rate_limited"`)
	calls := make([]string, 60)
	for i := range calls {
		calls[i] = `{"tool": "deeper"}`
	}
	for _, e := range execute(t, d, tenant, asUser(60000, strings.Join(calls, ","))).Results {
		if e.Status != "error" || e.State != "done" {
			t.Errorf("one of many answered %v", e)
		}
	}
}

// TestCustomToolFetch: network reaches what the guard and the tool's hosts allow.
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
	tenant, d := newTenant(), shared.http(0)
	fetch := `try { const r = await fetch(args.url); return (await r.json()).current.temp_c; } catch (e) { return e.error_type || e.name; }`
	create(t, shared, tenant, custom{Name: "getter", Code: fetch, Permissions: []string{"network"}})
	create(t, shared, tenant, custom{Name: "narrow", Code: fetch, Permissions: []string{"network"}, Hosts: []string{"api.example.com"}})
	create(t, shared, tenant, custom{Name: "offline", Code: `return typeof fetch + " " + typeof fs + " " + typeof setTimeout`})
	url := func(u string) string { return fmt.Sprintf(`{"url": %q}`, u) }
	wantResult(t, use(t, d, tenant, "getter", url(srv.URL)), `7`)
	wantResult(t, use(t, d, tenant, "getter", url(srv.URL+"/away")), `"permission_denied"`)
	wantResult(t, use(t, d, tenant, "getter", url("http://169.254.169.254/")), `"permission_denied"`)
	wantResult(t, use(t, d, tenant, "getter", url("http://10.0.0.1/")), `"permission_denied"`)
	wantResult(t, use(t, d, tenant, "getter", url("file:///etc/passwd")), `"TypeError"`)
	wantResult(t, use(t, d, tenant, "narrow", url(srv.URL)), `"permission_denied"`)
	wantResult(t, use(t, d, tenant, "offline", `{}`), `"undefined undefined undefined"`)
}

func writeSecret(file, text string) error { return os.WriteFile(file, []byte(text), 0o600) }

// TestCustomToolSecrets: a script reads the services it named, and no others.
func TestCustomToolSecrets(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/services.yaml"
	s := launch(t, plan{config: func(c *config.Config) { c.ServicesFile = file }, before: func() error {
		return writeSecret(file, "- {service: weatherapi, label: main, default: true, data: {api_key: s3cret}}\n- {service: bank, label: main, data: {api_key: hunter2}}\n")
	}})
	tenant, d := "default", s.http(0)
	create(t, s, tenant, custom{
		Name: "keyed", Keys: []map[string]string{{"name": "weatherapi", "displayName": "WeatherAPI"}},
		Code: `let other; try { other = utils.getApiKey("bank"); } catch (e) { other = e.error_type; } return [utils.getApiKey("weatherapi").length, other === undefined ? null : other];`,
	})
	wantResult(t, use(t, d, tenant, "keyed", `{}`), `[6,"permission_denied"]`)
}
