package desktop

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/helve-dev/helve/internal/ports/desktop"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDefinitions(t *testing.T) { tooltest.Golden(t, Set) }

// desk is a desktop on which every program is a script of the test.
type desk struct {
	t   *testing.T
	bin string
	env []string
}

func newDesk(t *testing.T, programs map[string]string) *desk {
	t.Helper()
	d := &desk{t: t, bin: t.TempDir()}
	for name, script := range programs {
		if err := os.WriteFile(filepath.Join(d.bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	d.env = []string{"DISPLAY=:7", "HOME=" + d.bin, "PATH=" + d.bin + ":/usr/bin:/bin"}
	return d
}

// call returns a call whose desktop is the real port on d, or no desktop if d is nil.
func (d *desk) call(t *testing.T, apps map[string][]string, within ...tool.Scopes) tool.Call {
	t.Helper()
	o := desktop.Options{Env: []string{"PATH=/usr/bin:/bin"}, Apps: apps}
	if d != nil {
		o.Env = d.env
	}
	port, err := desktop.New(o)
	if err != nil {
		t.Fatal(err)
	}
	desk, err := port.For("acme", "u1", within...)
	if err != nil {
		t.Fatal(err)
	}
	return tool.Call{Desktop: desk}
}

// said returns the output that programs wrote into a file beside them.
func (d *desk) said(name string) string {
	d.t.Helper()
	text, err := os.ReadFile(filepath.Join(d.bin, name))
	if err != nil {
		d.t.Error(err)
	}
	return string(text)
}
