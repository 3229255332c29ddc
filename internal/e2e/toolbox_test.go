package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestToolbox takes one tool of each kind of port through a whole system: what a
// category's own tests cannot see is whether a worker hands it what it needs.
func TestToolbox(t *testing.T) {
	t.Parallel()
	d, tenant := shared.http(0), newTenant()
	home := filepath.Join(shared.cfg.Data, "workspaces", tenant, "u1")
	if err := os.MkdirAll(filepath.Join(home, "docs"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"notes.txt": "one two\nthree\n", "docs/a.csv": "name,n\nx,1\n"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		program, tool, args string
		want                string // in the result, or the kind of the error
	}{
		{"", "calculate", `{"expression":"15% of 80"}`, `"result":12`},
		{"", "search_files", `{"query":"three","path":"."}`, `notes.txt`},
		{"", "parse_csv", `{"csv":"a,b\n1,2\n"}`, `"rowCount":1`},
		{"", "create_pdf", `{"content":"# Title","path":"out.pdf","outputPath":"out.pdf"}`, `out.pdf`},
		{"", "list_coding_agents", `{}`, `claude-code`},
		{"", "list_task_results", `{}`, `"total":0`},
		{"", "list_cli_tools", `{}`, `"git"`},
		{"", "list_tool_groups", `{"enabled_only":true}`, `"filesystem"`},
		{"", "get_tool_help", `{"tool_name":"git_log"}`, `"limit"`},
		{"git", "git_status", `{}`, "execution_error"}, // no repository, which git itself says
		{"ffprobe", "audio_info", `{"path":"notes.txt"}`, "validation_error"},
	} {
		if _, err := exec.LookPath(tt.program); tt.program != "" && err != nil {
			t.Logf("NOT TESTED: %s, because %s is not installed", tt.tool, tt.program)
			continue
		}
		e := execute(t, d, tenant, fmt.Sprintf(`{"context": {"user": "u1"}, "calls": [{"tool": %q, "arguments": %s}]}`, tt.tool, tt.args)).Results[0]
		if !strings.Contains(string(e.Result), tt.want) && e.ErrorType != tt.want {
			t.Errorf("%s(%s) = %s %s %s, want %s", tt.tool, tt.args, e.Result, e.ErrorType, e.Message, tt.want)
		}
	}
}

// TestHighRiskTools: what runs code asks a person, but not about what cannot work.
func TestHighRiskTools(t *testing.T) {
	t.Parallel()
	d := shared.http(0)
	for tool, args := range map[string]string{
		"execute_python": `{"code": "print(1)"}`, "shell.run": `{"command": "true"}`, "run_coding_task": `{"provider": "codex", "prompt": "x"}`,
		"run_cli_tool": `{"name": "wc", "args": ["-l"]}`,
	} {
		e := execute(t, d, newTenant(), fmt.Sprintf(`{"calls": [{"tool": %q, "arguments": %s}]}`, tool, args)).Results[0]
		want := "confirmation_required"
		if tool != "run_cli_tool" {
			want = "not_configured" // nobody is asked about what is not there, or not set up
		}
		if e.ErrorType != want {
			t.Errorf("%s without a person = %s %s %s", tool, e.Status, e.ErrorType, e.Message)
		}
	}
}
