package filesystem

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestListDirectory(t *testing.T) {
	files, dir := diskAt(t, map[string]string{
		"notes.txt": "hello\n", "docs/readme.md": "# Read\n", "docs/deep/a.md": "", "docs/deep/b.txt": "12", ".hidden/x.md": "", ".env": "K=1",
		"empty/": "",
	})
	age(t, dir)
	one := func(path, kind string, size int) string {
		return fmt.Sprintf(`{"name":%q,"path":%q,"type":%q,"size":%d,"modified":%s}`, filepath.Base(path), path, kind, size, aged)
	}
	docs := one("docs", "directory", 0)
	notes := one("notes.txt", "file", 6)
	result := func(path string, total int, entries ...string) string {
		return fmt.Sprintf(`{"path":%q,"entries":[%s],"count":%d,"total":%d,"truncated":%v}`,
			path, strings.Join(entries, ","), len(entries), total, total > len(entries))
	}
	tooltest.Run(t, Set, "list_directory", tool.Call{Files: files}, []tooltest.Case{
		{Name: "workspace", Args: `{"path":"."}`, Want: result(".", 3, docs, one("empty", "directory", 0), notes)},
		{
			Name: "spelling of the path", Args: `{"path":"./docs//deep/"}`,
			Want: result("./docs//deep/", 2, one("docs/deep/a.md", "file", 0), one("docs/deep/b.txt", "file", 2)),
		},
		{Name: "nothing", Args: `{"path":"empty"}`, Want: result("empty", 0)},
		{
			Name: "hidden", Args: `{"path":".","includeHidden":true}`,
			Want: result(".", 5, one(".env", "file", 3), one(".hidden", "directory", 0), docs, one("empty", "directory", 0), notes),
		},
		{Name: "a hidden directory itself", Args: `{"path":".hidden"}`, Want: result(".hidden", 1, one(".hidden/x.md", "file", 0))},
		{
			Name: "recursive", Args: `{"path":"docs","recursive":true}`,
			Want: result("docs", 4, one("docs/deep", "directory", 0), one("docs/deep/a.md", "file", 0), one("docs/deep/b.txt", "file", 2),
				one("docs/readme.md", "file", 7)),
		},
		{
			Name: "pattern", Args: `{"path":".","recursive":true,"pattern":"*.md"}`,
			Want: result(".", 2, one("docs/deep/a.md", "file", 0), one("docs/readme.md", "file", 7)),
		},
		{
			Name: "hidden pattern", Args: `{"path":".","recursive":true,"pattern":"*.md","includeHidden":true,"limit":1}`,
			Want: result(".", 3, one(".hidden/x.md", "file", 0)),
		},
		{
			Name: "pattern of a path", Args: `{"path":"docs","recursive":true,"pattern":"deep/*"}`,
			Want: result("docs", 2, one("docs/deep/a.md", "file", 0), one("docs/deep/b.txt", "file", 2)),
		},
		{
			Name: "pattern of a path further down", Args: `{"path":".","pattern":"**/*.md"}`,
			Want: result(".", 2, one("docs/deep/a.md", "file", 0), one("docs/readme.md", "file", 7)),
		},
		{Name: "pattern of names goes no further", Args: `{"path":".","pattern":"*.md"}`, Want: result(".", 0)},
		{
			Name: "patterns", Args: `{"path":"docs/deep","pattern":"*.md,*.txt","limit":-5}`,
			Want: result("docs/deep", 2, one("docs/deep/a.md", "file", 0), one("docs/deep/b.txt", "file", 2)),
		},
		{Name: "bad pattern", Args: `{"path":".","pattern":"[z-a]"}`, Fails: tool.ValidationError, Message: "Invalid pattern"},
		{Name: "long pattern", Args: `{"path":".","pattern":"` + strings.Repeat("*", 1001) + `"}`, Fails: tool.ValidationError},
		{Name: "file", Args: `{"path":"notes.txt"}`, Fails: tool.ValidationError, Message: "a directory is needed: notes.txt"},
		{Name: "missing", Args: `{"path":"no/such"}`, Fails: tool.FileNotFound, Message: "File not found: no/such"},
		{Name: "outside", Args: `{"path":".."}`, Fails: tool.PathNotAllowed},
		{Name: "absolute", Args: `{"path":"/etc"}`, Fails: tool.PathNotAllowed},
		{Name: "no path", Args: `{}`, Fails: tool.ValidationError, Message: "path"},
		{Name: "empty path", Args: `{"path":""}`, Fails: tool.ValidationError, Message: "a dot"},
		{Name: "NUL", Args: `{"path":"a\u0000b"}`, Fails: tool.ValidationError, Message: "NUL"},
	})
	wantDead(t, "list_directory", `{"path":"."}`)
}

// Links are shown as links, and a listing never follows them.
func TestListDirectoryLinks(t *testing.T) {
	files, dir := diskAt(t, map[string]string{"d/f": "1"})
	link(t, "../..", filepath.Join(dir, "d", "up"))
	link(t, "..", filepath.Join(dir, "d", "round"))
	link(t, "d", filepath.Join(dir, "short"))
	check := func(want string) func(t *testing.T, res tool.Result) {
		return func(t *testing.T, res tool.Result) {
			var got struct{ Entries []item }
			if err := json.Unmarshal(res.Value, &got); err != nil {
				t.Fatal(err)
			}
			var all []string
			for _, e := range got.Entries {
				all = append(all, fmt.Sprintf("%s:%s:%d", e.Path, e.Type, e.Size))
			}
			if s := strings.Join(all, " "); s != want {
				t.Errorf("entries %q, want %q", s, want)
			}
		}
	}
	tooltest.Run(t, Set, "list_directory", tool.Call{Files: files}, []tooltest.Case{
		{
			Name:  "recursive",
			Args:  `{"path":".","recursive":true}`,
			Check: check("d:directory:0 d/f:file:1 d/round:symlink:0 d/up:symlink:0 short:symlink:0"),
		},
		{Name: "a link itself", Args: `{"path":"short"}`, Check: check("short/f:file:1 short/round:symlink:0 short/up:symlink:0")},
		{Name: "a link out", Args: `{"path":"d/up"}`, Fails: tool.PathNotAllowed},
	})
}

// Every name can be listed, and the result is valid JSON.
func TestListDirectoryOddNames(t *testing.T) {
	files, dir := diskAt(t, nil)
	if err := files.MkdirAll("."); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("é", 127)
	names := []string{"A", "a", "bad\xff\xfe", "line\nbreak", "tab\t\"quote\"", "\u202egpj.exe", long}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Skipf("NOT TESTED: this file system has no such names: %v", err)
		}
	}
	tooltest.Run(t, Set, "list_directory", tool.Call{Files: files},
		[]tooltest.Case{{Name: "all", Args: `{"path":"."}`, Check: func(t *testing.T, res tool.Result) {
			var got listDirectoryResult
			if err := json.Unmarshal(res.Value, &got); err != nil || !utf8.Valid(res.Value) {
				t.Fatalf("the result is no JSON: %v, UTF-8 %v", err, utf8.Valid(res.Value))
			}
			seen := map[string]bool{}
			for _, e := range got.Entries {
				seen[e.Name] = e.Unnameable
			}
			for _, name := range []string{"A", "a", "line\nbreak", "tab\t\"quote\"", "\u202egpj.exe", long} {
				if bad, ok := seen[name]; !ok || bad {
					t.Errorf("%q: listed %v, unnameable %v, want true, false", name, ok, bad)
				}
			}
			if !seen["bad\ufffd"] {
				t.Errorf("the name that is not UTF-8 is not shown as %q and unnameable: %v", "bad\ufffd", seen)
			}
		}}})
}

// noted checks the notes of a result.
func noted(want ...string) func(*testing.T, tool.Result) {
	return func(t *testing.T, res tool.Result) {
		t.Helper()
		if !slices.Equal(res.Notes, want) {
			t.Errorf("notes %q, want %q", res.Notes, want)
		}
	}
}

func TestListDirectoryLimits(t *testing.T) {
	files, dir := diskAt(t, map[string]string{"d/": ""})
	for i := range 1100 {
		if err := os.WriteFile(filepath.Join(dir, "d", fmt.Sprintf("f%04d", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	count := func(want int, last string) func(t *testing.T, res tool.Result) {
		return func(t *testing.T, res tool.Result) {
			var got listDirectoryResult
			if err := json.Unmarshal(res.Value, &got); err != nil {
				t.Fatal(err)
			}
			if got.Count != want || got.Total != 1100 || got.Truncated != (want < 1100) || got.Entries[len(got.Entries)-1].Name != last {
				t.Errorf("%d of %d, truncated %v, last %s, want %d of 1100, last %s",
					got.Count, got.Total, got.Truncated, got.Entries[len(got.Entries)-1].Name, want, last)
			}
			if want == 1100 {
				noted()(t, res)
			} else {
				noted(fmt.Sprintf("showing %d of 1100 entries; set limit (at most 10000), or narrow path or pattern.", want))(t, res)
			}
		}
	}
	tooltest.Run(t, Set, "list_directory", tool.Call{Files: files}, []tooltest.Case{
		{Name: "default", Args: `{"path":"d"}`, Check: count(1000, "f0999")},
		{Name: "some", Args: `{"path":"d","limit":7}`, Check: count(7, "f0006")},
		{Name: "more than there is", Args: `{"path":"d","limit":10000000}`, Check: count(1100, "f1099")},
	})
}

func TestListDirectoryCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := list(ctx, &tool.Call{Files: disk(t, map[string]string{"f": "x"})}, ".", &listArgs{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("list in a cancelled call: error %v, want %v", err, context.Canceled)
	}
}
