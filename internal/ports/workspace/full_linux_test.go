package workspace

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"golang.org/x/sys/unix"
)

// small returns a workspace on a file system of 64 KiB.
func small(t *testing.T) (tool.Files, string) {
	t.Helper()
	data := t.TempDir()
	if err := unix.Mount("helve-test", data, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("NOT TESTED: a full disk needs the right to mount one: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(data, unix.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	w, err := New(data)
	if err != nil {
		t.Fatal(err)
	}
	return user(t, w, "acme", "u1"), filepath.Join(data, "workspaces", "acme", "u1")
}

func TestFullDisk(t *testing.T) {
	files, dir := small(t)
	old := strings.Repeat("o", 20<<10)
	write(t, files, "f", old)
	_, err := files.Write("f", bytes.NewReader(make([]byte, 50<<10)))
	wantKind(t, "Write to a full disk", err, tool.ExecutionError)
	if msg := tool.AsError(err).Msg; !strings.Contains(msg, "The disk is full: cannot write to f") {
		t.Errorf("message %q, want it to say that the disk is full", msg)
	}
	wantText(t, files, "f", old)
	wantOnlyF(t, dir)
	write(t, files, "f", "there is room again")

	err = files.Append("g", make([]byte, 80<<10))
	wantKind(t, "Append to a full disk", err, tool.ExecutionError)
	if msg := tool.AsError(err).Msg; !strings.Contains(msg, "of 81920 bytes were appended") {
		t.Errorf("message %q, want it to say how much is there", msg)
	}
	wantKind(t, "Append with no room at all", files.Append("h", []byte("x")), tool.ExecutionError)
	wantText(t, files, "f", "there is room again")
}

func TestReadOnlyDisk(t *testing.T) {
	files, dir := small(t)
	write(t, files, "f", "old")
	data := filepath.Dir(filepath.Dir(filepath.Dir(dir)))
	if err := unix.Mount("", data, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Skipf("NOT TESTED: a read-only disk: %v", err)
	}
	_, err := files.Write("f", strings.NewReader("new"))
	for what, err := range map[string]error{
		"Write": err, "Append": files.Append("f", []byte("x")), "MkdirAll": files.MkdirAll("d"), "Remove": files.Remove("f"),
		"Rename": files.Rename("f", "g"),
	} {
		wantKind(t, what+" on a read-only disk", err, tool.ExecutionError)
		if msg := tool.AsError(err).Msg; !strings.Contains(msg, "The workspace is read-only") {
			t.Errorf("%s: message %q, want it to say that the workspace is read-only", what, msg)
		}
	}
	wantText(t, files, "f", "old")
}

// limited runs in a process of its own, because nothing lifts the limit again.
const limited = "HELVE_TEST_LIMITED"

// The kernel ends a write in the middle, even for root.
func TestFileSizeLimit(t *testing.T) {
	if os.Getenv(limited) == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFileSizeLimit$")
		cmd.Env = append(os.Environ(), limited+"=1")
		if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("PASS")) {
			t.Errorf("under a limit: %v\n%s", err, out)
		}
		return
	}
	files, dir := open(t)
	old := strings.Repeat("o", 10<<10)
	write(t, files, "f", old)
	limit := unix.Rlimit{Cur: 16 << 10, Max: 16 << 10}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	_, err := files.Write("f", bytes.NewReader(make([]byte, 40<<10)))
	wantKind(t, "Write above the limit", err, tool.ExecutionError)
	wantText(t, files, "f", old)
	wantOnlyF(t, dir)
	err = files.Append("f", make([]byte, 10<<10))
	wantKind(t, "Append above the limit", err, tool.ExecutionError)
	if want := fmt.Sprintf("Only %d of %d bytes were appended to f", 6<<10, 10<<10); !strings.Contains(tool.AsError(err).Msg, want) {
		t.Errorf("message %q, want it to hold %q", tool.AsError(err).Msg, want)
	}
}
