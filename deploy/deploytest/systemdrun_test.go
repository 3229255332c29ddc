package deploytest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// section returns the first fenced block after a heading of a page.
func section(t *testing.T, page, heading string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), "\n"+heading+"\n")
	_, after, fenced := strings.Cut(after, "\n```\n")
	block, _, closed := strings.Cut(after, "\n```\n")
	if !found || !fenced || !closed {
		t.Fatalf("%s has no block after %q", page, heading)
	}
	return block
}

// TestSystemdRecipe follows docs/deploy.md: its commands set up one machine, the programs start
// as the users of the units, and a call is answered.
func TestSystemdRecipe(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Log("NOT RUN: it makes users and namespaces, which needs root; .ci/run runs it")
		t.Skip("without root")
	}
	dir := t.TempDir()
	for _, open := range []string{dir, filepath.Dir(dir)} { // programs start as other users
		if err := os.Chmod(open, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	programs := filepath.Join(dir, "programs") + "/"
	for _, build := range [][]string{
		{"build", "-C", root, "-ldflags=-s -w", "-o", programs, "./cmd/dispatcher", "./cmd/worker", "./cmd/helve"},
		{"build", "-C", filepath.Join(root, "deploy"), "-ldflags=-s -w", "-o", programs, "github.com/nats-io/nats-server/v2"},
	} {
		if out, err := exec.Command("go", build...).CombinedOutput(); err != nil {
			t.Fatalf("go %v: %v: %s", build, err, out)
		}
	}
	scripts, err := filepath.Abs("testdata/systemd")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(scripts, "systemctl"), programs+"systemctl"); err != nil {
		text, err := os.ReadFile(filepath.Join(scripts, "systemctl"))
		if err == nil {
			err = os.WriteFile(programs+"systemctl", text, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	follow := exec.CommandContext(t.Context(), "timeout", "--kill-after=5", "90", "unshare", "--mount", "--net", "--pid", "--fork",
		"--kill-child", "--mount-proc",
		filepath.Join(scripts, "follow.sh"), dir, section(t, "../../docs/deploy.md", "## One machine: systemd"))
	follow.Dir = root
	if out, err := follow.CombinedOutput(); err != nil || !strings.HasSuffix(string(out), "followed\n") {
		t.Errorf("%v: %s", err, out)
	}
}
