//go:build linux

package main

import (
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/helve-dev/helve/internal/ports/programs"
	"github.com/helve-dev/helve/internal/ports/programs/launch"
	"github.com/helve-dev/helve/internal/test/childtest"
	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/internal/toolbox/sandbox"
	"github.com/helve-dev/helve/internal/toolbox/sandbox/child"
	"github.com/helve-dev/helve/tool"
)

var build = childtest.Program("cmd/helve-child")

func built(t *testing.T) string {
	t.Helper()
	testtime.Slow(t, "it builds a program")
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestChildOfTheCage(t *testing.T) {
	t.Parallel()
	p, err := sandbox.New(sandbox.Options{Program: []string{built(t), child.Argument}, Slots: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	got, err := p.Run(t.Context(), sandbox.Job{Tenant: "t", Code: "return args.a + 1", Args: json.RawMessage(`{"a":1}`)})
	if err != nil || string(got) != "2" {
		t.Errorf("Run = %s, %v; want 2", got, err)
	}
}

func TestLauncher(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := programs.New(programs.Options{
		Dir: func(string, string) (string, error) { return dir, nil }, Path: "/usr/bin:/bin", Launcher: []string{built(t), launch.Argument},
	})
	if parts := p.Probe(t.Context()); !parts[1].OK {
		t.Skip("NOT TESTED: ", parts[1].Detail)
	}
	port, err := p.For("t", "u")
	if err != nil {
		t.Fatal(err)
	}
	ran, err := port.Run(t.Context(), tool.Program{Name: "echo", Args: []string{"ran"}})
	if err != nil || string(ran.Stdout) != "ran\n" {
		t.Errorf("Run = %+v, %v", ran, err)
	}
}

func TestAlone(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), built(t))
	if err := cmd.Run(); err == nil || cmd.ProcessState.ExitCode() != 2 {
		t.Errorf("alone it ended with %v, want code 2", err)
	}
}
