package filesystem

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestMoveFile(t *testing.T) {
	files, dir := diskAt(t, map[string]string{"a": "alpha", "b": "beta", "d/x": "1", "full/d/y": "2", "into/": ""})
	link(t, "b", filepath.Join(dir, "alias"))
	link(t, "/etc/passwd", filepath.Join(dir, "out"))
	tooltest.Run(t, Set, "move_file", tool.Call{Files: files}, []tooltest.Case{
		{Name: "rename", Args: `{"source":"a","destination":"a2"}`, Want: `{"success":true,"source":"a","destination":"a2","action":"moved"}`},
		{Name: "again", Args: `{"source":"a","destination":"a2"}`, Fails: tool.FileNotFound, Message: "File not found: a"},
		{Name: "case", Args: `{"source":"a2","destination":"A2"}`, Want: `{"success":true,"source":"a2","destination":"A2","action":"moved"}`},
		{Name: "there already", Args: `{"source":"A2","destination":"b"}`, Fails: tool.ValidationError, Message: "set overwrite to true"},
		{
			Name: "over a file", Args: `{"source":"A2","destination":"b","overwrite":true}`,
			Want: `{"success":true,"source":"A2","destination":"b","action":"moved"}`,
		},
		{
			Name: "into a directory", Args: `{"source":"b","destination":"into/"}`,
			Want: `{"success":true,"source":"b","destination":"into/b","action":"moved"}`,
		},
		{
			Name: "new directories", Args: `{"source":"into/b","destination":"p/q/b"}`,
			Want: `{"success":true,"source":"into/b","destination":"p/q/b","action":"moved"}`,
		},
		{
			Name: "full directory", Args: `{"source":"d","destination":"full","overwrite":true}`, Fails: tool.ValidationError,
			Message: "The directory exists already: full/d",
		},
		{Name: "directory", Args: `{"source":"d","destination":"d2"}`, Want: `{"success":true,"source":"d","destination":"d2","action":"moved"}`},
		{Name: "onto itself", Args: `{"source":"d2","destination":"d2"}`, Fails: tool.ValidationError, Message: "are the same"},
		{Name: "into itself", Args: `{"source":"d2","destination":"d2/deep/d"}`, Fails: tool.ValidationError, Message: "into itself"},
		{
			Name: "a link that leaves", Args: `{"source":"out","destination":"into/out"}`,
			Want: `{"success":true,"source":"out","destination":"into/out","action":"moved"}`,
		},
		{Name: "to a link that leaves", Args: `{"source":"d2/x","destination":"into/out","overwrite":true}`, Fails: tool.PathNotAllowed},
		{Name: "workspace", Args: `{"source":"./","destination":"x"}`, Fails: tool.ValidationError},
		{Name: "to outside", Args: `{"source":"d2","destination":"/tmp/x"}`, Fails: tool.PathNotAllowed},
		{Name: "from outside", Args: `{"source":"../x","destination":"x"}`, Fails: tool.PathNotAllowed},
		{Name: "no source", Args: `{"destination":"x"}`, Fails: tool.ValidationError},
	})
	wantTree(t, files, "alias d2/ d2/x full/ full/d/ full/d/y into/ into/out p/ p/q/ p/q/b")
	wantFile(t, files, "p/q/b", "alpha")
	if to, err := os.Readlink(filepath.Join(dir, "into", "out")); err != nil || to != "/etc/passwd" {
		t.Errorf("the moved link names %q, %v, want what it did", to, err)
	}
	wantDead(t, "move_file", `{"source":"a","destination":"b"}`)
}
