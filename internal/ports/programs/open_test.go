//go:build linux

package programs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/programs"
	"github.com/helve-dev/helve/internal/ports/programs/programstest"
	"github.com/helve-dev/helve/tool"
)

// open returns the programs of a fresh workspace, and where it lies. The test binary
// is among the programs, as [hostile].
func open(t testing.TB, o programs.Options, within ...tool.Scopes) (tool.Programs, string) {
	t.Helper()
	return openIn(t, "", o, within...)
}

// openIn is open in a certain set of namespaces.
func openIn(t testing.TB, space string, o programs.Options, within ...tool.Scopes) (tool.Programs, string) {
	t.Helper()
	data := t.TempDir()
	o = options(t, o, data)
	p := programs.New(o)
	if space != "" {
		p.In(space)
	}
	port, err := p.For("t", "u", within...)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(data, "t", "u")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return port, dir
}

func options(t testing.TB, o programs.Options, data string) programs.Options {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o.Dir = func(tenant, user string) (string, error) { return filepath.Join(data, tenant, user), nil }
	o.Readable = append(o.Readable, self)
	o.Path = "/usr/local/bin:/usr/bin:/bin:" + filepath.Dir(self)
	if o.Launcher == nil {
		o.Launcher = programstest.Launcher(t)
	}
	return o
}

// hostile is the name of the program that attempts what it must not.
func hostile(t testing.TB) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Base(self)
}

func sh(script string) tool.Program {
	return tool.Program{Name: "sh", Args: []string{"-c", script}}
}

// run runs a program that must run, and returns what it said.
func run(t testing.TB, port tool.Programs, p tool.Program) tool.Ran {
	t.Helper()
	ran, err := port.Run(t.Context(), p)
	if err != nil {
		t.Fatalf("%s %q: %v", p.Name, p.Args, err)
	}
	return ran
}

// says runs a script and returns its output.
func says(t testing.TB, port tool.Programs, script string) string {
	t.Helper()
	ran := run(t, port, sh(script))
	return strings.TrimSpace(string(ran.Stdout) + string(ran.Stderr))
}

func put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func wantKind(t testing.TB, err error, kind tool.Kind, text string) {
	t.Helper()
	e := tool.AsError(err)
	if e == nil || e.Kind != kind || !strings.Contains(e.Msg, text) {
		t.Errorf("error %v, want %s with %q", err, kind, text)
	}
	if e != nil && strings.Contains(e.Msg, os.TempDir()) {
		t.Errorf("message %q shows a path of the host", e.Msg)
	}
}

// everySpace runs a test in each set of namespaces that this host has.
func everySpace(t *testing.T, test func(t *testing.T, space string)) {
	t.Helper()
	names := programs.Spaces(t, options(t, programs.Options{}, t.TempDir()))
	if len(names) == 0 {
		t.Skip("NOTHING IS CONFINED HERE: this kernel lacks Landlock or seccomp; see the log above")
	}
	for _, name := range names {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) { test(t, name) })
	}
}
