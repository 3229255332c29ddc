package workspace

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

// outsideOf puts a secret beside the workspace and returns its path.
func outsideOf(t *testing.T, dir string) string {
	t.Helper()
	secret := filepath.Join(filepath.Dir(dir), "secret.txt")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	return secret
}

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
}

func TestLinksOut(t *testing.T) {
	files, dir := open(t)
	secret := outsideOf(t, dir)
	link(t, secret, filepath.Join(dir, "absolute"))
	link(t, "../secret.txt", filepath.Join(dir, "relative"))
	link(t, "relative", filepath.Join(dir, "chain"))
	link(t, "..", filepath.Join(dir, "up"))
	link(t, "/", filepath.Join(dir, "top"))
	link(t, filepath.Join(dir, "inside"), filepath.Join(dir, "absolute inside"))
	for _, name := range []string{"absolute", "relative", "chain", "up/secret.txt", "up/new.txt", "top/etc/passwd", "absolute inside"} {
		_, err := files.Open(name)
		wantKind(t, "Open("+name+")", err, tool.PathNotAllowed)
		_, err = files.Stat(name)
		wantKind(t, "Stat("+name+")", err, tool.PathNotAllowed)
		_, err = files.Write(name, strings.NewReader("x"))
		wantKind(t, "Write("+name+")", err, tool.PathNotAllowed)
		wantKind(t, "Append("+name+")", files.Append(name, []byte("x")), tool.PathNotAllowed)
	}
	for _, name := range []string{"up", "top"} {
		_, err := files.ReadDir(name)
		wantKind(t, "ReadDir("+name+")", err, tool.PathNotAllowed)
		wantKind(t, "MkdirAll("+name+"/x)", files.MkdirAll(name+"/x"), tool.PathNotAllowed)
		wantKind(t, "Remove("+name+"/secret.txt)", files.Remove(name+"/secret.txt"), tool.PathNotAllowed)
		wantKind(t, "Rename(chain) to "+name, files.Rename("chain", name+"/x"), tool.PathNotAllowed)
	}
	if text, err := os.ReadFile(secret); err != nil || string(text) != "secret" {
		t.Errorf("the file outside = %q, %v, want it untouched", text, err)
	}
}

func TestLinksInside(t *testing.T) {
	files, dir := open(t)
	if err := files.MkdirAll("d/e"); err != nil {
		t.Fatal(err)
	}
	link(t, "real.txt", filepath.Join(dir, "alias"))
	link(t, "d/e", filepath.Join(dir, "short"))
	link(t, "../up.txt", filepath.Join(dir, "d", "e", "up"))
	link(t, "nowhere", filepath.Join(dir, "dangling"))
	link(t, "round", filepath.Join(dir, "round"))

	write(t, files, "alias", "through the link")
	wantText(t, files, "real.txt", "through the link")
	if info, err := os.Lstat(filepath.Join(dir, "alias")); err != nil || info.Mode().Type() != os.ModeSymlink {
		t.Errorf("after a write the link is %v, %v, want a link still", info, err)
	}
	write(t, files, "short/f", "in a linked directory")
	wantText(t, files, "d/e/f", "in a linked directory")
	write(t, files, "short/up", "dots of a link count from where it lies")
	wantText(t, files, "d/up.txt", "dots of a link count from where it lies")
	if err := files.Append("dangling", []byte("made")); err != nil {
		t.Errorf("Append to a dangling link: %v", err)
	}
	wantText(t, files, "nowhere", "made")
	_, err := files.Write("round", strings.NewReader("x"))
	wantKind(t, "Write to a circle", err, tool.PathNotAllowed)
	_, err = files.Open("round")
	wantKind(t, "Open of a circle", err, tool.PathNotAllowed)
}

// A directory turns into a link that leads out and back while it is used.
func TestSwappedLinks(t *testing.T) {
	files, dir := open(t)
	secret := outsideOf(t, dir)
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	if err := os.MkdirAll(a, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, files, "a/secret.txt", "inside")
	link(t, "..", filepath.Join(dir, "b"))

	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		spare := filepath.Join(dir, "c")
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Rename(a, spare)
			_ = os.Rename(b, a)
			_ = os.Rename(a, b)
			_ = os.Rename(spare, a)
		}
	})
	defer wg.Wait()
	defer close(stop)
	for range 600 {
		if text, err := read(files, "a/secret.txt"); err == nil && text != "inside" {
			t.Fatalf("read %q through a swapped link", text)
		}
		_ = files.Append("a/secret.txt", nil)
		_, _ = files.Stat("a/secret.txt")
		_, _ = files.Write("a/new.txt", strings.NewReader("x"))
	}
	if text, err := os.ReadFile(secret); err != nil || string(text) != "secret" {
		t.Errorf("the file outside = %q, %v, want it untouched", text, err)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(secret), "new.txt")); err == nil {
		t.Error("a file was written outside the workspace")
	}
}

func TestCaseAndUnicode(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("whether case counts is the file system's decision")
	}
	files, _ := open(t)
	for _, name := range []string{"a.txt", "A.txt", "é", "e\u0301", "naïve файл 🪓.md", " lead", "-rf", "*", "new\nline"} {
		write(t, files, name, name)
	}
	wantText(t, files, "a.txt", "a.txt")
	wantText(t, files, "é", "é")
	wantText(t, files, "naïve файл 🪓.md", "naïve файл 🪓.md")
	if entries, err := files.ReadDir("."); err != nil || len(entries) != 9 {
		t.Errorf("ReadDir = %v, %v, want 9 entries", entries, err)
	}
}

func TestAbandonedParts(t *testing.T) {
	files, dir := open(t)
	if err := files.MkdirAll("d"); err != nil {
		t.Fatal(err)
	}
	part := filepath.Join(dir, "d", tempPrefix+"dead")
	for _, tt := range []struct {
		age  time.Duration
		want bool // still there
	}{{0, true}, {abandoned + time.Hour, false}} {
		if err := os.WriteFile(part, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		then := time.Now().Add(-tt.age)
		if err := os.Chtimes(part, then, then); err != nil {
			t.Fatal(err)
		}
		if entries, err := files.ReadDir("d"); err != nil || len(entries) != 0 {
			t.Errorf("ReadDir with a part of age %v = %v, %v, want nothing", tt.age, entries, err)
		}
		if _, err := os.Stat(part); (err == nil) != tt.want {
			t.Errorf("a part of age %v is there: %v, want %v", tt.age, err == nil, tt.want)
		}
	}
	if err := os.WriteFile(part, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(part, time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if err := files.Remove("d"); err != nil {
		t.Errorf("Remove of a directory with an abandoned part: %v", err)
	}
}

func TestReadAfterClose(t *testing.T) {
	files, _ := open(t)
	write(t, files, "a", "x")
	f, err := files.Open("a")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = io.ReadAll(f)
	wantKind(t, "Read of a closed file", err, tool.ExecutionError)
	_, err = f.Stat()
	wantKind(t, "Stat of a closed file", err, tool.ExecutionError)
	wantKind(t, "Close of a closed file", f.Close(), tool.ExecutionError)
}
