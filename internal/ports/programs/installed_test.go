//go:build linux

package programs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/programs"
	"github.com/helve-dev/helve/tool"
)

// TestInstall: a run with Install writes a program beside the workspace, which is found and
// run afterwards, and which no other run can change.
func TestInstall(t *testing.T) {
	installs := filepath.Join(t.TempDir(), "u.programs")
	port, dir := open(t, programs.Options{Installed: func(string, string) (string, error) { return installs, nil }})
	if _, err := port.Find("greet"); err == nil {
		t.Fatal("greet is there already")
	}
	sh := func(p tool.Program, script string) string {
		t.Helper()
		p.Name, p.Args = "sh", []string{"-c", script}
		ran, err := port.Run(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return string(ran.Stdout) + string(ran.Stderr)
	}
	if said := sh(tool.Program{Install: "greet"},
		`mkdir -p bin && printf '#!/bin/sh\necho hello' >bin/greet && chmod +x bin/greet; ls `+dir); !strings.Contains(said, "No such file") &&
		!strings.Contains(said, "denied") {
		t.Errorf("the installation sees the workspace: %q", said)
	}
	file, err := port.Find("greet")
	if err != nil || !strings.HasPrefix(file, installs) {
		t.Fatalf("Find = %q, %v", file, err)
	}
	for _, p := range []tool.Program{{}, {Apart: true}, {Install: "other"}} {
		sh(p, "echo 'echo evil' >>"+file+"; rm -f "+file+"; mv "+installs+" /tmp/x")
	}
	if err := os.WriteFile(filepath.Join(dir, "greet"), []byte("#!/bin/sh\necho evil"), 0o700); err != nil {
		t.Fatal(err)
	}
	if ran, err := port.Run(t.Context(), tool.Program{Name: "greet"}); err != nil || string(ran.Stdout) != "hello\n" {
		t.Errorf("greet = %q, %v", ran.Stdout, err)
	}
	// A link out of the installation is no program of it.
	sh(tool.Program{Install: "sly"}, "mkdir -p bin && ln -s /bin/true bin/sly")
	if file, err := port.Find("sly"); err == nil {
		t.Errorf("a link leads to %s", file)
	}
	for _, name := range []string{"..", ".", "a/b", "../u"} {
		if _, err := port.Run(t.Context(), tool.Program{Name: "sh", Args: []string{"-c", ":"}, Install: name}); err == nil {
			t.Errorf("installs %q", name)
		}
	}
}

// TestApart: a run apart sees no workspace.
func TestApart(t *testing.T) {
	port, dir := open(t, programs.Options{})
	if err := os.WriteFile(filepath.Join(dir, "settings"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	ran, err := port.Run(t.Context(), tool.Program{Name: "sh", Args: []string{"-c", "ls -A; cat " + dir + "/settings"}, Apart: true})
	if err != nil || len(ran.Stdout) != 0 || ran.Code == 0 {
		t.Errorf("it sees %q, %v", ran.Stdout, err)
	}
}

// TestNothingRunsFromTheWorkspace: a PATH that leads into workspaces finds nothing there,
// confined or not.
func TestNothingRunsFromTheWorkspace(t *testing.T) {
	for _, unconfined := range []bool{false, true} {
		data := t.TempDir()
		other := filepath.Join(data, "t", "v", "bin")
		link := filepath.Join(t.TempDir(), "bin")
		for _, dir := range []string{filepath.Join(data, "t", "u"), other} {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "evil"), []byte("#!/bin/sh\n"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink(other, link); err != nil {
			t.Fatal(err)
		}
		o := options(t, programs.Options{Unconfined: unconfined, Writable: data, Readable: []string{link, other}}, data)
		o.Path = strings.Join([]string{".", filepath.Join(data, "t", "u"), other, link, "/usr/bin", "/bin"}, ":")
		port, err := programs.New(o).For("t", "u")
		if err != nil {
			t.Fatal(err)
		}
		if file, err := port.Find("evil"); err == nil {
			t.Errorf("unconfined %v: found %s", unconfined, file)
		}
	}
}
