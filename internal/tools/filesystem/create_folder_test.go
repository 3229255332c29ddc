package filesystem

import (
	"path/filepath"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestCreateFolder(t *testing.T) {
	files, dir := diskAt(t, map[string]string{"f": "x", "d/": ""})
	link(t, "d", filepath.Join(dir, "alias"))
	link(t, "..", filepath.Join(dir, "up"))
	link(t, "no/where", filepath.Join(dir, "dangling"))
	tooltest.Run(t, Set, "create_folder", tool.Call{Files: files}, []tooltest.Case{
		{Name: "new", Args: `{"path":"a"}`, Want: `{"success":true,"path":"a","created":true}`},
		{Name: "again", Args: `{"path":"./a/"}`, Want: `{"success":true,"path":"./a/","created":false}`},
		{Name: "parents", Args: `{"path":"x/y/z"}`, Want: `{"success":true,"path":"x/y/z","created":true}`},
		{Name: "through a link", Args: `{"path":"alias/q"}`, Want: `{"success":true,"path":"alias/q","created":true}`},
		{Name: "workspace", Args: `{"path":"."}`, Want: `{"success":true,"path":".","created":false}`},
		{Name: "file", Args: `{"path":"f"}`, Fails: tool.ValidationError, Message: "a directory is needed: f"},
		{Name: "through a file", Args: `{"path":"f/x"}`, Fails: tool.ValidationError},
		{Name: "through a link to nowhere", Args: `{"path":"dangling/x"}`, Want: `{"success":true,"path":"dangling/x","created":true}`},
		{Name: "outside", Args: `{"path":"../x"}`, Fails: tool.PathNotAllowed},
		{Name: "through a link out", Args: `{"path":"up/x"}`, Fails: tool.PathNotAllowed},
		{Name: "no path", Args: `{}`, Fails: tool.ValidationError},
		{Name: "empty path", Args: `{"path":""}`, Fails: tool.ValidationError},
	})
	wantTree(t, files, "a/ alias d/ d/q/ dangling f no/ no/where/ no/where/x/ up x/ x/y/ x/y/z/")
	wantDead(t, "create_folder", `{"path":"a"}`)
}
