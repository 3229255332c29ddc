//go:build linux

package autoexec

import (
	"testing"

	"github.com/helve-dev/helve/internal/ports/programs"
	"github.com/helve-dev/helve/tool"
)

// There is no TestMain here: what makes this binary a launcher is the import.
func TestALauncherWithoutMain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := programs.New(programs.Options{Dir: func(string, string) (string, error) { return dir, nil }, Path: "/usr/bin:/bin"})
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
