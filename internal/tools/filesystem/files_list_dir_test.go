package filesystem

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestFilesListDir(t *testing.T) {
	files, dir := diskAt(t, map[string]string{"docs/readme.md": "# Read\n", "docs/sub/x": ""})
	age(t, dir)
	const (
		readme = `{"name":"readme.md","path":"docs/readme.md","type":"file","size":7,"modified":` + aged + `}`
		sub    = `{"name":"sub","path":"docs/sub","type":"directory","size":0,"modified":` + aged + `}`
	)
	tooltest.Run(t, Set, "files.list_dir", tool.Call{Files: files}, []tooltest.Case{
		{
			Name: "directory",
			Args: `{"path":"docs"}`,
			Want: `{"path":"docs","entries":[` + readme + `,` + sub + `],"count":2,"total":2,"truncated":false}`,
		},
		{
			Name: "limit",
			Args: `{"path":"docs","recursive":true,"limit":2}`,
			Want: `{"path":"docs","entries":[` + readme + `,` + sub + `],"count":2,"total":3,"truncated":true}`,
		},
		{Name: "default", Args: `{"pattern":"nothing"}`, Want: `{"path":".","entries":[],"count":0,"total":0,"truncated":false}`},
		{Name: "file", Args: `{"path":"docs/readme.md"}`, Fails: tool.ValidationError},
		{Name: "missing", Args: `{"path":"b"}`, Fails: tool.FileNotFound},
		{Name: "outside", Args: `{"path":"/"}`, Fails: tool.PathNotAllowed},
	})
	wantDead(t, "files.list_dir", `{}`)
}
