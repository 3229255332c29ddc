package clitools

import (
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

// world is a workspace on disk with the programs of the machine and of the test, and
// the configuration of an operator.
type world struct {
	t    *testing.T
	dir  string // the workspace
	bin  string // programs of the test
	call tool.Call
}

// newWorld reads the services in the operator's format.
func newWorld(t *testing.T, configured string) *world {
	t.Helper()
	data := t.TempDir()
	w := &world{t: t, dir: filepath.Join(data, "workspaces", "acme", "u1"), bin: t.TempDir()}
	if err := os.MkdirAll(w.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	spaces, err := workspace.New(data)
	if err != nil {
		t.Fatal(err)
	}
	if w.call.Files, err = spaces.For("acme", "u1"); err != nil {
		t.Fatal(err)
	}
	port := programs.New(programs.Options{
		Launcher:  programstest.Launcher(t),
		Installed: spaces.Installed, Writable: spaces.Root(),
		Dir:  func(tenant, user string) (string, error) { return filepath.Join(data, "workspaces", tenant, user), nil },
		Path: w.bin + ":/usr/local/bin:/usr/bin:/bin", Readable: []string{w.bin},
	})
	if w.call.Programs, err = port.For("acme", "u1"); err != nil {
		t.Fatal(err)
	}
	w.call.Tenant, w.call.User = "acme", "u1"
	w.call.Secrets = secrets(t, configured)
	return w
}

// secrets returns the real config center for the operator's file.
func secrets(t *testing.T, configured string) tool.Secrets {
	t.Helper()
	if configured == "" {
		configured = "[]"
	}
	file := filepath.Join(t.TempDir(), "services.yaml")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(configured, "\t", "")), 0o600); err != nil {
		t.Fatal(err)
	}
	center, err := services.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	return center.For("acme", "u1")
}

// script creates a program on the PATH.
func (w *world) script(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.bin, name), []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) file(name, text string) {
	w.t.Helper()
	if err := w.call.Files.MkdirAll(filepath.Dir(name)); err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.call.Files.Write(name, strings.NewReader(text)); err != nil {
		w.t.Fatal(err)
	}
}

// acme is the beginning of an entry of the test's tenant.
const acme = "- tenant: acme\n  service: cli_tools\n"
