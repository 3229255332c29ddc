package archtest

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// fetches matches a command, or a line of a file, that takes Helve from a registry.
var fetches = regexp.MustCompile(`go (get|install) github\.com/helve-dev|go mod edit -require github\.com/helve-dev|npm (install|i|add) @helve|npx @helve|from "@helve/client"|` +
	`(pip|uv pip) install helve|uv add helve|docker (pull|run)[^\n]* helve/|FROM helve/|ghcr\.io/helve`)

const (
	unpublished = "not published yet"
	// fromClone is the command that takes the module from a clone.
	fromClone = "go mod edit -require github.com/helve-dev/helve@v0.0.0 -replace github.com/helve-dev/helve=$HOME/helve && go mod tidy"
)

// TestUnpublished: nothing of Helve is in a registry. A page that takes the module, an image or a
// package from one says so, and the pages that newcomers read first have what works instead.
func TestUnpublished(t *testing.T) {
	t.Parallel()
	must := map[string]string{
		"README.md": fromClone, "CONTRIBUTING.md": fromClone, "docs/remote-workers.md": fromClone, "docs/deploy.md": "make images",
		"docs/clients.md": "npm pack", "clients/typescript/README.md": "npm pack",
		"clients/python/README.md": "pip install --no-index ./clients/python",
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git" || d.Name() == "dist"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".md" || d.Name() == "CHANGELOG.md":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		page, _ := filepath.Rel(root, path)
		if found := fetches.Find(text); found != nil && !strings.Contains(string(text), unpublished) {
			t.Errorf("%s has %q and does not say that it is %s", page, found, unpublished)
		}
		if command, first := must[page]; first && (!strings.Contains(string(text), unpublished) || !strings.Contains(string(text), command)) {
			t.Errorf("%s must say %q, and how it works from a clone: %s", page, unpublished, command)
		}
		delete(must, page)
		return nil
	})
	if err != nil || len(must) > 0 {
		t.Errorf("not found: %v, %v", must, err)
	}
}

// TestOwnWorkerOfREADME runs the commands of README.md that make a module with a worker of its own,
// but for `go mod tidy`, which needs a network: the module then is the one of this checkout. The
// program on the page is the example that CI builds.
func TestOwnWorkerOfREADME(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(filepath.Join(root, "examples/own-worker/main.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, shown, _ := strings.Cut(string(program), "package main\n")
	if !strings.Contains(string(page), "```go\npackage main\n"+shown+"```") {
		t.Error("README.md does not show examples/own-worker/main.go")
	}
	dir, home := t.TempDir(), t.TempDir()
	clone, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(clone, filepath.Join(home, "helve")); err != nil {
		t.Fatal(err)
	}
	run := func(command string) []byte {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "HELVE_CLONE_HOME="+home)
		said, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v, %s", command, err, said)
		}
		return said
	}
	for _, command := range regexp.MustCompile(`(?m)^\$ (go mod .*)$`).FindAllStringSubmatch(string(page), -1) {
		edit, _, _ := strings.Cut(command[1], " && go mod tidy")
		run(strings.ReplaceAll(edit, "$HOME", "$HELVE_CLONE_HOME"))
	}
	var module struct{ Replace struct{ Dir string } }
	if err := json.Unmarshal(run("go list -m -json github.com/helve-dev/helve"), &module); err != nil || module.Replace.Dir == "" {
		t.Fatalf("the module is not taken from the clone: %+v, %v", module, err)
	}
	if is, err := filepath.EvalSymlinks(module.Replace.Dir); err != nil || is != clone {
		t.Errorf("the module is that of %s, %v", is, err)
	}
}
