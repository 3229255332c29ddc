package filesystem

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestFilesEnsureDir(t *testing.T) {
	files := disk(t, map[string]string{"f": "x"})
	tooltest.Run(t, Set, "files.ensure_dir", tool.Call{Files: files}, []tooltest.Case{
		{Name: "new", Args: `{"path":"a/b"}`, Want: `{"success":true,"path":"a/b","created":true}`},
		{Name: "again", Args: `{"path":"a/b"}`, Want: `{"success":true,"path":"a/b","created":false}`},
		{Name: "file", Args: `{"path":"f"}`, Fails: tool.ValidationError},
		{Name: "outside", Args: `{"path":"/tmp/x"}`, Fails: tool.PathNotAllowed},
	})
	wantTree(t, files, "a/ a/b/ f")
	wantDead(t, "files.ensure_dir", `{"path":"a"}`)
}
