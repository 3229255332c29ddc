package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/tool"
)

const node = "../remote-node"

// installed is the example in a directory where its dependencies lie too.
func installed(t *testing.T) (dir string) {
	t.Helper()
	testtime.Slow(t, "it installs packages of npm")
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatal(err)
			}
			t.Skipf("THE NODE EXAMPLE IS NOT TESTED: %v", err)
		}
	}
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(node)); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 2*patience)
	defer stop()
	cmd := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	return dir
}

// TestNode: its tools are called as any other, tell of their progress, and are cancelled.
func TestNode(t *testing.T) {
	dir := installed(t)
	url, c := helve(t)
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "node", filepath.Join(dir, "worker.mjs"))
	cmd.Env = append(os.Environ(), "NATS_URL="+url)
	child(t, cmd)
	wantCall(t, c, "roman_numeral", `{"number": 2026}`, `"MMXXVI"`)
	wantCall(t, c, "countdown", `{"from": 3}`, `"lift-off"`)
	if _, err := c.Call(t.Context(), "roman_numeral", json.RawMessage(`{"number": 4000}`)); kindOf(err) != tool.ValidationError {
		t.Errorf("a number it cannot write = %v, want a validation_error", err)
	}
	def, err := c.Tool(t.Context(), "countdown")
	if err != nil || def.Kind != tool.KindRemote {
		t.Errorf("its definition is %+v, %v, want kind remote", def, err)
	}
	_, err = c.Call(t.Context(), "countdown", json.RawMessage(`{"from": 1000}`), client.CallID("c1"), client.Wait(1))
	if !errors.Is(err, client.ErrPending) {
		t.Errorf("a call that takes long = %v, want it pending", err)
	}
	if r, err := c.Cancel(t.Context(), "c1"); err != nil || kindOf(r.Err()) != tool.Cancelled {
		t.Errorf("cancelled, it ended as %+v, %v", r, err)
	}
}

func kindOf(err error) tool.Kind {
	if e, ok := errors.AsType[*tool.Error](err); ok {
		return e.Kind
	}
	return ""
}
