package workspace

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// open returns the workspace of u1 in acme and its directory on the host.
func open(t *testing.T) (tool.Files, string) {
	t.Helper()
	data := t.TempDir()
	w, err := New(data)
	if err != nil {
		t.Fatal(err)
	}
	return user(t, w, "acme", "u1"), filepath.Join(data, "workspaces", "acme", "u1")
}

func user(t *testing.T, w *Workspaces, tenant, name string) tool.Files {
	t.Helper()
	files, err := w.For(tenant, name)
	if err != nil {
		t.Fatal(err)
	}
	if err := files.MkdirAll("."); err != nil {
		t.Fatal(err)
	}
	return files
}

func write(t *testing.T, files tool.Files, name, text string) {
	t.Helper()
	if _, err := files.Write(name, strings.NewReader(text)); err != nil {
		t.Fatalf("Write(%s): %v", name, err)
	}
}

func read(files tool.Files, name string) (string, error) {
	f, err := files.Open(name)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(f)
	return string(text), errors.Join(err, f.Close())
}

func wantText(t *testing.T, files tool.Files, name, want string) {
	t.Helper()
	if got, err := read(files, name); err != nil || got != want {
		t.Errorf("contents of %s = %q, %v, want %q", name, got, err, want)
	}
}

// wantKind also holds every message to showing no path of the host.
func wantKind(t *testing.T, what string, err error, want tool.Kind) {
	t.Helper()
	failure, ok := errors.AsType[*tool.Error](err)
	if !ok || failure.Kind != want {
		t.Errorf("%s: error %v, want a *tool.Error of kind %s", what, err, want)
		return
	}
	if strings.Contains(failure.Msg, os.TempDir()) || strings.Contains(failure.Msg, "acme") {
		t.Errorf("%s: message %q shows a path of the host", what, failure.Msg)
	}
}

func TestContract(t *testing.T) {
	files, _ := open(t)
	tooltest.TestFiles(t, files)
}

func TestForKeepsPeopleApart(t *testing.T) {
	data := t.TempDir()
	w, err := New(data)
	if err != nil {
		t.Fatal(err)
	}
	write(t, user(t, w, "acme", "ann"), "a.txt", "ann's")
	write(t, user(t, w, "acme", ""), "a.txt", "nobody's")
	wantText(t, user(t, w, "acme", "ann"), "a.txt", "ann's")
	wantText(t, user(t, w, "acme", "_"), "a.txt", "nobody's")
	for _, other := range [][2]string{{"acme", "bob"}, {"other", "ann"}, {"ann", "acme"}} {
		_, err := read(user(t, w, other[0], other[1]), "a.txt")
		wantKind(t, "reading as "+other[0]+"/"+other[1], err, tool.FileNotFound)
	}
	if text, err := os.ReadFile(filepath.Join(data, "workspaces", "acme", "ann", "a.txt")); err != nil || string(text) != "ann's" {
		t.Errorf("the file on the host = %q, %v, want it at workspaces/acme/ann/a.txt", text, err)
	}
	if info, err := os.Stat(filepath.Join(data, "workspaces", "acme", "ann")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode of a workspace: %v, %v, want 0700", info.Mode(), err)
	}
}

func TestForRefusesNames(t *testing.T) {
	data := t.TempDir()
	w, err := New(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"..", ".", "a/b", "a b", "ä", "a\x00", "a\n", strings.Repeat("a", 65)} {
		_, err := w.For(name, "u")
		wantKind(t, "tenant "+name, err, tool.ValidationError)
		_, err = w.For("t", name)
		wantKind(t, "user "+name, err, tool.ValidationError)
	}
	if _, err := w.For("", "u"); err == nil {
		t.Error("For without a tenant succeeded")
	}
	if _, err := w.For("t", strings.Repeat("a", 64)); err != nil {
		t.Errorf("For a name of 64: %v", err)
	}
	if entries, err := os.ReadDir(filepath.Join(data, "workspaces")); err != nil || len(entries) != 0 {
		t.Errorf("after For alone the disk holds %v, %v, want nothing", entries, err)
	}
}

// The operator restores a backup over a workspace that is in use.
func TestReplacedDirectory(t *testing.T) {
	files, dir := open(t)
	write(t, files, "a.txt", "before")
	if err := os.Rename(dir, dir+"-old"); err != nil {
		t.Fatal(err)
	}
	_, err := read(files, "a.txt")
	wantKind(t, "after the directory went", err, tool.FileNotFound)
	write(t, files, "a.txt", "after")
	if text, err := os.ReadFile(filepath.Join(dir, "a.txt")); err != nil || string(text) != "after" {
		t.Errorf("the file on the host = %q, %v, want the new one", text, err)
	}
}

func TestNewFails(t *testing.T) {
	taken := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(taken, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(taken); err == nil {
		t.Error("New under a file succeeded")
	}
}

func TestWorkspaceIsAFile(t *testing.T) {
	files, dir := open(t)
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := files.Stat(".")
	wantKind(t, "Stat in a workspace that is a file", err, tool.ExecutionError)
}
