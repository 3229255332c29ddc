package main

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestGo: the program serves its tool to clients of Helve.
func TestGo(t *testing.T) {
	url, c := helve(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program, "--nats", url, "--pools", "examples", "--data", t.TempDir(),
		"--http", "127.0.0.1:0")
	// A worker refuses a setting of Helve's that it does not know.
	ours := func(setting string) bool { return strings.HasPrefix(setting, "HELVE_") }
	cmd.Env = append(slices.DeleteFunc(os.Environ(), ours), asWorker+"=1")
	child(t, cmd)
	wantCall(t, c, "count_letters", `{"text": "noon"}`, `{"letters":{"n":2,"o":2}}`)
}
