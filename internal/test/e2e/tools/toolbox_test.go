package tools

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestToolbox calls one tool for each kind of port through a complete system: unlike a
// category's own tests it shows that a worker provides the ports.
func TestToolbox(t *testing.T) {
	t.Parallel()
	d, tenant := shared.HTTP(0), system.NewTenant()
	home := filepath.Join(shared.Config.Data, "workspaces", tenant, "u1")
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
		{"", "create_pdf", `{"content":"# Title","outputPath":"out.pdf"}`, `out.pdf`},
		{"", "list_coding_agents", `{}`, `claude-code`},
		{"", "list_task_results", `{}`, `"total":0`},
		{"", "list_cli_tools", `{}`, `"git"`},
		{"", "list_tool_groups", `{"enabled_only":true}`, `"filesystem"`},
		{"", "get_tool_help", `{"tool_name":"git_log"}`, `"limit"`},
		{"git", "git_status", `{}`, "execution_error"}, // no repository, which git itself reports
		{"ffprobe", "audio_info", `{"path":"notes.txt"}`, "validation_error"},
	} {
		if _, err := exec.LookPath(tt.program); tt.program != "" && err != nil {
			t.Logf("NOT TESTED: %s, because %s is not installed", tt.tool, tt.program)
			continue
		}
		e := system.Execute(t, d, tenant,
			fmt.Sprintf(`{"context": {"user": "u1"}, "calls": [{"tool": %q, "arguments": %s}]}`, tt.tool, tt.args)).Results[0]
		if !strings.Contains(string(e.Result), tt.want) && e.ErrorType != tt.want {
			t.Errorf("%s(%s) = %s %s %s, want %s", tt.tool, tt.args, e.Result, e.ErrorType, e.Message, tt.want)
		}
	}
}

// TestHighRiskTools: a tool that runs code needs consent, but not for a call that cannot
// work.
func TestHighRiskTools(t *testing.T) {
	t.Parallel()
	d := shared.HTTP(0)
	for tool, args := range map[string]string{
		"execute_python": `{"code": "print(1)"}`, "shell.run": `{"command": "true"}`, "run_coding_task": `{"provider": "codex", "prompt": "x"}`,
	} {
		e := system.Execute(t, d, system.NewTenant(), fmt.Sprintf(`{"calls": [{"tool": %q, "arguments": %s}]}`, tool, args)).Results[0]
		if e.ErrorType != "not_configured" { // no consent is requested if the tool is missing or not configured
			t.Errorf("%s without a person = %s %s %s", tool, e.Status, e.ErrorType, e.Message)
		}
	}
}
