package filesystem

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
	"golang.org/x/sys/unix"
)

func TestCopyFile(t *testing.T) {
	files, dir := diskAt(t, map[string]string{
		"a.txt": "alpha", "run.sh": "#!", "old.txt": "old", "d/x": "1", "d/.h": "2", "d/e/y": "33", "d/e/empty/": "", "into/": "",
		"into/d/x": "was", "into/d/z": "stays",
	})
	link(t, "a.txt", filepath.Join(dir, "alias"))
	link(t, "/etc/passwd", filepath.Join(dir, "out"))
	if err := os.Chmod(filepath.Join(dir, "run.sh"), 0o750); err != nil {
		t.Fatal(err)
	}
	tooltest.Run(t, Set, "copy_file", tool.Call{Files: files}, []tooltest.Case{
		{
			Name: "file", Args: `{"source":"a.txt","destination":"b.txt"}`,
			Want: `{"success":true,"source":"a.txt","destination":"b.txt","action":"copied","files":1,"size":5}`,
		},
		{
			Name: "mode", Args: `{"source":"run.sh","destination":"new/deep/run2.sh"}`,
			Want: `{"success":true,"source":"run.sh","destination":"new/deep/run2.sh","action":"copied","files":1,"size":2}`,
		},
		{
			Name: "there already", Args: `{"source":"a.txt","destination":"old.txt"}`, Fails: tool.ValidationError,
			Message: "The destination exists already: old.txt; set overwrite",
		},
		{
			Name: "over a file", Args: `{"source":"a.txt","destination":"old.txt","overwrite":true}`,
			Want: `{"success":true,"source":"a.txt","destination":"old.txt","action":"copied","files":1,"size":5}`,
		},
		{
			Name: "overwrite nothing", Args: `{"source":"run.sh","destination":"c.sh","overwrite":true}`,
			Want: `{"success":true,"source":"run.sh","destination":"c.sh","action":"copied","files":1,"size":2}`,
		},
		{
			Name: "into a directory", Args: `{"source":"a.txt","destination":"into"}`,
			Want: `{"success":true,"source":"a.txt","destination":"into/a.txt","action":"copied","files":1,"size":5}`,
		},
		{
			Name: "into a new directory", Args: `{"source":"a.txt","destination":"fresh/"}`,
			Want: `{"success":true,"source":"a.txt","destination":"fresh/a.txt","action":"copied","files":1,"size":5}`,
		},
		{
			Name: "link", Args: `{"source":"alias","destination":"from-link"}`,
			Want: `{"success":true,"source":"alias","destination":"from-link","action":"copied","files":1,"size":5}`,
		},
		{
			Name: "directory", Args: `{"source":"d","destination":"d2"}`,
			Want: `{"success":true,"source":"d","destination":"d2","action":"copied","files":3,"size":4}`,
		},
		{
			Name: "directory over another", Args: `{"source":"d","destination":"into","overwrite":true}`,
			Want: `{"success":true,"source":"d","destination":"into/d","action":"copied","files":3,"size":4}`,
		},
		{
			Name: "directory that is there", Args: `{"source":"d","destination":"into"}`, Fails: tool.ValidationError,
			Message: "exists already: into/d",
		},
		{
			Name: "onto itself", Args: `{"source":"a.txt","destination":"./a.txt","overwrite":true}`, Fails: tool.ValidationError,
			Message: "are the same",
		},
		{
			Name: "directory onto itself", Args: `{"source":"d","destination":"d/","overwrite":true}`, Fails: tool.ValidationError,
			Message: "are the same",
		},
		{Name: "into itself", Args: `{"source":"d","destination":"d/e/copy"}`, Fails: tool.ValidationError, Message: "into itself"},
		{
			Name: "directory over a file", Args: `{"source":"d","destination":"a.txt","overwrite":true}`, Fails: tool.ValidationError,
			Message: "nor a directory a file",
		},
		{Name: "workspace", Args: `{"source":".","destination":"all"}`, Fails: tool.ValidationError, Message: "The workspace itself"},
		{Name: "link out", Args: `{"source":"out","destination":"passwd"}`, Fails: tool.PathNotAllowed},
		{Name: "to a link out", Args: `{"source":"a.txt","destination":"out","overwrite":true}`, Fails: tool.PathNotAllowed},
		{Name: "missing", Args: `{"source":"no","destination":"x/y"}`, Fails: tool.FileNotFound, Message: "File not found: no"},
		{Name: "from outside", Args: `{"source":"/etc/passwd","destination":"x"}`, Fails: tool.PathNotAllowed},
		{Name: "to outside", Args: `{"source":"a.txt","destination":"../x"}`, Fails: tool.PathNotAllowed},
		{Name: "through a file", Args: `{"source":"a.txt","destination":"old.txt/x"}`, Fails: tool.ValidationError},
		{Name: "no destination", Args: `{"source":"a.txt"}`, Fails: tool.ValidationError, Message: "destination"},
		{Name: "empty destination", Args: `{"source":"a.txt","destination":""}`, Fails: tool.ValidationError},
		{
			Name: "move", Args: `{"source":"b.txt","destination":"moved/b.txt","move":true}`,
			Want: `{"success":true,"source":"b.txt","destination":"moved/b.txt","action":"moved"}`,
		},
		{Name: "move again", Args: `{"source":"b.txt","destination":"moved/b.txt","move":true}`, Fails: tool.FileNotFound},
	})
	wantTree(t, files, "a.txt alias c.sh d/ d/.h d/e/ d/e/empty/ d/e/y d/x d2/ d2/.h d2/e/ d2/e/empty/ d2/e/y d2/x "+
		"fresh/ fresh/a.txt from-link into/ into/a.txt into/d/ into/d/.h into/d/e/ into/d/e/empty/ into/d/e/y into/d/x into/d/z moved/ "+
		"moved/b.txt new/ new/deep/ new/deep/run2.sh old.txt out run.sh")
	for name, want := range map[string]string{"old.txt": "alpha", "into/d/x": "1", "into/d/z": "stays", "from-link": "alpha", "d2/e/y": "33"} {
		wantFile(t, files, name, want)
	}
	for name, want := range map[string]fs.FileMode{"new/deep/run2.sh": 0o750, "c.sh": 0o750, "old.txt": 0o644, "from-link": 0o644} {
		if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || info.Mode() != want {
			t.Errorf("mode of %s = %v, %v, want %v", name, info.Mode(), err, want)
		}
	}
	wantDead(t, "copy_file", `{"source":"a","destination":"b"}`)
}

// A directory that cannot be copied completely is not copied at all.
func TestCopyFileRefusesTrees(t *testing.T) {
	files, dir := diskAt(t, map[string]string{
		"out/a": "1", "dirlink/a": "1", "round/a": "1", "pipe/a": "1", "dangling/a": "1", "inside/a": "1", "kinds/a": "1", "dest/kinds/a/": "",
	})
	link(t, "/etc/passwd", filepath.Join(dir, "out", "z"))
	link(t, "../inside", filepath.Join(dir, "dirlink", "z"))
	link(t, ".", filepath.Join(dir, "round", "z"))
	link(t, "nowhere", filepath.Join(dir, "dangling", "z"))
	link(t, "a", filepath.Join(dir, "inside", "z"))
	if err := unix.Mkfifo(filepath.Join(dir, "pipe", "z"), 0o600); err != nil {
		t.Fatal(err)
	}
	tooltest.Run(t, Set, "copy_file", tool.Call{Files: files}, []tooltest.Case{
		{Name: "link out", Args: `{"source":"out","destination":"x"}`, Fails: tool.PathNotAllowed},
		{
			Name: "link to a directory", Args: `{"source":"dirlink","destination":"x"}`, Fails: tool.ValidationError,
			Message: "dirlink/z is a link to a directory",
		},
		{
			Name: "link to itself", Args: `{"source":"round","destination":"x"}`, Fails: tool.ValidationError,
			Message: "round/z is a link to a directory",
		},
		{Name: "pipe", Args: `{"source":"pipe","destination":"x"}`, Fails: tool.PathNotAllowed, Message: "pipe/z"},
		{Name: "one pipe", Args: `{"source":"pipe/z","destination":"x"}`, Fails: tool.PathNotAllowed},
		{Name: "dangling link", Args: `{"source":"dangling","destination":"x"}`, Fails: tool.FileNotFound, Message: "dangling/z"},
		{
			Name: "file over a directory", Args: `{"source":"kinds","destination":"dest","overwrite":true}`, Fails: tool.ValidationError,
			Message: "dest/kinds/a",
		},
		{
			Name: "link inside", Args: `{"source":"inside","destination":"copy"}`,
			Want: `{"success":true,"source":"inside","destination":"copy","action":"copied","files":2,"size":2}`,
		},
	})
	if _, err := files.Lstat("x"); !missing(err) {
		t.Errorf("a refused copy left something: %v", err)
	}
	if info, err := files.Lstat("copy/z"); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the copy of a link is %v, %v, want a file", info, err)
	}
}

func TestCopyFileBounds(t *testing.T) {
	files, dir := diskAt(t, map[string]string{"many/f": "", "heavy/": ""})
	for i := range maxCopied {
		if err := os.Link(filepath.Join(dir, "many", "f"), filepath.Join(dir, "many", fmt.Sprint("f", i))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"one", "two"} {
		f, err := os.Create(filepath.Join(dir, "heavy", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(f.Truncate(maxCopiedSize-int64(len(name))), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Truncate(filepath.Join(dir, "heavy", "two"), maxCopiedSize+1); err != nil {
		t.Fatal(err)
	}
	tooltest.Run(t, Set, "copy_file", tool.Call{Files: files}, []tooltest.Case{
		{Name: "many", Args: `{"source":"many","destination":"x"}`, Fails: tool.FileTooLarge, Message: "more than 10000"},
		{Name: "heavy", Args: `{"source":"heavy","destination":"x"}`, Fails: tool.FileTooLarge, Message: "1GB"},
		{Name: "one heavy", Args: `{"source":"heavy/two","destination":"x"}`, Fails: tool.FileTooLarge, Message: "1GB"},
	})
	if _, err := files.Lstat("x"); !missing(err) {
		t.Errorf("a refused copy left something: %v", err)
	}
}

// breaking is a workspace in which one file cannot be created.
type breaking struct {
	tool.Files

	name string
}

func (b breaking) Create(name string, mode fs.FileMode, data io.Reader) (int64, error) {
	if name == b.name {
		return 0, tool.Fail(tool.ExecutionError, "The disk is full: cannot write to %s", name)
	}
	return b.Files.Create(name, mode, data)
}

func TestCopyFileUndoes(t *testing.T) {
	files := disk(t, map[string]string{"d/a": "1", "d/b": "2", "there/d/c": "3"})
	tooltest.Run(t, Set, "copy_file", tool.Call{Files: breaking{files, "x/b"}}, []tooltest.Case{
		{Name: "new", Args: `{"source":"d","destination":"x"}`, Fails: tool.ExecutionError, Message: "The disk is full: cannot write to x/b"},
	})
	tooltest.Run(t, Set, "copy_file", tool.Call{Files: breaking{files, "there/d/b"}}, []tooltest.Case{
		{
			Name:    "into what was there",
			Args:    `{"source":"d","destination":"there","overwrite":true}`,
			Fails:   tool.ExecutionError,
			Message: "(1 files were copied before that and are in there/d)",
		},
	})
	wantTree(t, files, "d/ d/a d/b there/ there/d/ there/d/a there/d/c")
}

func TestCopyFileCancelled(t *testing.T) {
	files := disk(t, map[string]string{"a": "1"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := carry(ctx, &tool.Call{Files: files}, copyFileArgs{Source: "a", Destination: "b"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a copy in a cancelled call: error %v, want %v", err, context.Canceled)
	}
	wantTree(t, files, "a")
}

// growing is a file that is longer than its stated size.
type growing struct{ tool.Files }

func (g growing) Open(string) (fs.File, error) {
	f, err := g.Files.Open("a")
	return &grown{File: f}, err
}

type grown struct{ fs.File }

func (*grown) Read(p []byte) (int, error) { return len(p), nil }

func TestCopyFileThatGrows(t *testing.T) {
	files := disk(t, map[string]string{"a": "1"})
	tr := &transfer{files: growing{files}, from: "a", to: "b"}
	if _, err := tr.copyFile(t.Context(), "a", "b", 100_000); tool.AsError(err) == nil || tool.AsError(err).Kind != tool.FileTooLarge {
		t.Errorf("copy of a file that grows: error %v, want %s", err, tool.FileTooLarge)
	}
	wantTree(t, files, "a")
}
