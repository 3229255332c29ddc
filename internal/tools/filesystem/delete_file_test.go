package filesystem

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDeleteFile(t *testing.T) {
	files, dir := diskAt(t, map[string]string{"a": "1", "d/e/f": "2", "d/g": "3", "keep/x": "kept", "empty/": "", "new\nline": ""})
	link(t, "/etc/passwd", filepath.Join(dir, "out"))
	link(t, "nowhere", filepath.Join(dir, "dangling"))
	link(t, "keep", filepath.Join(dir, "alias"))
	link(t, "../keep", filepath.Join(dir, "d", "keep"))
	if err := os.WriteFile(filepath.Join(dir, "d", "bad\xff"), nil, 0o600); err != nil {
		t.Logf("this file system has no such names: %v", err)
	}
	tooltest.Run(t, Set, "delete_file", tool.Call{Files: files}, []tooltest.Case{
		{Name: "file", Args: `{"path":"a"}`, Want: `{"success":true,"path":"a","deleted":true,"count":1}`},
		{Name: "again", Args: `{"path":"a"}`, Fails: tool.FileNotFound, Message: "File not found: a"},
		{Name: "directory without recursive", Args: `{"path":"d"}`, Fails: tool.ValidationError, Message: "set recursive to true"},
		{
			Name:    "empty directory without recursive",
			Args:    `{"path":"empty","recursive":false}`,
			Fails:   tool.ValidationError,
			Message: "Path is a directory",
		},
		{Name: "directory", Args: `{"path":"d/","recursive":true}`, Want: `{"success":true,"path":"d/","deleted":true,"count":6}`},
		{Name: "empty directory", Args: `{"path":"empty","recursive":true}`, Want: `{"success":true,"path":"empty","deleted":true,"count":1}`},
		{Name: "link out", Args: `{"path":"out"}`, Want: `{"success":true,"path":"out","deleted":true,"count":1}`},
		{Name: "dangling link", Args: `{"path":"dangling"}`, Want: `{"success":true,"path":"dangling","deleted":true,"count":1}`},
		{
			Name: "link to a directory",
			Args: `{"path":"alias","recursive":true}`,
			Want: `{"success":true,"path":"alias","deleted":true,"count":1}`,
		},
		{Name: "odd name", Args: `{"path":"new\nline"}`, Want: `{"success":true,"path":"new\nline","deleted":true,"count":1}`},
		{Name: "workspace", Args: `{"path":".","recursive":true}`, Fails: tool.ValidationError, Message: "The workspace itself"},
		{Name: "workspace, not recursive", Args: `{"path":"."}`, Fails: tool.ValidationError, Message: "The workspace itself"},
		{Name: "workspace the other way", Args: `{"path":"keep/..","recursive":true}`, Fails: tool.ValidationError},
		{Name: "outside", Args: `{"path":"../x","recursive":true}`, Fails: tool.PathNotAllowed},
		{Name: "absolute", Args: `{"path":"/","recursive":true}`, Fails: tool.PathNotAllowed},
		{Name: "no path", Args: `{"recursive":true}`, Fails: tool.ValidationError},
		{Name: "long name", Args: `{"path":"` + strings.Repeat("n", 300) + `"}`, Fails: tool.ValidationError, Message: "too long"},
	})
	wantTree(t, files, "keep/ keep/x")
	wantFile(t, files, "keep/x", "kept")
	wantDead(t, "delete_file", `{"path":"a"}`)
}

func TestDeleteFileCancelled(t *testing.T) {
	files := disk(t, map[string]string{"d/e": ""})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := deleteFile(ctx, &tool.Call{Files: files}, deleteFileArgs{Path: "d", Recursive: true})
	if failure := tool.AsError(err); failure == nil || failure.Kind != tool.Cancelled {
		t.Errorf("deleteFile in a cancelled call: error %v, want %s", err, tool.Cancelled)
	}
	wantTree(t, files, "d/ d/e")
}

// halfway removes a part and fails.
type halfway struct{ tool.Files }

func (halfway) RemoveAll(context.Context, string) (int, error) {
	return 3, tool.Fail(tool.ExecutionError, "The disk failed").Because(errors.New("input/output error"))
}

func TestDeleteFileTellsOfAPart(t *testing.T) {
	tooltest.Run(t, Set, "delete_file", tool.Call{Files: halfway{tooltest.Files{"d/e": ""}}}, []tooltest.Case{
		{
			Name:    "part",
			Args:    `{"path":"d","recursive":true}`,
			Fails:   tool.ExecutionError,
			Message: "(3 files and directories in it were deleted before that)",
		},
	})
}
