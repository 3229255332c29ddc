package workspace

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// endless never ends, and counts what was read of it.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	return len(p), nil
}

func TestBytesAreBounded(t *testing.T) {
	_, files, dir := bounded(t, Limits{MaxBytes: 100 << 10})
	if err := files.MkdirAll("old/deep"); err != nil {
		t.Fatal(err)
	}
	write(t, files, "old/deep/largest.bin", strings.Repeat("x", 50<<10))
	write(t, files, "f", "f")
	in := &endless{}
	_, err := files.Write("f", in)
	wantKind(t, "Write without an end", err, tool.ExecutionError)
	msg := tool.AsError(err).Msg
	for _, want := range []string{
		"The workspace is full", "of 100 KiB", "delete_file", `"old/deep/largest.bin" (50 KiB)`, `the directory "old" (50 KiB in 3 files)`,
	} {
		if !strings.Contains(msg, want) {
			t.Errorf("message %q, want it to hold %q", msg, want)
		}
	}
	if in.read > 200<<10 {
		t.Errorf("%d bytes were read of a write that could not fit, want it refused before", in.read)
	}
	wantText(t, files, "f", "f")
	_, err = files.Create("g", newFile, &endless{})
	wantKind(t, "Create without an end", err, tool.ExecutionError)
	wantKind(t, "Append", files.Append("f", make([]byte, 60<<10)), tool.ExecutionError)
	if err := files.Append("f", make([]byte, 10<<10)); err != nil {
		t.Errorf("Append of what fits: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("the workspace holds %v, %v, want old and f alone", entries, err)
	}
	if _, err := files.RemoveAll(t.Context(), "old"); err != nil {
		t.Fatal(err)
	}
	write(t, files, "g", strings.Repeat("x", 80<<10))
}

func TestFilesAreBounded(t *testing.T) {
	_, files, _ := bounded(t, Limits{MaxFiles: 10})
	if err := files.MkdirAll("d/e"); err != nil {
		t.Fatal(err)
	}
	for i := range 7 {
		write(t, files, fmt.Sprint("d/e/", i), "x")
	}
	wantKind(t, "MkdirAll of two", files.MkdirAll("x/y"), tool.ExecutionError)
	if err := files.Append("last", nil); err != nil {
		t.Fatal(err)
	}
	wantKind(t, "Append to a new file", files.Append("more", []byte("x")), tool.ExecutionError)
	_, err := files.Create("more", newFile, strings.NewReader("x"))
	wantKind(t, "Create", err, tool.ExecutionError)
	if msg := tool.AsError(err).Msg; !strings.Contains(msg, "10 of 10 files and directories") ||
		!strings.Contains(msg, `the directory "d" (7 B in 9 files)`) {
		t.Errorf("message %q, want it to say how many files there are, and where", msg)
	}
	wantKind(t, "MkdirAll", files.MkdirAll("more"), tool.ExecutionError)
	if err := files.MkdirAll("d/e"); err != nil {
		t.Errorf("MkdirAll of what is there: %v", err)
	}
	write(t, files, "d/e/1", "replacing takes no room")
	if err := files.Remove("d/e/0"); err != nil {
		t.Fatal(err)
	}
	write(t, files, "more", "x")
}

// Versions never keep anybody from writing: the oldest make room.
func TestVersionsMakeRoom(t *testing.T) {
	_, files, _ := bounded(t, Limits{MaxBytes: 100, Versions: 10, VersionBytes: 60})
	for i := range 5 {
		write(t, files, fmt.Sprint(i), strings.Repeat("x", 12))
		write(t, files, fmt.Sprint(i), "")
	}
	write(t, files, "new", strings.Repeat("n", 80))
	wantVersions(t, files, "0")
	wantVersions(t, files, "4", strings.Repeat("x", 12))
	write(t, files, "new", strings.Repeat("m", 95)) // too large to be kept, so its room counts
	wantVersions(t, files, "new")
}

// Two workers on one disk, and a program that writes past both.
func TestOthersWritesCount(t *testing.T) {
	w, files, dir := bounded(t, Limits{MaxBytes: 1000})
	write(t, files, "f", "f")
	if err := os.WriteFile(filepath.Join(dir, "by a program"), make([]byte, 2000), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Stale("acme", "u1")
	_, err := files.Write("g", strings.NewReader("g"))
	wantKind(t, "Write after a program filled the workspace", err, tool.ExecutionError)
	wantKind(t, "Room", w.Room("acme", "u1"), tool.ExecutionError)
	if err := w.Room("acme", "u2"); err != nil {
		t.Errorf("Room of somebody else: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "by a program")); err != nil {
		t.Fatal(err)
	}
	w.usage(dir).took = 0
	write(t, files, "g", "a write without room counts again")
	if err := w.Room("acme", "u1"); err != nil {
		t.Errorf("Room after that: %v", err)
	}
}

func TestRefusalWithinScopes(t *testing.T) {
	w, files, dir := bounded(t, Limits{MaxBytes: 100})
	if err := errors.Join(files.MkdirAll("mine"), files.MkdirAll("private")); err != nil {
		t.Fatal(err)
	}
	write(t, files, "mine/f", "f")
	write(t, files, "private/diary", strings.Repeat("x", 90))
	outsideOf(t, dir)
	link(t, "..", filepath.Join(dir, "up"))
	limited, err := w.For("acme", "u1", tool.Scopes{Paths: []string{"mine"}})
	if err != nil {
		t.Fatal(err)
	}
	w.Stale("acme", "u1")
	_, err = limited.Write("mine/g", strings.NewReader(strings.Repeat("x", 50)))
	wantKind(t, "Write", err, tool.ExecutionError)
	msg := tool.AsError(err).Msg
	if strings.Contains(msg, "private") || strings.Contains(msg, "diary") || strings.Contains(msg, "secret") ||
		!strings.Contains(msg, "mine/f") {
		t.Errorf("message %q, want it to name what is within reach alone", msg)
	}
	if !strings.Contains(msg, "holds 91 B of 100 B") {
		t.Errorf("message %q, want the link out not to count", msg)
	}
}

// What fails, or is thrown away half way, gives its room back.
func TestFailedWritesGiveBack(t *testing.T) {
	_, files, _ := bounded(t, Limits{MaxBytes: 100, MaxFiles: 2})
	broken := errors.New("broken")
	for range 10 {
		_, err := files.Write("f", io.MultiReader(strings.NewReader(strings.Repeat("x", 80)), errReader{broken}))
		if !errors.Is(err, broken) {
			t.Fatalf("Write = %v, want %v", err, broken)
		}
		func() {
			defer func() { _ = recover() }()
			_, _ = files.Write("f", io.MultiReader(strings.NewReader(strings.Repeat("x", 80)), panicking{}))
			t.Error("the panic was swallowed")
		}()
	}
	write(t, files, "f", strings.Repeat("x", 80))
}

type errReader struct{ err error }

func (e errReader) Read([]byte) (int, error) { return 0, e.err }
