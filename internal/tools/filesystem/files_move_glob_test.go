package filesystem

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestFilesMoveGlob(t *testing.T) {
	files, dir := diskAt(t, map[string]string{
		"in/a.txt": "a", "in/b.txt": "b", "in/c.md": "c", "in/.h.txt": "h", "in/sub/d.txt": "d", "in/sub/a.txt": "a2",
		"in/sub/.x/e.txt": "e", "in/x1": "", "in/x2": "", "in/x,y": "", "there/c.md": "was", "file": "f",
	})
	link(t, "a.txt", filepath.Join(dir, "in", "alias.lnk"))
	before := tree(t, files)
	empty := `{"success":true,"from":"in","to":"out","dry_run":false,"moved":[],"failed":[],"count":0,"total":0,"truncated":false}`
	call := tool.Call{Files: files}
	tooltest.Run(t, Set, "files.move_glob", call, []tooltest.Case{
		{
			Name: "dry run", Args: `{"from":"in","patterns":["*.txt"],"to":"out/new","dry_run":true}`,
			Want: `{"success":true,"from":"in","to":"out/new","dry_run":true,"moved":[{"from":"in/a.txt","to":"out/new/a.txt"},{"from":"in/b.txt","to":"out/new/b.txt"}],"failed":[],"count":2,"total":2,"truncated":false}`,
		},
		{Name: "no match", Args: `{"from":"in","patterns":["*.zip","nothing/*"],"to":"out"}`, Want: empty},
		{
			Name:    "two to one name",
			Args:    `{"from":"in","patterns":["**/*.txt"],"to":"out"}`,
			Fails:   tool.ValidationError,
			Message: "Nothing was moved: in/a.txt and in/sub/a.txt would both become out/a.txt",
		},
		{
			Name:    "there already",
			Args:    `{"from":"in","patterns":["*.md","*.txt"],"to":"there"}`,
			Fails:   tool.ValidationError,
			Message: "there/c.md exists already",
		},
		{Name: "into a file", Args: `{"from":"in","patterns":["*"],"to":"file"}`, Fails: tool.ValidationError, Message: "to must be a directory"},
		{Name: "through a file", Args: `{"from":"in","patterns":["*"],"to":"file/x"}`, Fails: tool.ValidationError},
		{Name: "from a file", Args: `{"from":"file","patterns":["*"],"to":"out"}`, Fails: tool.ValidationError, Message: "a directory is needed"},
		{Name: "from nowhere", Args: `{"from":"no","patterns":["*"],"to":"out"}`, Fails: tool.FileNotFound},
		{Name: "from outside", Args: `{"from":"..","patterns":["*"],"to":"out"}`, Fails: tool.PathNotAllowed},
		{Name: "to outside", Args: `{"from":"in","patterns":["*"],"to":"/tmp"}`, Fails: tool.PathNotAllowed},
		{Name: "pattern outside", Args: `{"from":"in","patterns":["../*"],"to":"out"}`, Fails: tool.PathNotAllowed, Message: "leads out"},
		{Name: "absolute pattern", Args: `{"from":"in","patterns":["/etc/*"],"to":"out"}`, Fails: tool.PathNotAllowed},
		{
			Name:    "bad pattern",
			Args:    `{"from":"in","patterns":["*.txt","[z-a]"],"to":"out"}`,
			Fails:   tool.ValidationError,
			Message: "Invalid pattern",
		},
		{Name: "empty pattern", Args: `{"from":"in","patterns":[""],"to":"out"}`, Fails: tool.ValidationError},
		{Name: "no patterns", Args: `{"from":"in","patterns":[],"to":"out"}`, Fails: tool.ValidationError, Message: "patterns"},
		{Name: "where they are", Args: `{"from":"in","patterns":["*.txt"],"to":"./in"}`, Want: strings.ReplaceAll(empty, `"out"`, `"./in"`)},
	})
	wantTree(t, files, before)
	tooltest.Run(t, Set, "files.move_glob", call, []tooltest.Case{
		{
			Name: "deep", Args: `{"from":"./in/","patterns":["**/d.txt","x[0-9]","alias.*","x,y"],"to":"out/"}`,
			Want: `{"success":true,"from":"./in/","to":"out/","dry_run":false,"moved":[{"from":"in/alias.lnk","to":"out/alias.lnk"},{"from":"in/sub/d.txt","to":"out/d.txt"},{"from":"in/x,y","to":"out/x,y"},{"from":"in/x1","to":"out/x1"},{"from":"in/x2","to":"out/x2"}],"failed":[],"count":5,"total":5,"truncated":false}`,
		},
		{
			Name: "keep paths", Args: `{"from":"in","patterns":["**/*.txt"],"to":"kept","keep_paths":true}`,
			Want: `{"success":true,"from":"in","to":"kept","dry_run":false,"moved":[{"from":"in/a.txt","to":"kept/a.txt"},{"from":"in/b.txt","to":"kept/b.txt"},{"from":"in/sub/a.txt","to":"kept/sub/a.txt"}],"failed":[],"count":3,"total":3,"truncated":false}`,
		},
		{
			Name: "hidden", Args: `{"from":"in","patterns":[".*.txt","sub/.x/*"],"to":"."}`,
			Want: `{"success":true,"from":"in","to":".","dry_run":false,"moved":[{"from":"in/.h.txt","to":".h.txt"},{"from":"in/sub/.x/e.txt","to":"e.txt"}],"failed":[],"count":2,"total":2,"truncated":false}`,
		},
	})
	wantTree(t, files, ".h.txt e.txt file in/ in/c.md in/sub/ in/sub/.x/ kept/ kept/a.txt kept/b.txt kept/sub/ kept/sub/a.txt out/ "+
		"out/alias.lnk out/d.txt out/x,y out/x1 out/x2 there/ there/c.md")
	wantFile(t, files, "there/c.md", "was")
	wantDead(t, "files.move_glob", `{"from":"a","patterns":["*"],"to":"b"}`)
}

// Files whose names cannot be sent as JSON are moved like others.
func TestFilesMoveGlobOddNames(t *testing.T) {
	files, dir := diskAt(t, map[string]string{"in/": ""})
	if err := os.WriteFile(filepath.Join(dir, "in", "bad\xff\nname"), nil, 0o600); err != nil {
		t.Skipf("NOT TESTED: this file system has no such names: %v", err)
	}
	tooltest.Run(t, Set, "files.move_glob", tool.Call{Files: files}, []tooltest.Case{
		{
			Name: "moved",
			Args: `{"from":"in","patterns":["bad?*"],"to":"out"}`,
			Want: `{"success":true,"from":"in","to":"out","dry_run":false,"moved":[{"from":"in/bad\ufffd\nname","to":"out/bad\ufffd\nname"}],"failed":[],"count":1,"total":1,"truncated":false}`,
		},
	})
	if _, err := os.Lstat(filepath.Join(dir, "out", "bad\xff\nname")); err != nil {
		t.Errorf("the file is not where it was moved: %v", err)
	}
}

// stuck is a workspace in which some files cannot be moved.
type stuck struct {
	tool.Files

	names string
}

func (s stuck) Move(from, to string) error {
	if strings.Contains(s.names, from) {
		return tool.Fail(tool.PermissionDenied, "Permission denied: cannot move %s", from)
	}
	return s.Files.Move(from, to)
}

func TestFilesMoveGlobReportsFailures(t *testing.T) {
	files := disk(t, map[string]string{"in/a": "", "in/b": "", "in/c": ""})
	tooltest.Run(t, Set, "files.move_glob", tool.Call{Files: stuck{files, "in/b"}}, []tooltest.Case{{
		Name: "one stays", Args: `{"from":"in","patterns":["*"],"to":"out"}`,
		Want: `{"success":false,"from":"in","to":"out","dry_run":false,"moved":[{"from":"in/a","to":"out/a"},{"from":"in/c","to":"out/c"}],"failed":[{"from":"in/b","to":"out/b","error":"Permission denied: cannot move in/b"}],"count":2,"total":2,"truncated":false}`,
	}})
	wantTree(t, files, "in/ in/b out/ out/a out/c")
	tooltest.Run(t, Set, "files.move_glob", tool.Call{Files: stuck{files, "in/b"}}, []tooltest.Case{
		{Name: "all stay", Args: `{"from":"in","patterns":["*"],"to":"out"}`, Fails: tool.PermissionDenied, Message: "cannot move in/b"},
	})
}

func TestFilesMoveGlobBounds(t *testing.T) {
	files, dir := diskAt(t, map[string]string{"in/f": ""})
	for i := range maxShownMoves {
		if err := os.Link(filepath.Join(dir, "in", "f"),
			filepath.Join(dir, "in", "f"+strings.Repeat("x", i%200)+string(rune('a'+i/200)))); err != nil {
			t.Fatal(err)
		}
	}
	tooltest.Run(t, Set, "files.move_glob", tool.Call{Files: files}, []tooltest.Case{
		{Name: "many", Args: `{"from":"in","patterns":["*"],"to":"out","dry_run":true}`, Check: func(t *testing.T, res tool.Result) {
			var got moveGlobResult
			if err := json.Unmarshal(res.Value, &got); err != nil || got.Count != 1000 || got.Total != 1001 || !got.Truncated {
				t.Errorf("%d of %d, truncated %v, %v, want 1000 of 1001 and true", got.Count, got.Total, got.Truncated, err)
			}
			noted("showing 1000 of 1001 moved files; list_files shows what is in out.")(t, res)
		}},
	})
}

// A dry run needs no consent, because it changes nothing.
func TestFilesMoveGlobMutates(t *testing.T) {
	for _, tl := range Set.Tools() {
		if tl.Name != "files.move_glob" {
			continue
		}
		for args, want := range map[string]bool{
			`{"from":"a","patterns":["*"],"to":"b","dry_run":true}`: false, `{"from":"a","patterns":["*"],"to":"b"}`: true,
		} {
			if inv, err := tl.Bind(json.RawMessage(args)); err != nil || inv.Mutates != want || inv.Idempotent == want {
				t.Errorf("Bind(%s): mutates %v, idempotent %v, %v, want %v, %v", args, inv.Mutates, inv.Idempotent, err, want, !want)
			}
		}
	}
}
