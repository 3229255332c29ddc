package filesystem

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/ports/workspace"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// disk returns a workspace on disk that contains the given files.
func disk(t *testing.T, contents map[string]string) tool.Files {
	t.Helper()
	files, _ := diskAt(t, contents)
	return files
}

// diskAt also returns the directory on the host.
func diskAt(t *testing.T, contents map[string]string) (files tool.Files, dir string) {
	t.Helper()
	data := t.TempDir()
	return under(t, data, contents), filepath.Join(data, "workspaces", "acme", "u1")
}

func under(t *testing.T, data string, contents map[string]string) tool.Files {
	t.Helper()
	files := workspaceUnder(t, data)
	for name, text := range contents {
		if err := files.MkdirAll(path.Dir(name)); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			continue
		}
		if _, err := files.Write(name, strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func workspaceUnder(tb testing.TB, data string) tool.Files {
	tb.Helper()
	w, err := workspace.New(data)
	if err != nil {
		tb.Fatal(err)
	}
	files, err := w.For("acme", "u1")
	if err != nil {
		tb.Fatal(err)
	}
	return files
}

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Skipf("NOT TESTED: no symbolic links here: %v", err)
	}
}

// age sets the time of change of every file of the workspace.
func age(t *testing.T, dir string) {
	t.Helper()
	then := time.Date(2026, time.March, 4, 5, 6, 7, 890, time.FixedZone("", 3600))
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.Type() == fs.ModeSymlink {
			return err
		}
		return os.Chtimes(p, then, then)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// aged is the time that age sets, as results format it.
const aged = `"2026-03-04T04:06:07Z"`

// tree lists a workspace: a line for each path, directories with a slash.
func tree(t *testing.T, files tool.Files) string {
	t.Helper()
	var all []string
	err := files.Walk(".", func(p string, e tool.Entry, err error) error {
		if e.IsDir() {
			p += "/"
		}
		all = append(all, p)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}

// wantTree compares the workspace with the expected tree.
func wantTree(t *testing.T, files tool.Files, want string) {
	t.Helper()
	if got := tree(t, files); got != want {
		t.Errorf("the workspace holds %q, want %q", got, want)
	}
}

// dead is a disk that fails at every operation except those of its fields.
type dead struct{ tool.Files }

func (dead) fail() error { return tool.Fail(tool.ExecutionError, "The disk failed.") }

func (d dead) Open(string) (fs.File, error)            { return nil, d.fail() }
func (d dead) Lstat(string) (fs.FileInfo, error)       { return nil, d.fail() }
func (d dead) Stat(string) (fs.FileInfo, error)        { return nil, d.fail() }
func (d dead) Versions(string) ([]tool.Version, error) { return nil, d.fail() }
func (d dead) Walk(string, tool.Visit) error           { return d.fail() }
func (d dead) MkdirAll(string) error                   { return d.fail() }
func (d dead) Append(string, []byte) error             { return d.fail() }
func (d dead) Write(string, io.Reader) (int64, error)  { return 0, d.fail() }

// wantDead runs a call on a dead disk.
func wantDead(t *testing.T, name, args string) {
	t.Helper()
	tooltest.Run(t, Set, name, tool.Call{Files: dead{}, HTTP: tooltest.Doer(nil)}, []tooltest.Case{
		{Name: "dead disk", Args: args, Fails: tool.ExecutionError, Message: "The disk failed"},
	})
}

func wantFile(t *testing.T, files tool.Files, name, want string) {
	t.Helper()
	f, err := files.Open(name)
	if err != nil {
		t.Errorf("Open(%s): %v", name, err)
		return
	}
	got, err := io.ReadAll(f)
	if err = errors.Join(err, f.Close()); err != nil || string(got) != want {
		t.Errorf("%s holds %q, %v, want %q", name, got, err, want)
	}
}

func TestDefinitions(t *testing.T) { tooltest.Golden(t, Set) }

// The examples of the documentation work on its fixture.
func TestExamples(t *testing.T) {
	page := tooltest.Doer(func(req *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("x")), Request: req, ContentLength: 1}, nil
	})
	for _, tl := range Set.Tools() {
		files := disk(t, map[string]string{"notes.txt": "one\ntwo\n", "docs/readme.md": "# Report\n", "docs/old.txt": "old\n"})
		if _, err := files.Write("notes.txt", strings.NewReader("one\n")); err != nil { // so that one version is kept
			t.Fatal(err)
		}
		tooltest.Run(t, Set, tl.Name, tool.Call{Files: files, HTTP: page}, []tooltest.Case{
			{Name: tl.Name, Args: string(tl.Example), Check: func(*testing.T, tool.Result) {}},
		})
		if tl.Errors == nil || len(tl.Example) == 0 {
			t.Errorf("%s: errors %v, example %s, want both", tl.Name, tl.Errors, tl.Example)
		}
	}
}

// A directory that is too deep to enter is reported, not silently skipped.
func TestDeepTrees(t *testing.T) {
	files, dir := diskAt(t, map[string]string{"top": "needle"})
	if err := os.MkdirAll(filepath.Join(dir, strings.Repeat("d/", 300)), 0o700); err != nil {
		t.Fatal(err)
	}
	call := tool.Call{Files: files}
	tooltest.Run(t, Set, "list_directory", call,
		[]tooltest.Case{{Name: "list", Args: `{"path":".","recursive":true,"pattern":"top"}`, Check: func(t *testing.T, res tool.Result) {
			if want := `"unreadable":["` + strings.Repeat("d/", 255) + `d"]`; !strings.Contains(string(res.Value), want) {
				t.Errorf("result %s, want it to hold %s", res.Value, want)
			}
		}}})
	tooltest.Run(t, Set, "search_files", call, []tooltest.Case{{
		Name: "search", Args: `{"query":"needle"}`,
		Want: `{"query":"needle","path":".","count":1,"total":1,"results":[{"file":"top","line":1,"content":"needle","match":"content"}],"truncated":false,"skipped":1,"totalIsFloor":true}`,
	}})
	tooltest.Run(t, Set, "copy_file", call, []tooltest.Case{
		{Name: "copy", Args: `{"source":"d","destination":"e"}`, Fails: tool.ValidationError, Message: "nested more than"},
	})
	tooltest.Run(t, Set, "delete_file", call, []tooltest.Case{
		{Name: "delete", Args: `{"path":"d","recursive":true}`, Fails: tool.ValidationError, Message: "nested more than"},
	})
}
