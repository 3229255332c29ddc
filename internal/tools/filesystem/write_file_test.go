package filesystem

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestWriteFile(t *testing.T) {
	files := disk(t, map[string]string{"old.txt": "old contents", "log": "one\n"})
	if err := files.MkdirAll("dir"); err != nil {
		t.Fatal(err)
	}
	tooltest.Run(t, Set, "write_file", tool.Call{Files: files}, []tooltest.Case{
		{
			Name: "new", Args: `{"path":"a.txt","content":"grüße"}`,
			Want: `{"success":true,"path":"a.txt","size":7,"action":"written"}`, WantText: "Successfully wrote 7 bytes to a.txt (mode: overwrite)",
		},
		{
			Name: "overwrite", Args: `{"path":"old.txt","content":"new","mode":"overwrite"}`,
			Want: `{"success":true,"path":"old.txt","size":3,"action":"written"}`,
		},
		{
			Name: "append", Args: `{"path":"log","content":"two\n","mode":"append"}`,
			Want: `{"success":true,"path":"log","size":8,"action":"appended"}`, WantText: "Successfully wrote 4 bytes to log (mode: append)",
		},
		{
			Name: "append the other way", Args: `{"path":"log","content":"three\n","append":true}`,
			WantText: "Successfully wrote 6 bytes to log (mode: append)",
		},
		{
			Name: "append false", Args: `{"path":"fresh","content":"x","append":false}`,
			Want: `{"success":true,"path":"fresh","size":1,"action":"written"}`,
		},
		{Name: "nothing", Args: `{"path":"empty","content":""}`, Want: `{"success":true,"path":"empty","size":0,"action":"written"}`},
		{Name: "parents", Args: `{"path":"x/y/z.txt","content":"deep"}`, Want: `{"success":true,"path":"x/y/z.txt","size":4,"action":"written"}`},
		{
			Name: "append with parents", Args: `{"path":"p/q","content":"deep","mode":"append"}`,
			Want: `{"success":true,"path":"p/q","size":4,"action":"appended"}`,
		},
		{
			Name: "no parents", Args: `{"path":"n/o.txt","content":"x","createDirs":false}`, Fails: tool.FileNotFound,
			Message: "Directory not found: n",
		},
		{Name: "bad mode", Args: `{"path":"a","content":"x","mode":"prepend"}`, Fails: tool.ValidationError, Message: "append"},
		{Name: "no content", Args: `{"path":"a"}`, Fails: tool.ValidationError, Message: "content"},
		{Name: "null content", Args: `{"path":"a","content":null}`, Fails: tool.ValidationError, Message: "content"},
		{Name: "directory", Args: `{"path":"dir","content":"x"}`, Fails: tool.ValidationError, Message: "Path is a directory, not a file: dir"},
		{Name: "new directory", Args: `{"path":"newdir/sub/","content":"x"}`, Fails: tool.ValidationError, Message: "Path is a directory"},
		{Name: "through a file", Args: `{"path":"log/x","content":"x"}`, Fails: tool.ValidationError},
		{
			Name: "outside", Args: `{"path":"../x","content":"x"}`, Fails: tool.PathNotAllowed,
			Message: "Access denied: path is outside the workspace",
		},
		{Name: "outside with parents", Args: `{"path":"../x/y/z","content":"x"}`, Fails: tool.PathNotAllowed},
		{Name: "absolute", Args: `{"path":"/tmp/x","content":"x"}`, Fails: tool.PathNotAllowed},
	})
	wantFile(t, files, "old.txt", "new")
	wantFile(t, files, "log", "one\ntwo\nthree\n")
	wantFile(t, files, "x/y/z.txt", "deep")
	for _, name := range []string{"newdir", "n", "a"} {
		if _, err := files.Stat(name); err == nil {
			t.Errorf("a refused call made %s", name)
		}
	}
}

// UTF-16 continues as the file began, and has one byte order mark.
func TestAppendUTF16(t *testing.T) {
	for _, tt := range []struct{ before, encoding, want string }{
		{"", "UTF-16", "\xfe\xff\x00x\x00y"},
		{"", "UTF-16LE", "x\x00y\x00"},
		{"\xff\xfea\x00", "UTF-16", "\xff\xfea\x00x\x00y\x00"},
		{"\xff\xfea\x00", "utf-16be", "\xff\xfea\x00x\x00y\x00"},
		{"\xfe\xff\x00a", "UTF-16", "\xfe\xff\x00a\x00x\x00y"},
		{"\xfe\xff\x00a", "UTF-16LE", "\xfe\xff\x00a\x00x\x00y"},
		{"\x00a", "UTF-16", "\x00a\x00x\x00y"},
		{"a\x00", "UTF-16LE", "a\x00x\x00y\x00"},
	} {
		files := disk(t, map[string]string{"f": tt.before})
		tooltest.Run(t, Set, "write_file", tool.Call{Files: files}, []tooltest.Case{
			{
				Name: "first", Args: `{"path":"f","content":"x","mode":"append","encoding":"` + tt.encoding + `"}`,
				Check: func(*testing.T, tool.Result) {},
			},
		})
		tooltest.Run(t, Set, "files.write_text", tool.Call{Files: files}, []tooltest.Case{
			{
				Name: "second", Args: `{"path":"f","content":"y","mode":"append","encoding":"` + tt.encoding + `"}`,
				Check: func(*testing.T, tool.Result) {},
			},
		})
		wantFile(t, files, "f", tt.want)
	}
	tooltest.Run(t, Set, "write_file", tool.Call{Files: disk(t, map[string]string{"d/": ""})}, []tooltest.Case{
		{
			Name: "new", Args: `{"path":"n/f","content":"x","append":true,"encoding":"UTF-16"}`,
			Want: `{"success":true,"path":"n/f","size":4,"action":"appended"}`,
		},
		{
			Name: "directory", Args: `{"path":"d","content":"x","append":true,"encoding":"UTF-16"}`, Fails: tool.ValidationError,
			Message: "Path is a directory",
		},
		{Name: "outside", Args: `{"path":"../d","content":"x","append":true,"encoding":"UTF-16"}`, Fails: tool.PathNotAllowed},
	})
}

// After the death of a worker the call may run again only if a second run changes
// nothing.
func TestWriteFileRepeats(t *testing.T) {
	for args, want := range map[string]bool{
		`{"path":"a","content":"x","mode":"overwrite"}`:               true,
		`{"path":"a","content":"x"}`:                                  true,
		`{"path":"a","content":"x","mode":"append"}`:                  false,
		`{"path":"a","content":"x","mode":"overwrite","append":true}`: false,
	} {
		for _, tl := range Set.Tools() {
			if tl.Name != "write_file" {
				continue
			}
			inv, err := tl.Bind(json.RawMessage(args))
			if err != nil || inv.Idempotent != want || !inv.Mutates {
				t.Errorf("Bind(%s): idempotent %v, mutates %v, %v, want %v, true", args, inv.Idempotent, inv.Mutates, err, want)
			}
		}
	}
}

func TestWriteFileCancelled(t *testing.T) {
	files := disk(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := writeFile(ctx, &tool.Call{Files: files}, writeArgs{Path: "f", Content: "x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("writeFile in a cancelled call: error %v, want %v", err, context.Canceled)
	}
	if _, err := files.Stat("f"); err == nil {
		t.Error("a cancelled call wrote the file")
	}
}
