package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// walked returns the entries that a walk visits, with the error kinds of unreadable
// ones.
func walked(t *testing.T, files tool.Files, name string) string {
	t.Helper()
	var all []string
	err := files.Walk(name, func(p string, e tool.Entry, err error) error {
		if err != nil {
			p += "!" + string(tool.AsError(err).Kind)
		}
		all = append(all, p)
		return nil
	})
	if err != nil {
		t.Errorf("Walk(%s): %v", name, err)
	}
	return strings.Join(all, " ")
}

func TestWalkLinks(t *testing.T) {
	files, dir := open(t)
	secret := outsideOf(t, dir)
	if err := files.MkdirAll("d/e"); err != nil {
		t.Fatal(err)
	}
	write(t, files, "d/e/f", "f")
	link(t, "..", filepath.Join(dir, "d", "round"))
	link(t, "../..", filepath.Join(dir, "d", "up"))
	link(t, secret, filepath.Join(dir, "d", "secret"))
	link(t, "../d/e/f", filepath.Join(dir, "d", "inside"))
	link(t, "d/e", filepath.Join(dir, "short"))
	if got, want := walked(t, files, "d"), "d/e d/e/f d/inside d/round d/secret d/up"; got != want {
		t.Errorf("Walk visits %q, want %q", got, want)
	}
	if got, want := walked(t, files, "short"), "short/f"; got != want {
		t.Errorf("Walk of a link visits %q, want %q", got, want)
	}
	wantKind(t, "Walk of a link out", files.Walk("d/up", nil), tool.PathNotAllowed)
	want := map[string]tool.Kind{
		"d/secret": tool.PathNotAllowed, "d/up": tool.PathNotAllowed, "d/round": tool.ValidationError, "d/e": tool.ValidationError,
	}
	err := files.Walk("d", func(p string, e tool.Entry, _ error) error {
		f, err := e.Open()
		if kind := want[p]; kind != "" {
			wantKind(t, "Open of "+p, err, kind)
			return nil
		}
		if err != nil {
			return err
		}
		return f.Close()
	})
	if err != nil {
		t.Errorf("Walk that opens: %v", err)
	}
}

// What a walk comes to may be gone, a link or something else when it is opened.
func TestWalkOfWhatChanges(t *testing.T) {
	files, dir := open(t)
	secret := outsideOf(t, dir)
	for _, name := range []string{"gone", "linked", "next"} {
		write(t, files, name, name)
	}
	want := map[string]tool.Kind{"gone": tool.FileNotFound, "linked": tool.PathNotAllowed}
	seen := 0
	err := files.Walk(".", func(p string, e tool.Entry, err error) error {
		seen++
		if err := os.Remove(filepath.Join(dir, p)); err != nil {
			return err
		}
		if p == "linked" {
			link(t, secret, filepath.Join(dir, p))
		}
		if kind := want[p]; kind != "" {
			_, err := e.Open()
			wantKind(t, "Open of "+p, err, kind)
		}
		_ = os.Remove(filepath.Join(dir, "next"))
		return err
	})
	if err != nil || seen != 2 {
		t.Errorf("Walk = %v after %d visits, want nil after 2: what goes before its turn is not visited", err, seen)
	}
}

func TestWalkHidesParts(t *testing.T) {
	files, dir := open(t)
	write(t, files, "f", "f")
	if err := os.WriteFile(filepath.Join(dir, tempPrefix+"half"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := walked(t, files, "."); got != "f" {
		t.Errorf("Walk visits %q, want only f", got)
	}
	if err := files.MkdirAll("d"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "d", tempPrefix+"half"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := files.RemoveAll(t.Context(), "d"); err != nil {
		t.Errorf("RemoveAll of a directory with a part: %v", err)
	}
}

func TestDeepTrees(t *testing.T) {
	files, dir := open(t)
	at := dir
	for range maxDepth + 2 {
		at = filepath.Join(at, "d")
	}
	if err := os.MkdirAll(at, 0o700); err != nil {
		t.Fatal(err)
	}
	var last error
	deepest := 0
	err := files.Walk(".", func(p string, e tool.Entry, err error) error {
		deepest, last = strings.Count(p, "/")+1, err
		return nil
	})
	wantKind(t, "Walk too deep", last, tool.ValidationError)
	if err != nil || deepest != maxDepth {
		t.Errorf("Walk = %v, went %d deep, want %d", err, deepest, maxDepth)
	}
	stop := errors.New("stop")
	if err := files.Walk(".", func(_ string, _ tool.Entry, err error) error {
		if err != nil {
			return stop
		}
		return nil
	}); !errors.Is(err, stop) {
		t.Errorf("Walk that a failure ended = %v, want %v", err, stop)
	}
	_, err = files.RemoveAll(t.Context(), "d")
	wantKind(t, "RemoveAll too deep", err, tool.ValidationError)
	if _, err := files.RemoveAll(t.Context(), "d/d/d/d"); err != nil {
		t.Errorf("RemoveAll of its lower part: %v", err)
	}
}

func TestRemoveAllLinks(t *testing.T) {
	files, dir := open(t)
	secret := outsideOf(t, dir)
	if err := errors.Join(files.MkdirAll("keep"), files.MkdirAll("d/e")); err != nil {
		t.Fatal(err)
	}
	write(t, files, "keep/f", "kept")
	link(t, secret, filepath.Join(dir, "d", "secret"))
	link(t, filepath.Dir(secret), filepath.Join(dir, "d", "up"))
	link(t, "../keep", filepath.Join(dir, "d", "keep"))
	link(t, "keep", filepath.Join(dir, "alias"))
	if n, err := files.RemoveAll(t.Context(), "d"); n != 5 || err != nil {
		t.Errorf("RemoveAll = %d, %v, want 5, nil", n, err)
	}
	if n, err := files.RemoveAll(t.Context(), "alias"); n != 1 || err != nil {
		t.Errorf("RemoveAll of a link = %d, %v, want 1, nil", n, err)
	}
	wantText(t, files, "keep/f", "kept")
	if text, err := os.ReadFile(secret); err != nil || string(text) != "secret" {
		t.Errorf("the file outside = %q, %v, want it untouched", text, err)
	}
}

func TestLimitedTrees(t *testing.T) {
	files, whole, dir := openLimited(t, paths("notes/*.md", "open", "open/**"))
	link(t, "../secret", filepath.Join(dir, "notes", "l.md"))
	if err := whole.MkdirAll("open/d"); err != nil {
		t.Fatal(err)
	}
	write(t, whole, "open/d/f", "f")
	if got, want := walked(t, files, "."), "notes notes/a.md notes/l.md open open/d open/d/f"; got != want {
		t.Errorf("Walk visits %q, want %q", got, want)
	}
	_, err := files.RemoveAll(t.Context(), "notes")
	wantKind(t, "RemoveAll of what is partly within reach", err, tool.PathNotAllowed)
	_, err = files.Lstat("notes/b.txt")
	wantKind(t, "Lstat", err, tool.PathNotAllowed)
	_, _, err = files.Times("notes/b.txt")
	wantKind(t, "Times", err, tool.PathNotAllowed)
	wantKind(t, "Walk", files.Walk("secret", nil), tool.PathNotAllowed)
	_, err = files.Create("notes/b2.txt", newFile, strings.NewReader("x"))
	wantKind(t, "Create", err, tool.PathNotAllowed)
	_, err = files.Create("notes/l.md", newFile, strings.NewReader("x"))
	wantKind(t, "Create over a link", err, tool.ValidationError)
	wantKind(t, "Move out", files.Move("notes/a.md", "top.txt"), tool.PathNotAllowed)
	wantKind(t, "Move in", files.Move("secret/key", "open/key"), tool.PathNotAllowed)
	if err := files.Move("notes/a.md", "open/a.md"); err != nil {
		t.Errorf("Move within reach: %v", err)
	}
	if info, err := files.Lstat("notes/l.md"); err != nil || info.Mode().Type() != fs.ModeSymlink {
		t.Errorf("Lstat of a link = %v, %v, want a link", info, err)
	}
	if n, err := files.RemoveAll(t.Context(), "open/d"); n != 2 || err != nil {
		t.Errorf("RemoveAll within reach = %d, %v, want 2, nil", n, err)
	}
	wantText(t, whole, "notes/b.txt", "notes/b.txt")
}

// The time a walk of 100,000 files takes.
func BenchmarkWalk(b *testing.B) {
	const dirs, each = 100, 1000
	data := b.TempDir()
	w, err := New(data)
	if err != nil {
		b.Fatal(err)
	}
	files, err := w.For("acme", "u1")
	if err != nil {
		b.Fatal(err)
	}
	for d := range dirs {
		name := fmt.Sprintf("d%03d", d)
		if err := files.MkdirAll(name); err != nil {
			b.Fatal(err)
		}
		for i := range each {
			if err := os.WriteFile(filepath.Join(data, "workspaces", "acme", "u1", name, fmt.Sprintf("f%04d", i)), nil, 0o600); err != nil {
				b.Fatal(err)
			}
		}
	}
	for b.Loop() {
		n := 0
		if err := files.Walk(".", func(string, tool.Entry, error) error { n++; return nil }); err != nil || n != dirs*(each+1) {
			b.Fatalf("Walk = %v after %d visits", err, n)
		}
	}
}

// A directory turns into a link that leads out and back while trees are walked
// and removed.
func TestSwappedTrees(t *testing.T) {
	files, dir := open(t)
	outside := filepath.Join(filepath.Dir(dir), "outside")
	if err := os.MkdirAll(filepath.Join(outside, "keep"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"secret", "keep/secret"} {
		if err := os.WriteFile(filepath.Join(outside, name), []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a, spare := filepath.Join(dir, "d", "a"), filepath.Join(dir, "spare")
	if err := errors.Join(files.MkdirAll("d/a/keep"), files.MkdirAll("mine/keep")); err != nil {
		t.Fatal(err)
	}
	write(t, files, "mine/secret", "mine")
	link(t, outside, filepath.Join(dir, "out"))
	link(t, "../mine", filepath.Join(dir, "in"))
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			swapped := filepath.Join(dir, []string{"out", "in"}[i%2])
			_ = os.Rename(a, spare)
			_ = os.Rename(swapped, a)
			_ = os.Rename(a, swapped)
			_ = os.Rename(spare, a)
		}
	})
	defer wg.Wait()
	defer close(stop)
	for range 400 {
		_ = files.Walk("d", func(p string, e tool.Entry, _ error) error {
			f, err := e.Open()
			if err != nil {
				return nil
			}
			defer f.Close()
			if text, err := io.ReadAll(f); err == nil && string(text) == "secret" {
				t.Errorf("the walk read %q at %s through a swapped link", text, p)
			}
			return nil
		})
		_, _ = files.RemoveAll(t.Context(), "d/a")
		_ = files.MkdirAll("d/a/keep")
	}
	for _, name := range []string{"secret", "keep/secret"} {
		if text, err := os.ReadFile(filepath.Join(outside, name)); err != nil || string(text) != "secret" {
			t.Errorf("the file outside %s = %q, %v, want it untouched", name, text, err)
		}
	}
	wantText(t, files, "mine/secret", "mine")
}
