package filesystem

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
	"golang.org/x/sys/unix"
)

func TestFileInfo(t *testing.T) {
	begin := time.Now().Truncate(time.Second)
	files, dir := diskAt(t, map[string]string{"f.txt": "hello\n", "d/": ""})
	link(t, "f.txt", filepath.Join(dir, "alias"))
	link(t, "/etc/passwd", filepath.Join(dir, "out"))
	if err := unix.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "f.txt"), 0o640); err != nil {
		t.Fatal(err)
	}
	age(t, dir)
	check := func(kind string, size int64, mode string) func(t *testing.T, res tool.Result) {
		return func(t *testing.T, res tool.Result) {
			var got fileInfoResult
			if err := json.Unmarshal(res.Value, &got); err != nil {
				t.Fatal(err)
			}
			at, _ := time.Parse(`"`+time.RFC3339+`"`, aged)
			if got.Type != kind || got.Size != size || mode != "" && got.Permissions != mode || !got.Modified.Equal(at) {
				t.Errorf("got %+v, want a %s of %d bytes, %s, of %v", got, kind, size, mode, at)
			}
			if !got.Created.Equal(at) && got.Created.Before(begin) || got.Accessed.Before(at) {
				t.Errorf("created %v, read %v, want %v or later", got.Created, got.Accessed, begin)
			}
		}
	}
	tooltest.Run(t, Set, "file_info", tool.Call{Files: files}, []tooltest.Case{
		{Name: "file", Args: `{"path":"f.txt"}`, Check: check("file", 6, "640")},
		{Name: "directory", Args: `{"path":"d"}`, Check: check("directory", 0, "")},
		{Name: "workspace", Args: `{"path":"."}`, Check: check("directory", 0, "")},
		{Name: "link", Args: `{"path":"alias"}`, Check: check("file", 6, "640")},
		{Name: "pipe", Args: `{"path":"pipe"}`, Check: check("other", 0, "600")},
		{Name: "link out", Args: `{"path":"out"}`, Fails: tool.PathNotAllowed},
		{Name: "missing", Args: `{"path":"no"}`, Fails: tool.FileNotFound, Message: "File not found: no"},
		{Name: "through a file", Args: `{"path":"f.txt/x"}`, Fails: tool.ValidationError},
		{Name: "outside", Args: `{"path":"../x"}`, Fails: tool.PathNotAllowed},
		{Name: "no path", Args: `{}`, Fails: tool.ValidationError},
	})
	wantDead(t, "file_info", `{"path":"f"}`)
}

// A file system without other times shows the time of change.
func TestFileInfoWithoutTimes(t *testing.T) {
	const never = `"0001-01-01T00:00:00Z"`
	tooltest.Run(t, Set, "file_info", tool.Call{Files: tooltest.Files{"f": "abc"}}, []tooltest.Case{
		{
			Name: "file",
			Args: `{"path":"f"}`,
			Want: `{"path":"f","type":"file","size":3,"created":` + never + `,"modified":` + never + `,"accessed":` + never +
				`,"permissions":"644"}`,
		},
	})
}

func TestFileInfoAlias(t *testing.T) {
	for _, tl := range Set.Tools() {
		if tl.Name == "file_info" && !slices.Contains(tl.Aliases, "get_file_info") {
			t.Errorf("aliases %q, want get_file_info among them", tl.Aliases)
		}
	}
}
