package workspace

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/helve-dev/helve/tool"
)

// appendTo makes this test binary a process that appends to the workspaces
// under the directory it names.
const appendTo = "HELVE_TEST_APPEND_TO"

const appendedLines = 200

func TestMain(m *testing.M) {
	if data := os.Getenv(appendTo); data != "" {
		os.Exit(appendLines(data))
	}
	os.Exit(m.Run())
}

func appendLines(data string) int {
	w, err := New(data)
	if err != nil {
		return 1
	}
	files, err := w.For("acme", "u1")
	for i := 0; err == nil && i < appendedLines; i++ {
		err = files.Append("ledger.txt", fmt.Appendf(nil, "%d %d %s\n", os.Getpid(), i, strings.Repeat("x", i)))
	}
	if err != nil {
		return 1
	}
	return 0
}

func TestAppendFromManyProcesses(t *testing.T) {
	files, dir := open(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Dir(filepath.Dir(filepath.Dir(dir)))
	const processes = 4
	var all [processes]*exec.Cmd
	for i := range all {
		all[i] = exec.CommandContext(t.Context(), self)
		all[i].Env = append(os.Environ(), appendTo+"="+data)
		if err := all[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Fatalf("a process failed: %v", err)
		}
	}
	text, err := read(files, "ledger.txt")
	if err != nil {
		t.Fatal(err)
	}
	next := map[int]int{}
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		var pid, i int
		var tail string
		if n, _ := fmt.Sscan(lines.Text(), &pid, &i, &tail); n < 2 || i != next[pid] || len(tail) != i {
			t.Fatalf("line %q is torn or out of order, want number %d", lines.Text(), next[pid])
		}
		next[pid]++
	}
	if len(next) != processes || len(text) == 0 {
		t.Errorf("lines of %d processes, want %d", len(next), processes)
	}
	for pid, n := range next {
		if n != appendedLines {
			t.Errorf("process %d has %d lines, want %d", pid, n, appendedLines)
		}
	}
}

func TestReadersSeeWholeFiles(t *testing.T) {
	files, _ := open(t)
	const size = 256 << 10
	write(t, files, "f", strings.Repeat("0", size))
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				text, err := read(files, "f")
				if err != nil || len(text) != size || strings.Count(text, text[:1]) != size {
					t.Errorf("a reader saw %d bytes, %v, want one whole file", len(text), err)
					return
				}
			}
		})
	}
	for i := range 60 {
		// One byte at a time first, so that a write in place would show.
		part := strings.Repeat(string(rune('0'+i%10)), size)
		if _, err := files.Write("f",
			io.MultiReader(iotest.OneByteReader(strings.NewReader(part[:100])), strings.NewReader(part[100:]))); err != nil {
			t.Errorf("Write: %v", err)
			break
		}
	}
	close(stop)
	wg.Wait()
}

// wantOnlyF holds the directory on the host to the file f, temporary ones counted.
func wantOnlyF(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != "f" {
		t.Errorf("the directory holds %v, %v, want only f", entries, err)
	}
}

func TestFailingSource(t *testing.T) {
	files, dir := open(t)
	write(t, files, "f", "old")
	broke := errors.New("the source broke")
	n, err := files.Write("f", io.MultiReader(bytes.NewReader(make([]byte, 1<<20)), iotest.ErrReader(broke)))
	if n != 0 || !errors.Is(err, broke) || errors.As(err, new(*tool.Error)) {
		t.Errorf("Write = %d, %v, want 0 and the error of the source itself", n, err)
	}
	wantText(t, files, "f", "old")
	wantOnlyF(t, dir)
}

type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("in the source") }

func TestPanickingSource(t *testing.T) {
	files, dir := open(t)
	write(t, files, "f", "old")
	func() {
		defer func() { _ = recover() }()
		_, err := files.Write("f", panicking{})
		t.Errorf("Write returned %v, want the panic to go on", err)
	}()
	wantText(t, files, "f", "old")
	wantOnlyF(t, dir)
}

func TestModes(t *testing.T) {
	files, dir := open(t)
	path := filepath.Join(dir, "f")
	write(t, files, "f", "old")
	for _, mode := range []os.FileMode{0o600, 0o755, 0o640} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		write(t, files, "f", mode.String())
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Errorf("mode after a write = %v, %v, want %v", info.Mode(), err, mode)
		}
	}
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	_, err := files.Write("f", strings.NewReader("new"))
	wantKind(t, "Write to a read-only file", err, tool.PermissionDenied)
	if want := "Permission denied: cannot write to f"; tool.AsError(err).Msg != want {
		t.Errorf("message %q, want %q", tool.AsError(err).Msg, want)
	}
	wantKind(t, "Append to a read-only file", files.Append("f", []byte("new")), tool.PermissionDenied)
	wantText(t, files, "f", os.FileMode(0o640).String())
	wantOnlyF(t, dir)
}

func BenchmarkWrite(b *testing.B) {
	w, err := New(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	files, err := w.For("acme", "u1")
	if err != nil {
		b.Fatal(err)
	}
	data := make([]byte, 4096)
	for b.Loop() {
		if _, err := files.Write("f", bytes.NewReader(data)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStat(b *testing.B) {
	w, err := New(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	files, err := w.For("acme", "u1")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := files.Stat("."); err != nil {
			b.Fatal(err)
		}
	}
}
