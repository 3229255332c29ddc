package fonts

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-fonts/dejavu/dejavusans"
	"github.com/go-fonts/dejavu/dejavusansbold"
	"github.com/go-fonts/dejavu/dejavusansoblique"
)

func put(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestCovering(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	dir := filepath.Join(home, ".fonts")
	put(t, filepath.Join(dir, "a", "bold.ttf"), dejavusansbold.TTF)
	put(t, filepath.Join(dir, "b", "slanted.TTF"), dejavusansoblique.TTF)
	put(t, filepath.Join(dir, "c", "plain.ttf"), dejavusans.TTF)
	put(t, filepath.Join(dir, "cut.ttf"), dejavusans.TTF[:5000])
	put(t, filepath.Join(dir, "noise.otf"), []byte("OTTO no font"))
	put(t, filepath.Join(dir, "notes.txt"), dejavusans.TTF)
	f := New([]string{filepath.Join(home, "none"), "~/.fonts"})
	lent, err := f.Covering('ე', "")
	if err != nil || lent == nil || len(lent.Data) != len(dejavusans.TTF) || lent.Index != 0 {
		t.Fatalf("Covering = %+v, %v, want the plain font", lent, err)
	}
	if again, err := f.Covering('ა', ""); err != nil || again != lent {
		t.Errorf("a second call got other bytes (%v), want those that are lent", err)
	}
	runtime.KeepAlive(lent)
	if lent, err := f.Covering('人', ""); lent != nil || err != nil {
		t.Errorf("Covering of what no font has = %v, %v", lent, err)
	}
	if err := os.Remove(filepath.Join(dir, "c", "plain.ttf")); err != nil {
		t.Fatal(err)
	}
	f.lent = nil
	if _, err := New([]string{dir}).Covering('ე', ""); err != nil {
		t.Errorf("another font that has it is there: %v", err)
	}
	if _, err := f.Covering('ე', ""); err == nil {
		t.Error("a font that is gone was lent")
	}
}

// TestInstalledLater: what is installed while a worker runs is found, and fonts are not
// searched for each character that none has.
func TestInstalledLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		f := New([]string{dir})
		there := func() bool {
			lent, err := f.Covering('ე', "")
			if err != nil {
				t.Fatal(err)
			}
			return lent != nil
		}
		if there() {
			t.Fatal("a font in an empty directory")
		}
		put(t, filepath.Join(dir, "plain.ttf"), dejavusans.TTF)
		if there() {
			t.Error("the directories were read again at once")
		}
		time.Sleep(rescanAfter + time.Second)
		if !there() {
			t.Error("a font that was installed is not found")
		}
	})
}

func TestBest(t *testing.T) {
	han := [][2]rune{{'ぁ', 'ん'}, {'一', '龥'}, {'가', '힣'}}
	named := func(family string, distance float64) face {
		return face{place: place{path: family}, family: family, ranges: han, distance: distance}
	}
	f := &Fonts{
		faces: []face{
			named("Noto Sans CJK JP", 0), named("Noto Sans CJK KR", 0), named("Noto Sans CJK SC", 0), named("A Mono CJK SC", 5), named("Any", 0),
		},
	}
	for text, want := range map[string]string{"人": "Noto Sans CJK SC", "人の": "Noto Sans CJK JP", "人 이": "Noto Sans CJK KR"} {
		if got := f.best('人', text); got == nil || got.family != want {
			t.Errorf("for %q: %+v, want %s", text, got, want)
		}
	}
	for r, want := range map[rune]bool{'一': true, '龥': true, 'ん': true, 'a': false, '가' - 1: false, '힣' + 1: false} {
		if got := f.faces[0].has(r); got != want {
			t.Errorf("has(%q) = %v", r, got)
		}
	}
}
