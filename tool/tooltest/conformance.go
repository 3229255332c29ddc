package tooltest

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/helve-dev/helve/tool"
)

// TestFiles tests that files, an empty workspace, keeps the contract of [tool.Files]
// whatever its storage: which paths exist, which kind each failure has, and that a
// failed write changes nothing. It leaves files behind.
func TestFiles(t *testing.T, files tool.Files) {
	for name, part := range map[string]func(contract){
		"contents": contract.contents, "directories": contract.directories, "moving": contract.moving,
		"walking": contract.walking, "entries": contract.entries, "only once": contract.onlyOnce, "removing": contract.removing,
		"describing":   contract.describing,
		"failed write": contract.failedWrite, "kinds": contract.kinds,
	} {
		t.Run(name, func(t *testing.T) { part(contract{t, files}) })
	}
}

// contract is one part of the test.
type contract struct {
	*testing.T

	files tool.Files
}

func (c contract) put(name, text string) {
	c.Helper()
	n, err := c.files.Write(name, strings.NewReader(text))
	if err != nil || n != int64(len(text)) {
		c.Fatalf("Write(%q) = %d, %v, want %d, nil", name, n, err, len(text))
	}
}

func (c contract) wantText(name, want string) {
	c.Helper()
	f, err := c.files.Open(name)
	if err != nil {
		c.Errorf("Open(%q): %v", name, err)
		return
	}
	got, err := io.ReadAll(f)
	if err != nil || string(got) != want {
		c.Errorf("contents of %q = %q, %v, want %q", name, got, err, want)
	}
	if info, err := f.Stat(); err != nil || info.Size() != int64(len(want)) {
		c.Errorf("Stat of the open %q: %v, %v, want size %d", name, info, err, len(want))
	}
	if err := f.Close(); err != nil {
		c.Errorf("Close(%q): %v", name, err)
	}
}

func (c contract) wantKind(what string, err error, want tool.Kind) {
	c.Helper()
	failure, ok := errors.AsType[*tool.Error](err)
	if !ok || failure.Kind != want {
		c.Errorf("%s: error %v, want a *tool.Error of kind %s", what, err, want)
	}
}

// wantMissing also wants the error to name the path as it was sent.
func (c contract) wantMissing(what string, err error, name string) {
	c.Helper()
	c.wantKind(what+" of "+name, err, tool.FileNotFound)
	if failure, want := tool.AsError(err), "File not found: "+name; failure != nil && failure.Msg != want {
		c.Errorf("%s: message %q, want %q", what, failure.Msg, want)
	}
}

func (c contract) contents() {
	for _, name := range []string{"a.txt", "sp ace ünï-кана.txt", ".hidden", "a..b", "..."} {
		c.put(name, "old and long")
		c.put(name, "new")
		c.wantText(name, "new")
		if err := c.files.Append(name, []byte(" end")); err != nil {
			c.Errorf("Append(%q): %v", name, err)
		}
		c.wantText(name, "new end")
	}
	if err := c.files.Append("fresh.txt", []byte("made")); err != nil {
		c.Errorf("Append to a new file: %v", err)
	}
	c.wantText("./x/../fresh.txt", "made")
	c.put("empty.txt", "")
	c.wantText("empty.txt", "")
}

func (c contract) directories() {
	for range 2 { // an existing directory is not an error
		if err := c.files.MkdirAll("d/e/f"); err != nil {
			c.Errorf("MkdirAll: %v", err)
		}
	}
	c.put("d/z.txt", "1")
	c.put("d/b.txt", "22")
	entries, err := c.files.ReadDir("d")
	if err != nil {
		c.Fatalf("ReadDir: %v", err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{"b.txt", "e", "z.txt"}; !slices.Equal(names, want) {
		c.Fatalf("ReadDir = %q, want %q", names, want)
	}
	if info, err := entries[0].Info(); err != nil || info.Size() != 2 || !entries[1].IsDir() {
		c.Errorf("ReadDir: b.txt is %v, %v and e a directory %v, want 2 bytes and true", info, err, entries[1].IsDir())
	}
	if info, err := c.files.Stat("d/"); err != nil || !info.IsDir() {
		c.Errorf("Stat(d/) = %v, %v, want a directory", info, err)
	}
	if _, err := c.files.ReadDir("."); err != nil {
		c.Errorf("ReadDir(.): %v", err)
	}
	c.wantKind("Remove of a full directory", c.files.Remove("d"), tool.ValidationError)
	if err := errors.Join(c.files.Remove("d/e/f"), c.files.Remove("d/e")); err != nil {
		c.Errorf("Remove of an empty directory: %v", err)
	}
	_, err = c.files.Stat("d/e")
	c.wantKind("Stat of what was removed", err, tool.FileNotFound)
}

func (c contract) moving() {
	if err := c.files.MkdirAll("from"); err != nil {
		c.Fatal(err)
	}
	c.put("from/a", "a")
	if err := c.files.Rename("from", "to"); err != nil {
		c.Errorf("Rename: %v", err)
	}
	c.wantText("to/a", "a")
	_, err := c.files.Stat("from/a")
	c.wantKind("Stat of what was moved", err, tool.FileNotFound)
	c.wantMissing("Rename of nothing", c.files.Rename("from", "x"), "from")
	c.wantMissing("Rename to nowhere", c.files.Rename("to", "no/where"), "no/where")
	c.wantKind("Rename out", c.files.Rename("to", "../to"), tool.PathNotAllowed)
	c.wantKind("Rename in", c.files.Rename("../to", "to2"), tool.PathNotAllowed)
	c.wantKind("Rename into itself", c.files.Rename("to", "to/a2"), tool.ValidationError)
	c.wantKind("Rename of the workspace", c.files.Rename(".", "x"), tool.ValidationError)
	c.wantKind("Remove of the workspace", c.files.Remove("."), tool.ValidationError)
}

func (c contract) failedWrite() {
	c.put("keep.txt", "old")
	before, err := c.files.ReadDir(".")
	if err != nil {
		c.Fatal(err)
	}
	broken := io.MultiReader(strings.NewReader("half of it"), iotest.ErrReader(errors.New("the source broke")))
	if _, err := c.files.Write("keep.txt", broken); err == nil || !strings.Contains(err.Error(), "the source broke") {
		c.Errorf("Write from a failing reader: error %v, want the reader's", err)
	}
	c.wantText("keep.txt", "old")
	after, err := c.files.ReadDir(".")
	if err != nil || len(after) != len(before) {
		c.Errorf("after a failed write the directory has %d entries, %v, want %d", len(after), err, len(before))
	}
}

func (c contract) kinds() {
	c.put("file", "text")
	if err := c.files.MkdirAll("dir"); err != nil {
		c.Fatal(err)
	}
	operations := map[string]func(name string) error{
		"Open":     func(name string) error { _, err := c.files.Open(name); return err },
		"Stat":     func(name string) error { _, err := c.files.Stat(name); return err },
		"ReadDir":  func(name string) error { _, err := c.files.ReadDir(name); return err },
		"Write":    func(name string) error { _, err := c.files.Write(name, strings.NewReader("x")); return err },
		"Append":   func(name string) error { return c.files.Append(name, []byte("x")) },
		"MkdirAll": c.files.MkdirAll,
		"Remove":   c.files.Remove,
	}
	for op, do := range operations {
		for _, name := range []string{"/etc/passwd", "..", "../x", "a/../../x", "dir/../../x", "/", "//", `C:\x`, "C:/x", `\x`, `..\x`} {
			c.wantKind(op+"("+name+")", do(name), tool.PathNotAllowed)
		}
		for _, name := range []string{"", `dir\x`, "nul\x00"} {
			c.wantKind(op+"("+name+")", do(name), tool.ValidationError)
		}
	}
	for _, op := range []string{"Open", "Stat", "ReadDir", "Remove"} {
		for _, name := range []string{"no/where", "./no such.txt"} {
			c.wantMissing(op, operations[op](name), name)
		}
	}
	for _, op := range []string{"Open", "Write", "Append"} {
		for _, name := range []string{"dir", "dir/", ".", "file/"} {
			c.wantKind(op+"("+name+")", operations[op](name), tool.ValidationError)
		}
	}
	for _, op := range []string{"Write", "Append"} {
		c.wantKind(op+" without a parent", operations[op]("no/where"), tool.FileNotFound)
		c.wantKind(op+" through a file", operations[op]("file/x"), tool.ValidationError)
	}
	c.wantKind("ReadDir of a file", operations["ReadDir"]("file"), tool.ValidationError)
	c.wantKind("MkdirAll over a file", operations["MkdirAll"]("file/x"), tool.ValidationError)
	c.wantText("file", "text")
}
