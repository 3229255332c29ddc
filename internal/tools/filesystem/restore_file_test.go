package filesystem

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// infoOf returns the result of file_info.
func infoOf(t *testing.T, files tool.Files, name string) *fileInfoResult {
	t.Helper()
	res, err := fileInfo(t.Context(), &tool.Call{Files: files}, fileInfoArgs{Path: name})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// Whichever tool replaces a file, the replaced version can be restored.
func TestReplacedFilesComeBack(t *testing.T) {
	for _, tt := range []struct{ tool, args string }{
		{"write_file", `{"path":"f","content":"new"}`},
		{"files.write_text", `{"path":"f","content":"new"}`},
		{"move_file", `{"source":"other","destination":"f","overwrite":true}`},
		{"copy_file", `{"source":"other","destination":"f","overwrite":true}`},
		{"delete_file", `{"path":"f"}`},
	} {
		t.Run(tt.tool, func(t *testing.T) {
			files := disk(t, map[string]string{"f": "old", "other": "new"})
			tooltest.Run(t, Set, tt.tool, tool.Call{Files: files}, []tooltest.Case{
				{Name: "replace", Args: tt.args, Check: func(*testing.T, tool.Result) {}},
			})
			tooltest.Run(t, Set, "restore_file", tool.Call{Files: files}, []tooltest.Case{
				{Name: "restore", Args: `{"path":"f"}`, Check: func(*testing.T, tool.Result) {}},
			})
			wantFile(t, files, "f", "old")
		})
	}
}

func TestRestoreFile(t *testing.T) {
	files := disk(t, map[string]string{"d/f": "1", "never": "x"})
	for _, text := range []string{"2", "3"} {
		if _, err := files.Write("d/f", strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	info := infoOf(t, files, "d/f")
	if len(info.Versions) != 2 || info.Versions[0].Size != 1 || info.Versions[0].Replaced.IsZero() || info.Versions[0].Modified.IsZero() {
		t.Fatalf("versions = %+v, want two", info.Versions)
	}
	first := info.Versions[1].Version
	named := func(t *testing.T, res tool.Result) {
		var got restoreFileResult
		if err := json.Unmarshal(res.Value, &got); err != nil || got.Version != first || got.Size != 1 || !got.Success {
			t.Errorf("got %s, %v, want version %s", res.Value, err, first)
		}
	}
	call := tool.Call{Files: files}
	tooltest.Run(t, Set, "restore_file", call, []tooltest.Case{
		{Name: "by its version", Args: `{"path":"d/f","version":"` + first + `"}`, Check: named},
		{
			Name:    "no such version",
			Args:    `{"path":"d/f","version":"20200101T000000.000000-aaaa"}`,
			Fails:   tool.FileNotFound,
			Message: "file_info lists",
		},
		{Name: "version of another file", Args: `{"path":"never","version":"` + first + `"}`, Fails: tool.FileNotFound},
		{Name: "never replaced", Args: `{"path":"never"}`, Fails: tool.FileNotFound, Message: "No earlier version is kept of never"},
		{Name: "never there", Args: `{"path":"a/b"}`, Fails: tool.FileNotFound},
		{Name: "directory", Args: `{"path":"d"}`, Fails: tool.FileNotFound},
		{Name: "outside", Args: `{"path":"../x"}`, Fails: tool.PathNotAllowed},
		{Name: "the versions themselves", Args: `{"path":"../u1.versions/x"}`, Fails: tool.PathNotAllowed},
		{Name: "no path", Args: `{}`, Fails: tool.ValidationError},
	})
	wantFile(t, files, "d/f", "1")
	wantTree(t, files, "d/ d/f never")
	wantDead(t, "restore_file", `{"path":"a"}`)

	if _, err := files.RemoveAll(t.Context(), "d/f"); err != nil {
		t.Fatal(err)
	}
	if _, err := files.RemoveAll(t.Context(), "d"); err != nil {
		t.Fatal(err)
	}
	tooltest.Run(t, Set, "file_info", call, []tooltest.Case{
		{
			Name:    "deleted",
			Args:    `{"path":"d/f"}`,
			Fails:   tool.FileNotFound,
			Message: "File not found: d/f; it was deleted, and restore_file brings it back.",
		},
	})
	tooltest.Run(t, Set, "restore_file", call, []tooltest.Case{
		{Name: "with its directory", Args: `{"path":"d/f"}`, Check: func(*testing.T, tool.Result) {}},
	})
	wantFile(t, files, "d/f", "1")
}
