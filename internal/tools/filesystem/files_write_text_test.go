package filesystem

import (
	"path/filepath"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestFilesWriteText(t *testing.T) {
	files, dir := diskAt(t, map[string]string{"d/": ""})
	link(t, "no/where", filepath.Join(dir, "dangling"))
	tooltest.Run(t, Set, "files.write_text", tool.Call{Files: files}, []tooltest.Case{
		{
			Name:     "new",
			Args:     `{"path":"a/b.txt","content":"one\n"}`,
			Want:     `{"success":true,"path":"a/b.txt","size":4,"action":"written"}`,
			WantText: "Successfully wrote 4 bytes to a/b.txt (mode: overwrite)",
		},
		{
			Name: "append",
			Args: `{"path":"a/b.txt","content":"two\n","mode":"append"}`,
			Want: `{"success":true,"path":"a/b.txt","size":8,"action":"appended"}`,
		},
		{
			Name: "character set",
			Args: `{"path":"c.txt","content":"Привет","encoding":"windows-1251"}`,
			Want: `{"success":true,"path":"c.txt","size":6,"action":"written"}`,
		},
		{
			Name:    "not in the set",
			Args:    `{"path":"c.txt","content":"Привет","encoding":"ISO-8859-1"}`,
			Fails:   tool.ValidationError,
			Message: "does not have",
		},
		{
			Name:    "bytes",
			Args:    `{"path":"c.txt","content":"AA==","encoding":"base64"}`,
			Fails:   tool.ValidationError,
			Message: "base64 is not text",
		},
		{Name: "directory", Args: `{"path":"d","content":"x"}`, Fails: tool.ValidationError},
		{Name: "a link to nowhere", Args: `{"path":"dangling","content":"x"}`, Fails: tool.FileNotFound, Message: "dangling"},
		{Name: "outside", Args: `{"path":"../x","content":"x"}`, Fails: tool.PathNotAllowed},
		{Name: "no content", Args: `{"path":"x"}`, Fails: tool.ValidationError},
	})
	wantFile(t, files, "a/b.txt", "one\ntwo\n")
	wantFile(t, files, "c.txt", "\xcf\xf0\xe8\xe2\xe5\xf2")
	wantDead(t, "files.write_text", `{"path":"a","content":"x"}`)
	wantDead(t, "write_file", `{"path":"a","content":"x"}`)
}
