package shell

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/programs"
	"github.com/helve-dev/helve/internal/ports/programs/programstest"
	"github.com/helve-dev/helve/internal/ports/services"
	"github.com/helve-dev/helve/internal/ports/workspace"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDefinitions(t *testing.T) { tooltest.Golden(t, Set) }

// world is a call in a workspace on disk, with an operator's configuration.
func world(t *testing.T, configured string) tool.Call {
	t.Helper()
	data := t.TempDir()
	dir := filepath.Join(data, "workspaces", "acme", "u1")
	if err := os.MkdirAll(filepath.Join(dir, "docs"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/", filepath.Join(dir, "root")); err != nil {
		t.Fatal(err)
	}
	spaces, err := workspace.New(data)
	if err != nil {
		t.Fatal(err)
	}
	call := tool.Call{Tenant: "acme", User: "u1"}
	if call.Files, err = spaces.For("acme", "u1"); err != nil {
		t.Fatal(err)
	}
	if _, err := call.Files.Write("notes.txt", strings.NewReader("b\na\n")); err != nil {
		t.Fatal(err)
	}
	port := programs.New(programs.Options{
		Launcher: programstest.Launcher(t),
		Dir:      func(tenant, user string) (string, error) { return filepath.Join(data, "workspaces", tenant, user), nil },
		Path:     "/usr/local/bin:/usr/bin:/bin",
	})
	if call.Programs, err = port.For("acme", "u1"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "services.yaml")
	if err := os.WriteFile(file, []byte(configured), 0o600); err != nil {
		t.Fatal(err)
	}
	center, err := services.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	call.Secrets = center.For("acme", "u1")
	return call
}

const on = "- {tenant: acme, service: shell, data: {enabled: \"true\"}}\n"

func TestShellRun(t *testing.T) {
	t.Setenv("HELVE_TEST_SECRET", "s3cr3t")
	said := func(stdout, stderr string, code int) func(*testing.T, tool.Result) {
		return func(t *testing.T, res tool.Result) {
			var r runResult
			if err := json.Unmarshal(res.Value, &r); err != nil || r.Stdout != stdout || r.Stderr != stderr || r.ExitCode != code || r.Truncated {
				t.Errorf("result %s, want %q, %q, %d", res.Value, stdout, stderr, code)
			}
		}
	}
	tooltest.Run(t, Set, "shell.run", world(t, on), []tooltest.Case{
		{Name: "pipe", Args: `{"command":"sort notes.txt | head -n 1; echo oops >&2; exit 4"}`, Check: said("a\n", "oops\n", 4)},
		{Name: "cwd", Args: `{"command":"ls ../notes.txt","cwd":"docs","timeout":5000}`, Check: said("../notes.txt\n", "", 0)},
		{Name: "no secrets", Args: `{"command":"env | grep -c s3cr3t"}`, Check: said("0\n", "", 1)},
		{Name: "no input", Args: `{"command":"cat; echo end"}`, Check: said("end\n", "", 0)},
		{Name: "an option is no option of sh", Args: `{"command":"-x"}`, Check: func(t *testing.T, res tool.Result) {
			if !strings.Contains(string(res.Value), `"exitCode":127`) {
				t.Errorf("result %s", res.Value)
			}
		}},
		{Name: "flood", Args: `{"command":"yes ä"}`, Check: func(t *testing.T, res tool.Result) {
			var r runResult
			if err := json.Unmarshal(res.Value, &r); err != nil || len([]rune(r.Stdout)) != maxShown || !res.Truncated ||
				res.Metadata["flooded"] != true {
				t.Errorf("%d bytes, %v, %v", len(r.Stdout), res.Metadata, err)
			}
			if len(res.Notes) != 1 || !strings.Contains(res.Notes[0], fmt.Sprintf("of %v bytes of stdout", res.Metadata["stdout_bytes"])) {
				t.Errorf("notes %q, want one on what was cut", res.Notes)
			}
		}},
		{Name: "endless", Args: `{"command":"sleep 600 & sleep 600","timeout_seconds":0.3}`, Fails: tool.Timeout, Message: "300ms"},
		{Name: "empty", Args: `{"command":" "}`, Fails: tool.ValidationError, Message: "empty"},
		{Name: "missing", Args: `{}`, Fails: tool.ValidationError, Message: "command"},
		{Name: "zero character", Args: `{"command":"a\u0000b"}`, Fails: tool.ValidationError, Message: "zero"},
		{Name: "too long", Args: `{"command":"` + strings.Repeat("a", maxCommand+1) + `"}`, Fails: tool.ValidationError, Message: "at most"},
		{Name: "no time", Args: `{"command":"true","timeout":0}`, Fails: tool.ValidationError, Message: "above 0"},
		{Name: "absolute", Args: `{"command":"true","cwd":"/etc"}`, Fails: tool.PathNotAllowed},
		{Name: "above", Args: `{"command":"true","cwd":"docs/../.."}`, Fails: tool.PathNotAllowed},
		{Name: "link out", Args: `{"command":"true","cwd":"root/etc"}`, Fails: tool.PathNotAllowed},
		{Name: "nowhere", Args: `{"command":"true","cwd":"nowhere"}`, Fails: tool.FileNotFound},
		{Name: "a file", Args: `{"command":"true","cwd":"notes.txt"}`, Fails: tool.ValidationError, Message: "directory"},
	})
}

// Nothing runs unless the operator enabled it, and no person is asked.
func TestTurnedOff(t *testing.T) {
	for configured, runs := range map[string]bool{
		"[]": false,
		on:   true,
		"- {tenant: acme, service: shell, data: {note: " +
			"x}}\n": true,
		"- {tenant: acme, service: shell, active: false, data: {enabled: " +
			"\"true\"}}\n": false,
		"- {tenant: acme, service: shell, data: {enabled: " +
			"\"false\"}}\n": false,
		"- {tenant: acme, service: shell, data: {enabled: " +
			"maybe}}\n": false,
		"- {tenant: other, service: shell, data: {enabled: " +
			"\"true\"}}\n": false,
		"- {tenant: acme, user: u2, service: shell, data: {enabled: " +
			"\"true\"}}\n": false,
		"- {tenant: acme, user: u1, service: shell, data: {enabled: " +
			"\"true\"}}\n": true,
		on + "- {tenant: acme, user: u1, service: shell, data: {enabled: " +
			"\"false\"}}\n": false,
		"- {tenant: acme, service: shell, data: {enabled: \"false\"}}\n- {tenant: acme, user: u1, service: shell, data: {enabled: " +
			"\"true\"}}\n": false,
	} {
		call := world(t, configured)
		c := tooltest.Case{Name: configured, Args: `{"command":"echo ran > ran.txt"}`, Fails: tool.NotConfigured, Message: "operator"}
		if runs {
			c.Fails, c.Message, c.Check = "", "", func(*testing.T, tool.Result) {}
		}
		tooltest.Run(t, Set, "shell.run", call, []tooltest.Case{c})
		if _, err := call.Files.Stat("ran.txt"); (err == nil) != runs {
			t.Errorf("%s: ran.txt: %v, want it there: %v", configured, err, runs)
		}
		if err := checkRun(t.Context(), &call, runArgs{Command: "true"}); (err == nil) != runs {
			t.Errorf("%s: checkRun = %v", configured, err)
		}
	}
}

// A failure of the port is an error of the tool.
func TestWithoutShell(t *testing.T) {
	call := world(t, on)
	bin := t.TempDir()
	port := programs.New(programs.Options{
		Launcher: programstest.Launcher(t),
		Dir:      func(string, string) (string, error) { return t.TempDir(), nil },
		Path:     bin,
		Readable: []string{bin},
	})
	var err error
	if call.Programs, err = port.For("acme", "u1"); err != nil {
		t.Fatal(err)
	}
	tooltest.Run(t, Set, "shell.run", call, []tooltest.Case{{Name: "no sh", Args: `{"command":"true"}`, Fails: tool.NotConfigured}})
	if err := os.WriteFile(filepath.Join(bin, "sh"), []byte("\x7fELF is not one"), 0o700); err != nil {
		t.Fatal(err)
	}
	tooltest.Run(t, Set, "shell.run", call, []tooltest.Case{{Name: "broken sh", Args: `{"command":"true"}`, Fails: tool.ExecutionError}})
}
