package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestOddFiles: a bad file in a tools directory affects only itself, cannot leave the
// directory, and cannot take an existing name.
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
	s := system.Launch(t, system.Plan{Workers: 2, Config: func(c *config.Config) { c.ToolsDirs = []string{dir} }})
	tenant, d := system.NewTenant(), s.HTTP(0)
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
	must(os.Truncate(filepath.Join(dir, "huge.js"), 1<<30)) // a sparse file: it needs no disk
	write(filepath.Join(dir, "ok.js"), `const execute = () => { let lib; try { lib = lib("secret") } catch (e) { lib = "none" } return lib }`)
	write(filepath.Join(dir, "claims.js"), `function f() { return "f" }`)
	write(filepath.Join(dir, "claims.json"),
		`[{"name": "as_builtin", "function": "f", "description": "d", "kind": "builtin"}, {"name": "as_dynamic", "function": "f", "description": "d", "kind": "dynamic"},
		{"name": "elsewhere", "function": "f", "description": "d", "pool": "other"}, {"name": "debug_echo", "function": "f", "description": "d"},
		{"name": "use_tool", "function": "f", "description": "d"}, {"name": "create_tool", "function": "f", "description": "d"}, {"name": "last", "function": "f", "description": "d"}]`)
	list := func() toolsList { return system.Decode[toolsList](t, d.Ask(t, tenant, "tools.list", nil, "")) }
	system.Eventually(t, "what can be loaded is", func() bool { l := list(); return l.has("ok") && l.has("last") })
	system.Eventually(t, "the rest is reported", func() bool {
		l := list()
		return l.complains("linked.js", "escapes") && l.complains("huge.js", "bytes") && l.complains("loop.js", "links") &&
			l.complains("lib", "escapes") &&
			l.complains("pipe.json", "pipe.js") && l.complains("folder.json", "folder.js") && l.complains("claims.json", "builtin") &&
			l.complains("claims.json", "dynamic") && l.complains("claims.json", "debug.echo") && l.complains("claims.json", "use_tool") &&
			l.complains("claims.json", "create_tool")
	})
	for _, e := range list().LoadErrors {
		if strings.Contains(e.File+e.Reason, dir) || strings.Contains(e.File+e.Reason, outside) {
			t.Errorf("%+v tells a path of the host", e)
		}
	}
	for _, name := range []string{"linked", "pipe", "huge", "folder", "loop", "as_builtin", "as_dynamic", "elsewhere", "debug_echo"} {
		system.WantError(t, system.One(t, d, tenant, fmt.Sprintf(`{"tool": %q}`, name)), "tool_not_found", "")
	}
	system.WantResult(t, system.One(t, d, tenant, `{"tool": "ok"}`), `"none"`)
	system.WantResult(t,
		system.One(t, d, tenant, `{"tool": "use_tool", "arguments": {"tool_name": "debug.echo", "arguments": {"value": 1}}}`), `1`)

	for i := range 1000 {
		write(filepath.Join(dir, ".next"), fmt.Sprintf(`const execute = () => %d`, i))
		must(os.Rename(filepath.Join(dir, ".next"), filepath.Join(dir, "ok.js")))
		if i%100 == 0 {
			if e := system.One(t, d, tenant, `{"tool": "ok"}`); e.Status != "success" {
				t.Errorf("while it is replaced a call ends %v", e)
			}
		}
	}
	system.Eventually(t, "the last one counts", func() bool { return string(system.One(t, d, tenant, `{"tool": "ok"}`).Result) == "999" })
}

// TestNameTakenLater: an operator's tool takes a name from a custom one, which no longer
// runs under it and can still be deleted.
func TestNameTakenLater(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := system.Launch(t, system.Plan{Workers: 2, Config: func(c *config.Config) { c.ToolsDirs = []string{dir} }})
	tenant, d := system.NewTenant(), s.HTTP(0)
	system.CreateTool(t, s, tenant, system.CustomTool{Name: "later", Code: `return "custom"`})
	system.WantResult(t, system.UseTool(t, d, tenant, "later", `{}`), `"custom"`)
	for name, text := range map[string]string{
		"later.json": `{"name": "later", "description": "d", "mutates": false}`, "later.js": `const execute = () => "operator"`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	system.Eventually(t, "the operator's runs on both workers", func() bool {
		for range 6 {
			if string(system.One(t, d, tenant, `{"tool": "later"}`).Result) != `"operator"` {
				return false
			}
		}
		return true
	})
	system.WantError(t,
		system.Execute(t, d, tenant,
			system.AsUser(30000, `{"tool": "update_custom_tool", "arguments": {"name": "later", "code": "return 2"}}`)).Results[0],
		"validation_error", "built-in")
	e := system.Park(t, d, tenant, `{"tool": "delete_custom_tool", "arguments": {"name": "later"}}`)
	system.Grant(t, d, tenant, e.ConsentID)
	system.Settled(t, d, tenant, e.CallID)
	system.WantResult(t, system.One(t, d, tenant, `{"tool": "later"}`), `"operator"`)
}
