package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

func TestLimitedLinks(t *testing.T) {
	files, _, dir := openLimited(t, paths("notes/*", "notes/sub", "drafts"))
	in := func(name string) string { return filepath.Join(dir, "notes", name) }
	link(t, "../secret/key", in("out"))
	link(t, "../secret", in("way"))
	link(t, "sub/c.md", in("down"))
	link(t, "a.md", in("beside"))
	link(t, "../secret/made", in("dangling"))
	link(t, "../../../u1/secret/key", in("around"))
	link(t, filepath.Join(dir, "secret", "key"), in("absolute"))
	link(t, "../../secret", filepath.Join(dir, "notes", "sub", "up"))
	link(t, "notes", filepath.Join(dir, "drafts"))
	before := snapshot(t, dir)
	for _, name := range []string{
		"notes/out", "notes/down", "notes/beside", "notes/dangling", "notes/around", "notes/absolute",
		"notes/sub/up/key", "drafts/a.md", "drafts/new", "notes/way",
	} {
		_, err := files.Open(name)
		wantKind(t, "Open "+name, err, tool.PathNotAllowed)
		_, err = files.Stat(name)
		wantKind(t, "Stat "+name, err, tool.PathNotAllowed)
		_, err = files.ReadDir(name)
		wantKind(t, "ReadDir "+name, err, tool.PathNotAllowed)
		_, err = files.Write(name, strings.NewReader("x"))
		wantKind(t, "Write "+name, err, tool.PathNotAllowed)
		wantKind(t, "Append "+name, files.Append(name, []byte("x")), tool.PathNotAllowed)
	}
	for _, name := range []string{"drafts/a.md", "notes/sub/up/key"} {
		wantKind(t, "Remove "+name, files.Remove(name), tool.PathNotAllowed)
		wantKind(t, "Rename "+name, files.Rename(name, "notes/x"), tool.PathNotAllowed)
		wantKind(t, "Rename to "+name, files.Rename("notes/a.md", name), tool.PathNotAllowed)
	}
	for _, name := range []string{"drafts/d", "notes/sub/up/d", "drafts"} {
		wantKind(t, "MkdirAll "+name, files.MkdirAll(name), tool.PathNotAllowed)
	}
	if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
		t.Errorf("refused operations changed the workspace (-before +after):\n%s", diff)
	}

	if err := files.Remove("notes/out"); err != nil {
		t.Errorf("Remove of a link: %v", err)
	}
	if err := files.Rename("notes/beside", "notes/sub/l"); err != nil {
		t.Errorf("Rename of a link: %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "secret", "key")); err != nil || string(text) != "secret/key" {
		t.Errorf("what the link named = %q, %v, want it untouched", text, err)
	}
}

// Somebody swaps a file, and the directory it lies in, for links that lead out
// of the scope while it is used.
func TestLimitedSwappedLinks(t *testing.T) {
	files, whole, dir := openLimited(t, paths("notes/a.md"))
	write(t, whole, "notes/secret", "secret")
	write(t, whole, "secret/a.md", "secret")
	at := func(name string) string { return filepath.Join(dir, name) }
	link(t, "secret", at("notes/link"))
	link(t, "secret", at("link"))

	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for swap := true; ; swap = !swap {
			select {
			case <-stop:
				return
			default:
			}
			a, b, spare := at("notes/a.md"), at("notes/link"), at("notes/spare")
			if swap {
				a, b, spare = at("notes"), at("link"), at("spare")
			}
			_ = os.Rename(a, spare)
			_ = os.Rename(b, a)
			_ = os.Rename(a, b)
			_ = os.Rename(spare, a)
		}
	})
	halt := sync.OnceFunc(func() {
		close(stop)
		wg.Wait()
	})
	defer halt()
	for range 4000 {
		if text, err := read(files, "notes/a.md"); err == nil && strings.Contains(text, "secret") {
			t.Fatalf("read %q through a swapped link", text)
		}
		_ = files.Append("notes/a.md", []byte("x"))
	}
	for range 200 {
		_, _ = files.Write("notes/a.md", strings.NewReader("x"))
	}
	halt()
	for _, name := range []string{"notes/secret", "secret/a.md"} {
		for _, p := range []string{name, strings.Replace(name, "notes", "spare", 1)} {
			if text, err := os.ReadFile(at(p)); err == nil && string(text) != "secret" {
				t.Errorf("%s = %q, want it untouched", p, text)
			}
		}
	}
}
