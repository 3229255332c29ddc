package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestReplacedFileComesBack: a file replaced through one worker can be restored through any
// worker.
func TestReplacedFileComesBack(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Workers: 2})
	d, tenant := s.HTTP(0), system.NewTenant()
	call := func(tool, arguments string) system.Element {
		t.Helper()
		e := system.One(t, d, tenant, fmt.Sprintf(`{"tool": %q, "arguments": %s}`, tool, arguments))
		if e.Status != "success" {
			t.Fatalf("%s: %v", tool, e)
		}
		return e
	}
	for i := range 4 {
		call("write_file", fmt.Sprintf(`{"path": "plan.md", "text": "plan %d"}`, i)) // by its other name
	}
	var info struct {
		Versions []struct{ Version string }
	}
	if err := json.Unmarshal(call("file_info", `{"path": "plan.md"}`).Result, &info); err != nil || len(info.Versions) != 3 {
		t.Fatalf("versions %+v, %v, want three", info.Versions, err)
	}
	call("restore_file", `{"path": "plan.md", "version": "`+info.Versions[2].Version+`"}`)
	if e := call("read_file", `{"path": "plan.md"}`); e.Text != "plan 0" {
		t.Errorf("read %q, want the first plan", e.Text)
	}
	call("restore_file", `{"path": "plan.md"}`)
	if e := call("read_file", `{"path": "plan.md"}`); e.Text != "plan 3" {
		t.Errorf("read %q, want what the restored version replaced", e.Text)
	}
	system.WantError(t, system.One(t, d, tenant, `{"tool": "list_directory", "arguments": {"path": "../_.versions"}}`), "path_not_allowed", "")
}

// TestWorkspaceIsBounded: the error for a full workspace names what to delete, and other
// workspaces are not affected.
func TestWorkspaceIsBounded(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.Workspace.MaxBytes = 64 << 10 }})
	d, tenant := s.HTTP(0), system.NewTenant()
	write := func(name string, size int) system.Element {
		return system.One(t, d, tenant,
			fmt.Sprintf(`{"tool": "write_file", "arguments": {"path": %q, "content": %q}}`, name, strings.Repeat("x", size)))
	}
	if e := write("big.txt", 60<<10); e.Status != "success" {
		t.Fatalf("a write that fits: %v", e)
	}
	system.WantError(t, write("more.txt", 10<<10), "execution_error", `The workspace is full: it holds 60 KiB of 64 KiB`)
	system.WantError(t, write("more.txt", 10<<10), "execution_error", `"big.txt" (60 KiB)`)
	tenant = system.NewTenant()
	if e := write("more.txt", 10<<10); e.Status != "success" {
		t.Errorf("a write of another tenant: %v", e)
	}
}
