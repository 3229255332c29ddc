package filesystem

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
	"golang.org/x/sys/unix"
)

// small returns a workspace on a disk of 256 KiB.
func small(t *testing.T, contents map[string]string) (files tool.Files, data string) {
	t.Helper()
	data = t.TempDir()
	if err := unix.Mount("helve-test", data, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("NOT TESTED: a full and a read-only disk need the right to mount one: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(data, unix.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return under(t, data, contents), data
}

// On a full disk every write fails as a whole.
func TestFullDisk(t *testing.T) {
	old := strings.Repeat("o", 100<<10)
	files, data := small(t, map[string]string{"old": old, "tree/a": "1", "tree/b": strings.Repeat("b", 80<<10)})
	body := tooltest.Doer(func(req *http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode:    http.StatusOK,
			Body:          io.NopCloser(strings.NewReader(strings.Repeat("x", 200<<10))),
			Request:       req,
			ContentLength: -1,
		}, nil
	})
	call := tool.Call{Files: files, HTTP: body}
	before := tree(t, files)
	for name, args := range map[string]string{
		"write_file":       `{"path":"old","content":"` + strings.Repeat("n", 150<<10) + `"}`,
		"files.write_text": `{"path":"new","content":"` + strings.Repeat("n", 150<<10) + `"}`,
		"copy_file":        `{"source":"tree","destination":"copy"}`,
		"download_file":    `{"url":"http://example.com/x","path":"old","overwrite":true}`,
	} {
		tooltest.Run(t, Set, name, call, []tooltest.Case{{Name: "full", Args: args, Fails: tool.ExecutionError, Message: "The disk is full"}})
	}
	wantTree(t, files, before)
	wantFile(t, files, "old", old)
	wantNoParts(t, filepath.Join(data, "workspaces", "acme", "u1"))
	tooltest.Run(t, Set, "delete_file", call, []tooltest.Case{
		{Name: "makes room", Args: `{"path":"tree","recursive":true}`, Want: `{"success":true,"path":"tree","deleted":true,"count":3}`},
	})
	tooltest.Run(t, Set, "write_file", call, []tooltest.Case{
		{Name: "room again", Args: `{"path":"new","content":"n"}`, Want: `{"success":true,"path":"new","size":1,"action":"written"}`},
	})
}

func TestReadOnlyDisk(t *testing.T) {
	files, data := small(t, map[string]string{"f": "old", "d/g": "1"})
	if err := unix.Mount("", data, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Skipf("NOT TESTED: a read-only disk: %v", err)
	}
	for name, args := range map[string]string{
		"write_file":       `{"path":"f","content":"new"}`,
		"copy_file":        `{"source":"f","destination":"g"}`,
		"move_file":        `{"source":"f","destination":"g"}`,
		"delete_file":      `{"path":"d","recursive":true}`,
		"create_folder":    `{"path":"e"}`,
		"files.ensure_dir": `{"path":"e"}`,
		"files.move_glob":  `{"from":".","patterns":["f"],"to":"d"}`,
	} {
		tooltest.Run(t, Set, name, tool.Call{Files: files}, []tooltest.Case{
			{Name: "read-only", Args: args, Fails: tool.ExecutionError, Message: "The workspace is read-only"},
		})
	}
	tooltest.Run(t, Set, "search_files", tool.Call{Files: files}, []tooltest.Case{
		{
			Name: "can be read",
			Args: `{"query":"old"}`,
			Want: `{"query":"old","path":".","count":1,"total":1,"results":[{"file":"f","line":1,"content":"old","match":"content"}],"truncated":false}`,
		},
	})
	wantTree(t, files, "d/ d/g f")
}
