//go:build unix

package workspace

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"golang.org/x/sys/unix"
)

// Whatever is neither file nor directory is refused, at the end of a path and
// within it, and nothing waits for the other end of a pipe.
func TestSpecialFiles(t *testing.T) {
	files, dir := open(t)
	if err := unix.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(filepath.Join(dir, "held"), 0o600); err != nil {
		t.Fatal(err)
	}
	end, err := os.OpenFile(filepath.Join(dir, "held"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer end.Close()
	special := []string{"pipe", "held"}
	if l, err := net.Listen("unix", filepath.Join(dir, "socket")); err == nil {
		defer l.Close()
		special = append(special, "socket")
	} else {
		t.Logf("no socket to test with: %v", err)
	}
	if err := unix.Mknod(filepath.Join(dir, "zero"), unix.S_IFCHR|0o600, int(unix.Mkdev(1, 5))); err == nil {
		special = append(special, "zero")
	} else {
		t.Logf("no device to test with: %v", err)
	}
	for _, name := range special {
		_, err := files.Open(name)
		wantKind(t, "Open("+name+")", err, tool.PathNotAllowed)
		_, err = files.Write(name, strings.NewReader("x"))
		wantKind(t, "Write("+name+")", err, tool.PathNotAllowed)
		wantKind(t, "Append("+name+")", files.Append(name, []byte("x")), tool.PathNotAllowed)
		_, err = files.ReadDir(name)
		wantKind(t, "ReadDir("+name+")", err, tool.ValidationError)
		_, err = files.Open(name + "/x")
		wantKind(t, "Open("+name+"/x)", err, tool.ValidationError)
		_, err = files.Write(name+"/x", strings.NewReader("x"))
		wantKind(t, "Write("+name+"/x)", err, tool.ValidationError)
		wantKind(t, "MkdirAll("+name+"/x)", files.MkdirAll(name+"/x"), tool.ValidationError)
		if info, err := files.Stat(name); err != nil || info.Mode().IsRegular() {
			t.Errorf("Stat(%s) = %v, %v, want it to say that it is no file", name, info, err)
		}
		if err := files.Remove(name); err != nil {
			t.Errorf("Remove(%s): %v", name, err)
		}
	}
}
