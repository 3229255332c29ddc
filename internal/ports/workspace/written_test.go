package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/helve-dev/helve/tool"
)

func written(files tool.Files) (all []string) {
	for _, f := range files.(tool.FileWriteLog).Written() {
		all = append(all, fmt.Sprintf("%s %d %s", f.Path, f.Size, f.Type))
	}
	return all
}

// TestWritten: the log of a folder has each successfully written file once, under its
// last path, as it is now; not what failed, was only moved or is gone again.
func TestWritten(t *testing.T) {
	whole, _ := open(t)
	write(t, whole, "old.txt", "old")
	write(t, whole, "moved.txt", "m")
	files := &folder{dir: whole.(*folder).dir, usage: whole.(*folder).usage}
	if got := written(files); got != nil {
		t.Fatalf("a folder without writes has written %v", got)
	}
	if _, err := files.Write("broken.txt", iotest.ErrReader(errors.New("cut"))); err == nil {
		t.Fatal("a write with a broken source succeeded")
	}
	write(t, files, "./old.txt", "newer")
	write(t, files, "old.txt", "newest")
	if err := files.Append("log.md", []byte("line\n")); err != nil {
		t.Fatal(err)
	}
	if err := files.MkdirAll("dir"); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Create("dir/a.png", 0o644, strings.NewReader("png")); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"dir": "images", "moved.txt": "elsewhere.txt"} {
		if err := files.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	write(t, files, "temp.bin", "x")
	if err := files.Discard(context.Background(), "temp.bin"); err != nil {
		t.Fatal(err)
	}
	want := []string{"old.txt 6 text/plain; charset=utf-8", "log.md 5 text/markdown; charset=utf-8", "images/a.png 3 image/png"}
	if got := written(files); !slices.Equal(got, want) {
		t.Errorf("written %q, want %q", got, want)
	}
}

// TestWrittenIsBounded: a call that writes very many files names the first ones.
func TestWrittenIsBounded(t *testing.T) {
	files, _ := open(t)
	for i := range maxWritten + 5 {
		if _, err := files.Create(fmt.Sprintf("%03d.txt", i), 0o644, io.LimitReader(nil, 0)); err != nil {
			t.Fatal(err)
		}
	}
	if got := written(files); len(got) != maxWritten || !strings.HasPrefix(got[0], "000.txt 0 ") {
		t.Errorf("%d files are named, the first is %q; want %d from 000.txt", len(got), got[0], maxWritten)
	}
}
