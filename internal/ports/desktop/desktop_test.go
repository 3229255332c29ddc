package desktop

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// of returns the desktop of a session with those variables, for a call within the
// scopes.
func of(t *testing.T, o Options, within ...tool.Scopes) tool.Desktop {
	t.Helper()
	d, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	desk, err := d.For("acme", "u1", within...)
	if err != nil {
		t.Fatal(err)
	}
	return desk
}

func wantKind(t *testing.T, err error, kind tool.Kind, message string) {
	t.Helper()
	failure := tool.AsError(err)
	if failure == nil || failure.Kind != kind || !strings.Contains(failure.Msg, message) {
		t.Errorf("error %v, want %s with %q", err, kind, message)
	}
}

// need returns where a program is, or skips the test.
func need(t *testing.T, program, packages string) string {
	t.Helper()
	file, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("SKIPPED: %s is missing; install %s", program, packages)
	}
	return file
}

// only returns a directory that holds nothing but links to those programs.
func only(t *testing.T, programs ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, file := range programs {
		if err := os.Symlink(file, filepath.Join(dir, filepath.Base(file))); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// written puts an executable script into a directory.
func written(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestHeadless(t *testing.T) {
	desk := of(t, Options{Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=/", "DISPLAY="}, Apps: map[string][]string{"editor": {"true"}}})
	ctx := t.Context()
	_, err := desk.ReadClipboard(ctx)
	wantKind(t, err, tool.NotConfigured, "no desktop here")
	wantKind(t, desk.WriteClipboard(ctx, "x"), tool.NotConfigured, "no desktop here")
	wantKind(t, desk.Notify(ctx, tool.Notification{Title: "x"}), tool.NotConfigured, "no desktop session")
	wantKind(t, desk.Open(ctx, "editor", nil), tool.NotConfigured, "no desktop here")
	wantKind(t, desk.OpenURL(ctx, "https://example.com"), tool.NotConfigured, "no desktop here")
}

func TestProgramsMissing(t *testing.T) {
	desk := of(t, Options{
		Env:  []string{"PATH=" + t.TempDir() + ":.:relative", "DISPLAY=:99"},
		Apps: map[string][]string{"editor": nil, "other": {"sub/dir"}, "path": {"/no/such/program"}},
	})
	ctx := t.Context()
	_, err := desk.ReadClipboard(ctx)
	wantKind(t, err, tool.NotConfigured, "install xclip")
	wantKind(t, desk.WriteClipboard(ctx, "x"), tool.NotConfigured, "install xclip")
	wantKind(t, desk.OpenURL(ctx, "https://example.com"), tool.NotConfigured, "install xdg-utils")
	for _, app := range []string{"editor", "other", "path"} {
		wantKind(t, desk.Open(ctx, app, nil), tool.NotConfigured, "is not installed")
	}
}

func TestSomebodyElse(t *testing.T) {
	d, err := New(Options{Tenant: "acme", User: "u1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, who := range [][2]string{{"acme", "u2"}, {"beta", "u1"}, {"acme", ""}} {
		_, err := d.For(who[0], who[1])
		wantKind(t, err, tool.PermissionDenied, "belongs to somebody else")
	}
	if _, err := d.For("acme", "u1"); err != nil {
		t.Errorf("the owner: %v", err)
	}
}

func TestOptions(t *testing.T) {
	for _, apps := range []map[string][]string{{"": {"x"}}, {" ": {"x"}}, {"a": {""}}, {"a\nb": {"x"}}, {"a": {"x\x00"}}} {
		if _, err := New(Options{Apps: apps}); err == nil {
			t.Errorf("New with the applications %q succeeded", apps)
		}
	}
}

// Programs get the session and no secret of the worker's.
func TestEnvironment(t *testing.T) {
	d, err := New(Options{
		Env: []string{
			"HOME=/home/u", "DISPLAY=:1", "LC_ALL=C", "XDG_RUNTIME_DIR=/run/user/1", "HELVE_NATS_URL=nats://u:secret@h", "AWS_SECRET_ACCESS_KEY=x",
			"LD_PRELOAD=/x", "BROWSER=",
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := d.command("x").Env, []string{
		"HOME=/home/u", "DISPLAY=:1", "LC_ALL=C", "XDG_RUNTIME_DIR=/run/user/1",
	}; !slices.Equal(got, want) {
		t.Errorf("environment %q, want %q", got, want)
	}
}

// On macOS the system's own programs are used.
func TestMacOS(t *testing.T) {
	said := filepath.Join(t.TempDir(), "said")
	note := `echo "$(basename "$0") $*" >>` + said + `; if [ "$(basename "$0")" = pbpaste ]; then echo pasted; fi`
	file := written(t, "note", note)
	dir := t.TempDir()
	for _, name := range []string{"open", "osascript", "pbcopy", "pbpaste"} {
		if err := os.Symlink(file, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	d, err := newOn("darwin", Options{Env: []string{"PATH=" + dir + ":" + os.Getenv("PATH")}, Apps: map[string][]string{"Notes": nil}})
	if err != nil {
		t.Fatal(err)
	}
	desk, _ := d.For("acme", "u1")
	text, err := desk.ReadClipboard(t.Context())
	if err != nil || text != "pasted\n" {
		t.Errorf("clipboard %q, %v", text, err)
	}
	for _, do := range []func(context.Context) error{
		func(ctx context.Context) error { return desk.WriteClipboard(ctx, "x") },
		func(ctx context.Context) error { return desk.Notify(ctx, tool.Notification{Title: "T", Body: `"B"`}) },
		func(ctx context.Context) error { return desk.Open(ctx, "Notes", []string{"a b"}) },
		func(ctx context.Context) error { return desk.OpenURL(ctx, "https://example.com/x") },
	} {
		if err := do(t.Context()); err != nil {
			t.Error(err)
		}
	}
	got, err := os.ReadFile(said)
	want := "pbpaste \npbcopy \nosascript -e " + script + " -- T \"B\"\nopen -a Notes --args a b\nopen https://example.com/x\n"
	if err != nil || string(got) != want {
		t.Errorf("ran %q, %v, want %q", got, err, want)
	}
}
