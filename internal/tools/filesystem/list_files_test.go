package filesystem

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestListFiles(t *testing.T) {
	files, dir := diskAt(t, map[string]string{"docs/readme.md": "# Read\n", "docs/.x": "", "a.txt": "1"})
	age(t, dir)
	const (
		docs   = `{"name":"docs","path":"docs","type":"directory","size":0,"modified":` + aged + `}`
		text   = `{"name":"a.txt","path":"a.txt","type":"file","size":1,"modified":` + aged + `}`
		readme = `{"name":"readme.md","path":"docs/readme.md","type":"file","size":7,"modified":` + aged + `}`
	)
	tooltest.Run(t, Set, "list_files", tool.Call{Files: files}, []tooltest.Case{
		{Name: "workspace", Args: `{}`, Want: `{"path":".","files":[` + text + `,` + docs + `],"count":2,"total":2,"truncated":false}`},
		{Name: "empty path", Args: `{"path":""}`, Want: `{"path":".","files":[` + text + `,` + docs + `],"count":2,"total":2,"truncated":false}`},
		{Name: "folder", Args: `{"path":"docs/"}`, Want: `{"path":"docs/","files":[` + readme + `],"count":1,"total":1,"truncated":false}`},
		{Name: "limit", Args: `{"recursive":true,"limit":1}`, Want: `{"path":".","files":[` + text + `],"count":1,"total":3,"truncated":true}`},
		{
			Name: "pattern",
			Args: `{"recursive":true,"pattern":"**/*.md"}`,
			Want: `{"path":".","files":[` + readme + `],"count":1,"total":1,"truncated":false}`,
		},
		{Name: "file", Args: `{"path":"a.txt"}`, Fails: tool.ValidationError, Message: "a directory is needed"},
		{Name: "missing", Args: `{"path":"b"}`, Fails: tool.FileNotFound, Message: "File not found: b"},
		{Name: "outside", Args: `{"path":"../x"}`, Fails: tool.PathNotAllowed},
		{Name: "wrong type", Args: `{"path":5}`, Fails: tool.ValidationError, Message: "path"},
	})
	wantDead(t, "list_files", `{}`)
}

// A new user's workspace does not exist before it is used.
func TestListFilesOfNothing(t *testing.T) {
	tooltest.Run(t, Set, "list_files", tool.Call{Files: disk(t, nil)}, []tooltest.Case{
		{Name: "new", Args: `{}`, Want: `{"path":".","files":[],"count":0,"total":0,"truncated":false}`},
	})
}
