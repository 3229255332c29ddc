package workspace

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// bounded returns the workspace of u1 in acme under limits, and its directory.
func bounded(t *testing.T, limits Limits) (*Workspaces, tool.Files, string) {
	t.Helper()
	data := t.TempDir()
	w, err := NewLimited(data, limits)
	if err != nil {
		t.Fatal(err)
	}
	return w, user(t, w, "acme", "u1"), filepath.Join(data, "workspaces", "acme", "u1")
}

// versionsOf returns the contents of a file's versions, the newest first.
func versionsOf(t *testing.T, files tool.Files, name string) []string {
	t.Helper()
	all, err := files.Versions(name)
	if err != nil {
		t.Fatalf("Versions(%s): %v", name, err)
	}
	f, ok := files.(*folder)
	if !ok {
		t.Fatalf("files is a %T", files)
	}
	var texts []string
	for _, v := range all {
		if err := f.withVersions("read", name, func(s *versionStore, key string) error {
			h, err := s.root.Open(v.ID + "." + digest(key))
			if err != nil {
				return err
			}
			text, err := io.ReadAll(h)
			texts = append(texts, string(text))
			return errors.Join(err, h.Close())
		}); err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

func wantVersions(t *testing.T, files tool.Files, name string, want ...string) {
	t.Helper()
	if got := versionsOf(t, files, name); !slices.Equal(got, want) {
		t.Errorf("versions of %s = %q, want %q", name, got, want)
	}
}

func TestReplacedFilesAreKept(t *testing.T) {
	files, dir := open(t)
	write(t, files, "a", "1")
	wantVersions(t, files, "a")
	write(t, files, "a", "2")
	write(t, files, "b", "new")
	write(t, files, "gone", "deleted")
	if err := errors.Join(files.Rename("b", "a"), files.Remove("gone"),
		os.Link(filepath.Join(dir, "a"), filepath.Join(dir, "second name"))); err != nil {
		t.Fatal(err)
	}
	wantVersions(t, files, "a", "2", "1")
	write(t, files, "a", "4")
	if err := files.Append("second name", []byte(" and more")); err != nil {
		t.Fatal(err)
	}
	wantVersions(t, files, "a", "new", "2", "1")
	wantVersions(t, files, "b")
	wantVersions(t, files, "gone", "deleted")

	all, err := files.Versions("a")
	if err != nil {
		t.Fatal(err)
	}
	if v := all[0]; v.Size != 3 || v.Replaced.IsZero() || v.Modified.IsZero() || v.Modified.After(v.Replaced.Add(1e9)) {
		t.Errorf("version %+v, want 3 bytes that were written before they were replaced", v)
	}
	if entries, err := files.ReadDir("."); err != nil || len(entries) != 2 {
		t.Errorf("the workspace lists %v, %v, want a and second name alone", entries, err)
	}
}

func TestRestore(t *testing.T) {
	files, dir := open(t)
	write(t, files, "a", "1")
	write(t, files, "a", "2")
	all, err := files.Versions("a")
	if err != nil || len(all) != 1 {
		t.Fatalf("versions = %v, %v, want one", all, err)
	}
	first := all[0].ID
	write(t, files, "a", "3")
	if v, err := files.Restore("a", ""); err != nil || v.Size != 1 {
		t.Errorf("Restore of the newest: %v, %v", v, err)
	}
	wantText(t, files, "a", "2")
	wantVersions(t, files, "a", "3", "2", "1")
	if v, err := files.Restore("a", first); err != nil || v.ID != first {
		t.Errorf("Restore of %s: %v, %v", first, v, err)
	}
	wantText(t, files, "a", "1")
	wantVersions(t, files, "a", "2", "3", "2", "1")

	if err := os.Chmod(filepath.Join(dir, "a"), 0o751); err != nil {
		t.Fatal(err)
	}
	if _, err := files.RemoveAll(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Restore("a", ""); err != nil {
		t.Errorf("Restore of a deleted file: %v", err)
	}
	wantText(t, files, "a", "1")
	if info, err := os.Stat(filepath.Join(dir, "a")); err != nil || info.Mode().Perm() != 0o751 {
		t.Errorf("mode of the restored file = %v, %v, want 0751", info.Mode(), err)
	}
	for _, id := range []string{"nothing", "../u1/a", first + "/.", "."} {
		_, err := files.Restore("a", id)
		wantKind(t, "Restore of "+id, err, tool.FileNotFound)
	}
	_, err = files.Restore("b", "")
	wantKind(t, "Restore of nothing", err, tool.FileNotFound)
	_, err = files.Restore("../u1/a", "")
	wantKind(t, "Restore outside", err, tool.PathNotAllowed)
}

// What a tool throws away itself, and a directory that is removed, would push out
// the versions that a person wants back.
func TestNotKept(t *testing.T) {
	files, _ := open(t)
	if err := files.MkdirAll("d"); err != nil {
		t.Fatal(err)
	}
	write(t, files, "d/f", "f")
	write(t, files, "temp", "temp")
	if err := files.Discard(t.Context(), "temp"); err != nil {
		t.Fatal(err)
	}
	if n, err := files.RemoveAll(t.Context(), "d"); n != 2 || err != nil {
		t.Fatalf("RemoveAll = %d, %v", n, err)
	}
	wantVersions(t, files, "temp")
	wantVersions(t, files, "d/f")
}

func TestVersionsAreBounded(t *testing.T) {
	_, files, dir := bounded(t, Limits{Versions: 3, VersionBytes: 100})
	for i := range 6 {
		write(t, files, "a", fmt.Sprint(i))
	}
	wantVersions(t, files, "a", "4", "3", "2")
	write(t, files, "large", strings.Repeat("l", 101))
	write(t, files, "large", "small")
	wantVersions(t, files, "large")
	for i := range 12 {
		name := fmt.Sprint("f", i)
		write(t, files, name, strings.Repeat("x", 30))
		write(t, files, name, "")
	}
	wantVersions(t, files, "a")
	wantVersions(t, files, "f0")
	wantVersions(t, files, "f11", strings.Repeat("x", 30))
	entries, err := os.ReadDir(dir + versionsSuffix)
	if err != nil || len(entries) > 4 {
		t.Errorf("%d versions, %v, want no more than 100 bytes hold", len(entries), err)
	}

	_, files, dir = bounded(t, Limits{})
	write(t, files, "a", "1")
	write(t, files, "a", "2")
	wantVersions(t, files, "a")
	if _, err := os.Stat(dir + versionsSuffix); err == nil {
		t.Error("versions are kept although none may be")
	}
}

func TestVersionsByLinks(t *testing.T) {
	files, dir := open(t)
	if err := files.MkdirAll("d"); err != nil {
		t.Fatal(err)
	}
	link(t, "d", filepath.Join(dir, "short"))
	link(t, "d/f", filepath.Join(dir, "alias"))
	link(t, "../u1"+versionsSuffix, filepath.Join(dir, "store"))
	link(t, "../u1/d", filepath.Join(dir, "round about"))
	write(t, files, "d/f", "1")
	write(t, files, "short/f", "2")
	write(t, files, "alias", "3")
	write(t, files, "d/../short/f", "4")
	wantVersions(t, files, "d/f", "3", "2", "1")
	wantVersions(t, files, "alias", "3", "2", "1")
	_, err := files.ReadDir("store")
	wantKind(t, "ReadDir of the versions through a link", err, tool.PathNotAllowed)
	_, err = files.Versions("store/x")
	wantKind(t, "Versions through a link out", err, tool.PathNotAllowed)
	_, err = files.Restore("round about/f", "")
	wantKind(t, "Restore through a link out", err, tool.PathNotAllowed)
	_, err = files.Open("../u1" + versionsSuffix)
	wantKind(t, "Open of the versions", err, tool.PathNotAllowed)
}

func TestVersionsWithinScopes(t *testing.T) {
	w, files, _ := bounded(t, DefaultLimits())
	if err := errors.Join(files.MkdirAll("mine"), files.MkdirAll("other")); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"1", "2"} {
		write(t, files, "mine/f", text)
		write(t, files, "other/f", text)
	}
	limited, err := w.For("acme", "u1", tool.Scopes{Paths: []string{"mine"}})
	if err != nil {
		t.Fatal(err)
	}
	wantVersions(t, limited, "mine/f", "1")
	write(t, limited, "mine/f", "3")
	if _, err := limited.Restore("mine/f", ""); err != nil {
		t.Error(err)
	}
	wantVersions(t, files, "mine/f", "3", "2", "1")
	_, err = limited.Versions("other/f")
	wantKind(t, "Versions beyond the scopes", err, tool.PathNotAllowed)
	_, err = limited.Restore("other/f", "")
	wantKind(t, "Restore beyond the scopes", err, tool.PathNotAllowed)
	wantText(t, files, "other/f", "2")
}

// Two workers on one disk: each keeps the version that it replaced.
func TestConcurrentVersions(t *testing.T) {
	data := t.TempDir()
	root, err := os.OpenRoot(data)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := exchange(root, "a", "b"); errors.Is(err, errors.ErrUnsupported) {
		t.Skipf("NOT TESTED: concurrent writers, because files cannot be exchanged here: %v", err)
	}
	const writers, rounds = 4, 20
	var wg sync.WaitGroup
	var last tool.Files
	for i := range writers {
		w, err := NewLimited(data, Limits{Versions: writers * rounds})
		if err != nil {
			t.Fatal(err)
		}
		files := user(t, w, "acme", "u1")
		last = files
		wg.Go(func() {
			for n := range rounds {
				if _, err := files.Write("f", strings.NewReader(fmt.Sprint(i, "-", n))); err != nil {
					t.Errorf("Write: %v", err)
				}
			}
		})
	}
	wg.Wait()
	now, err := read(last, "f")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{now: 1}
	for _, text := range versionsOf(t, last, "f") {
		seen[text]++
	}
	for i := range writers {
		for n := range rounds {
			if text := fmt.Sprint(i, "-", n); seen[text] != 1 {
				t.Errorf("%s is there %d times, want once", text, seen[text])
			}
		}
	}
}
