package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/helve-dev/helve/config"
)

// TestOddFiles: what lies in a tools directory costs at most itself, leads nowhere
// else, and claims nothing that is not its own.
func TestOddFiles(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	s := launch(t, plan{workers: 2, config: func(c *config.Config) { c.ToolsDirs = []string{dir} }})
	tenant, d := newTenant(), s.http(0)
	write(filepath.Join(outside, "secret.js"), `const execute = () => "outside"`)
	for _, name := range []string{"linked", "pipe", "huge", "folder", "loop", "ok"} {
		write(filepath.Join(dir, name+".json"), fmt.Sprintf(`{"name": %q, "description": "d", "mutates": false}`, name))
	}
	must(os.Symlink(filepath.Join(outside, "secret.js"), filepath.Join(dir, "linked.js")))
	must(os.Symlink(outside, filepath.Join(dir, "lib")))
	must(os.Symlink("loop.js", filepath.Join(dir, "loop.js")))
	must(syscall.Mkfifo(filepath.Join(dir, "pipe.js"), 0o600))
	must(os.Mkdir(filepath.Join(dir, "folder.js"), 0o700))
	write(filepath.Join(dir, "huge.js"), "")
	must(os.Truncate(filepath.Join(dir, "huge.js"), 1<<30)) // a hole: it takes no room
	write(filepath.Join(dir, "ok.js"), `const execute = () => { let lib; try { lib = lib("secret") } catch (e) { lib = "none" } return lib }`)
	write(filepath.Join(dir, "claims.js"), `function f() { return "f" }`)
	write(filepath.Join(dir, "claims.json"), `[{"name": "as_builtin", "function": "f", "description": "d", "kind": "builtin"}, {"name": "as_dynamic", "function": "f", "description": "d", "kind": "dynamic"},
		{"name": "elsewhere", "function": "f", "description": "d", "pool": "other"}, {"name": "debug_echo", "function": "f", "description": "d"},
		{"name": "use_tool", "function": "f", "description": "d"}, {"name": "create_tool", "function": "f", "description": "d"}, {"name": "last", "function": "f", "description": "d"}]`)
	list := func() toolsList { return decode[toolsList](t, d.ask(t, tenant, "tools.list", nil, "")) }
	eventually(t, "what can be loaded is", func() bool { l := list(); return l.has("ok") && l.has("last") })
	eventually(t, "the rest is reported", func() bool {
		l := list()
		return l.complains("linked.js", "escapes") && l.complains("huge.js", "bytes") && l.complains("loop.js", "links") && l.complains("lib", "escapes") &&
			l.complains("pipe.json", "pipe.js") && l.complains("folder.json", "folder.js") && l.complains("claims.json", "builtin") &&
			l.complains("claims.json", "dynamic") && l.complains("claims.json", "debug.echo") && l.complains("claims.json", "use_tool") && l.complains("claims.json", "create_tool")
	})
	for _, e := range list().LoadErrors {
		if strings.Contains(e.File+e.Reason, dir) || strings.Contains(e.File+e.Reason, outside) {
			t.Errorf("%+v tells a path of the host", e)
		}
	}
	for _, name := range []string{"linked", "pipe", "huge", "folder", "loop", "as_builtin", "as_dynamic", "elsewhere", "debug_echo"} {
		wantError(t, one(t, d, tenant, fmt.Sprintf(`{"tool": %q}`, name)), "tool_not_found", "")
	}
	wantResult(t, one(t, d, tenant, `{"tool": "ok"}`), `"none"`)
	wantResult(t, one(t, d, tenant, `{"tool": "use_tool", "arguments": {"tool_name": "debug.echo", "arguments": {"value": 1}}}`), `1`)

	for i := range 1000 {
		write(filepath.Join(dir, ".next"), fmt.Sprintf(`const execute = () => %d`, i))
		must(os.Rename(filepath.Join(dir, ".next"), filepath.Join(dir, "ok.js")))
		if i%100 == 0 {
			if e := one(t, d, tenant, `{"tool": "ok"}`); e.Status != "success" {
				t.Errorf("while it is replaced a call ends %v", e)
			}
		}
	}
	eventually(t, "the last one counts", func() bool { return string(one(t, d, tenant, `{"tool": "ok"}`).Result) == "999" })
}

// TestNameTakenLater: an operator's tool takes a name from a custom one, which keeps
// no say in it and can still be deleted.
func TestNameTakenLater(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := launch(t, plan{workers: 2, config: func(c *config.Config) { c.ToolsDirs = []string{dir} }})
	tenant, d := newTenant(), s.http(0)
	create(t, s, tenant, custom{Name: "later", Code: `return "custom"`})
	wantResult(t, use(t, d, tenant, "later", `{}`), `"custom"`)
	for name, text := range map[string]string{"later.json": `{"name": "later", "description": "d", "mutates": false}`, "later.js": `const execute = () => "operator"`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "the operator's runs on both workers", func() bool {
		for range 6 {
			if string(one(t, d, tenant, `{"tool": "later"}`).Result) != `"operator"` {
				return false
			}
		}
		return true
	})
	wantError(t, execute(t, d, tenant, asUser(30000, `{"tool": "update_custom_tool", "arguments": {"name": "later", "code": "return 2"}}`)).Results[0], "validation_error", "built-in")
	e := park(t, d, tenant, `{"tool": "delete_custom_tool", "arguments": {"name": "later"}}`)
	grant(t, d, tenant, e.ConsentID)
	settled(t, d, tenant, e.CallID)
	wantResult(t, one(t, d, tenant, `{"tool": "later"}`), `"operator"`)
}
