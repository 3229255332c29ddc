package workspace

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/helve-dev/helve/tool"
)

// filler writes a file past the workspace's ports, and then runs until it is ended.
type filler struct {
	tool.Programs
	tool.Containers

	file string
	size int
	runs int
}

func (f *filler) fill(ctx context.Context, wait bool) error {
	f.runs++
	if err := os.WriteFile(f.file, make([]byte, f.size), 0o600); err != nil || !wait {
		return err
	}
	<-ctx.Done()
	return tool.AsError(context.Cause(ctx))
}

// programOf and containerOf run the filler as a program and in a container.
type (
	programOf   struct{ *filler }
	containerOf struct{ *filler }
)

func (p programOf) Run(ctx context.Context, what tool.Program) (tool.Ran, error) {
	return tool.Ran{}, p.fill(ctx, what.Name == "endless")
}

func (p programOf) Find(string) (string, error) { return "", nil }

func (c containerOf) Run(ctx context.Context, what tool.Container) (tool.Contained, error) {
	return tool.Contained{}, c.fill(ctx, what.Image == "endless")
}

func (c containerOf) Ready(context.Context) error { return nil }

func TestProgramsKeepToTheLimits(t *testing.T) {
	w, files, dir := bounded(t, Limits{MaxBytes: 1000})
	f := &filler{file: filepath.Join(dir, "big"), size: 2000}
	p := w.Programs(programOf{f}, "acme", "u1")
	c := w.Containers(containerOf{f}, "acme", "u1")
	run := func(name string, readOnly bool) error {
		_, err := p.Run(t.Context(), tool.Program{Name: name, ReadOnly: readOnly})
		return err
	}
	contain := func(mounted, readOnly bool) error {
		_, err := c.Run(t.Context(), tool.Container{Workspace: mounted, ReadOnly: readOnly})
		return err
	}
	if err := run("quick", false); err != nil {
		t.Fatalf("the run that fills the workspace: %v", err)
	}
	wantKind(t, "the next run", run("quick", false), tool.ExecutionError)
	wantKind(t, "a container with the workspace", contain(true, false), tool.ExecutionError)
	if f.runs != 1 {
		t.Errorf("%d runs, want one alone", f.runs)
	}
	for what, err := range map[string]error{
		"a run that reads": run("quick", true), "a container that reads": contain(true, true),
		"a container without the workspace": contain(false, false),
	} {
		if err != nil {
			t.Errorf("%s in a full workspace: %v", what, err)
		}
	}
	if _, err := files.RemoveAll(t.Context(), "big"); err != nil {
		t.Fatal(err)
	}
	f.size = 10
	if err := contain(true, false); err != nil {
		t.Errorf("a container after there was room: %v", err)
	}
}

// A program that does not end by itself is ended when the workspace is full.
func TestEndlessProgramIsEnded(t *testing.T) {
	w, _, dir := bounded(t, Limits{MaxBytes: 1000})
	synctest.Test(t, func(t *testing.T) {
		f := &filler{file: filepath.Join(dir, "big"), size: 2000}
		_, err := w.Programs(programOf{f}, "acme", "u1").Run(t.Context(), tool.Program{Name: "endless"})
		wantKind(t, "the program", err, tool.ExecutionError)
	})
}
