package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func paths(entries ...string) tool.Scopes { return tool.Scopes{Paths: entries} }

// openLimited returns a workspace that holds some files, as a whole and limited
// by the scopes, and its directory on the host.
func openLimited(t *testing.T, within ...tool.Scopes) (limited, whole tool.Files, dir string) {
	t.Helper()
	data := t.TempDir()
	w, err := New(data)
	if err != nil {
		t.Fatal(err)
	}
	whole = user(t, w, "acme", "u1")
	for _, name := range []string{"secret/key", "notes/a.md", "notes/b.txt", "notes/sub/c.md", "top.md"} {
		if err := whole.MkdirAll(filepath.Dir(name)); err != nil {
			t.Fatal(err)
		}
		write(t, whole, name, name)
	}
	limited, err = w.For("acme", "u1", within...)
	if err != nil {
		t.Fatal(err)
	}
	return limited, whole, filepath.Join(data, "workspaces", "acme", "u1")
}

// attempts does everything there is to name, and returns the errors by what was
// tried.
func attempts(files tool.Files, name string) map[string]error {
	errs := map[string]error{}
	_, errs["read"] = read(files, name)
	_, errs["stat"] = files.Stat(name)
	_, errs["write"] = files.Write(name, strings.NewReader("x"))
	errs["append"] = files.Append(name, []byte("x"))
	errs["remove"] = files.Remove(name)
	errs["rename from"] = files.Rename(name, "notes/moved")
	errs["rename to"] = files.Rename("notes/a.md", name)
	return errs
}

// snapshot is every path below dir with what it holds.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			found[p] = e.Type().String()
			return err
		}
		text, err := os.ReadFile(p)
		found[p] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// The contract holds within a scope as it does in a whole workspace.
func TestLimitedContract(t *testing.T) {
	files, _, _ := openLimited(t, paths("**"), paths("workspace"))
	tooltest.TestFiles(t, files)
}

func TestLimitedRefuses(t *testing.T) {
	files, _, dir := openLimited(t, paths("workspace"), paths("notes", "drafts"), tool.Scopes{}, paths("notes", "top.md"))
	before := snapshot(t, dir)
	for _, name := range []string{
		"secret/key", "secret/new", "notes/../secret/key", "./secret/key", "notes/./../secret/key", "notes/sub/../../secret/key", "NOTES/a.md",
		"Notes/a.md", "notes2", "note", "n\u00f6tes/a.md", "notes\u200b/a.md", "top.md", "drafts/x", "../acme/u1/notes/a.md", "/notes/a.md",
		" notes/a.md",
	} {
		for what, err := range attempts(files, name) {
			wantKind(t, what+" "+name, err, tool.PathNotAllowed)
		}
		if !strings.HasPrefix(name, "..") {
			wantKind(t, "MkdirAll "+name, files.MkdirAll(name+"/d"), tool.PathNotAllowed)
		}
	}
	_, err := files.ReadDir("secret")
	wantKind(t, "ReadDir(secret)", err, tool.PathNotAllowed)
	if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
		t.Errorf("refused operations changed the workspace (-before +after):\n%s", diff)
	}
}

func TestLimitedAllows(t *testing.T) {
	files, whole, _ := openLimited(t, paths("notes"))
	wantText(t, files, "notes/a.md", "notes/a.md")
	wantText(t, files, "notes/./sub/../a.md", "notes/a.md")
	write(t, files, "notes/new", "new")
	errs := errors.Join(
		files.Append("notes/new", []byte("er")),
		files.Append("notes/made", []byte("made")),
		files.MkdirAll("."),
		files.MkdirAll("notes/deep/er"),
		files.MkdirAll("notes/deep/er"),
		files.Rename("notes/new", "notes/deep/er/moved"),
		files.Rename("notes/sub", "notes/deep/sub"),
		files.Remove("notes/b.txt"),
	)
	if errs != nil {
		t.Fatal(errs)
	}
	wantText(t, whole, "notes/deep/er/moved", "newer")
	wantText(t, whole, "notes/made", "made")
	wantText(t, whole, "notes/deep/sub/c.md", "notes/sub/c.md")
	_, err := files.Stat("notes/b.txt")
	wantKind(t, "Stat of the removed", err, tool.FileNotFound)
	_, err = files.Open("notes/nothing/here")
	wantKind(t, "Open below nothing", err, tool.FileNotFound)
}

func TestLimitedWays(t *testing.T) {
	files, _, _ := openLimited(t, paths("notes/*.md", "new/deep/*.md"))
	list := func(name string) string {
		entries, err := files.ReadDir(name)
		if err != nil {
			t.Errorf("ReadDir(%s): %v", name, err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return strings.Join(names, " ")
	}
	if got := list("."); got != "notes" {
		t.Errorf("the workspace lists %q, want only the way to what is within reach", got)
	}
	if got := list("notes"); got != "a.md" {
		t.Errorf("notes lists %q, want only what is within reach", got)
	}
	if err := files.MkdirAll("new/deep"); err != nil {
		t.Errorf("making the way to what is within reach: %v", err)
	}
	write(t, files, "new/deep/x.md", "x")
	if info, err := files.Stat("new"); err != nil || !info.IsDir() {
		t.Errorf("Stat of the way = %v, %v, want a directory", info, err)
	}
	wantKind(t, "Remove of the way", files.Remove("new"), tool.PathNotAllowed)
	wantKind(t, "Rename of the way", files.Rename("new", "notes/x.md"), tool.PathNotAllowed)
	wantKind(t, "MkdirAll beside the way", files.MkdirAll("new/other"), tool.PathNotAllowed)

	files, _, _ = openLimited(t, paths("**/c.md"))
	_, err := files.Stat("top.md") // it could have been a directory that leads to one
	wantKind(t, "Stat of a file on the way", err, tool.PathNotAllowed)
	if got := list("."); got != "notes secret" {
		t.Errorf("the workspace lists %q, want its directories", got)
	}
}

// A pattern means names and not what is below them, so a directory that bears
// such a name must not carry its files to where they are within reach.
func TestLimitedMovesOfDirectories(t *testing.T) {
	files, whole, _ := openLimited(t, paths("notes/*", "open"))
	wantKind(t, "out", files.Rename("notes/sub", "open"), tool.PathNotAllowed)
	if err := files.MkdirAll("open/d"); err != nil {
		t.Fatal(err)
	}
	write(t, files, "open/d/f", "x")
	wantKind(t, "in", files.Rename("open/d", "notes/d"), tool.PathNotAllowed)
	wantText(t, whole, "notes/sub/c.md", "notes/sub/c.md")
	if err := files.Rename("notes/a.md", "open/a.md"); err != nil {
		t.Errorf("moving a file: %v", err)
	}
}
