package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

func TestCreateModes(t *testing.T) {
	files, dir := open(t)
	for i, mode := range []fs.FileMode{0o644, 0o755, 0o400, 0o600 | fs.ModeSetuid} {
		name := fmt.Sprint("f", i)
		if _, err := files.Create(name, mode, strings.NewReader("x")); err != nil {
			t.Errorf("Create with mode %v: %v", mode, err)
		}
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode() != mode.Perm() {
			t.Errorf("mode of %s = %v, %v, want %v", name, info.Mode(), err, mode.Perm())
		}
	}
}

// Of many who want the same new file, or to move theirs there, one does.
func TestCreateAndMoveRace(t *testing.T) {
	files, dir := open(t)
	for round := range 20 {
		target := fmt.Sprint("target", round)
		var wg sync.WaitGroup
		var won atomic.Int32
		for i := range 6 {
			mine := fmt.Sprint("mine", round, "-", i)
			write(t, files, mine, mine)
			wg.Go(func() {
				var err error
				if i%2 == 0 {
					_, err = files.Create(target, newFile, strings.NewReader(mine))
				} else {
					err = files.Move(mine, target)
				}
				if err == nil {
					won.Add(1)
				} else if tool.AsError(err).Kind != tool.ValidationError {
					t.Errorf("the loser of a race got %v, want %s", err, tool.ValidationError)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 {
			t.Errorf("%d made %s, want 1", won.Load(), target)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), tempPrefix) {
			t.Errorf("%s was left behind", e.Name())
		}
	}
}

func TestCreateLinks(t *testing.T) {
	files, dir := open(t)
	secret := outsideOf(t, dir)
	link(t, "nowhere", filepath.Join(dir, "dangling"))
	link(t, filepath.Join(filepath.Dir(secret), "new"), filepath.Join(dir, "out"))
	link(t, "..", filepath.Join(dir, "up"))
	for name, want := range map[string]tool.Kind{
		"dangling": tool.ValidationError, "out": tool.ValidationError, "up/new": tool.PathNotAllowed,
	} {
		_, err := files.Create(name, newFile, strings.NewReader("x"))
		wantKind(t, "Create("+name+")", err, want)
	}
	write(t, files, "f", "f")
	wantKind(t, "Move to a dangling link", files.Move("f", "dangling"), tool.ValidationError)
	if err := files.Move("dangling", "moved"); err != nil {
		t.Errorf("Move of a link: %v", err)
	}
	if to, err := os.Readlink(filepath.Join(dir, "moved")); err != nil || to != "nowhere" {
		t.Errorf("the moved link names %q, %v, want nowhere", to, err)
	}
	if _, err := os.Lstat(filepath.Join(filepath.Dir(secret), "new")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something was made outside: %v", err)
	}
}

func TestTimes(t *testing.T) {
	files, dir := open(t)
	begin := time.Now().Add(-time.Second)
	write(t, files, "f", "f")
	link(t, "f", filepath.Join(dir, "alias"))
	then := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	if err := os.Chtimes(filepath.Join(dir, "f"), then, then); err != nil {
		t.Fatal(err)
	}
	created, accessed, err := files.Times("f")
	if err != nil || !accessed.IsZero() && !accessed.Equal(then) {
		t.Errorf("Times: last read %v, %v, want %v", accessed, err, then)
	}
	if !created.IsZero() && created.Before(begin) {
		t.Errorf("Times: made %v, want %v or later", created, begin)
	}
	if created, accessed, err := files.Times("alias"); err != nil || !created.IsZero() || !accessed.IsZero() {
		t.Errorf("Times of a link = %v, %v, %v, want nothing", created, accessed, err)
	}
	if _, _, err := files.Times("."); err != nil {
		t.Errorf("Times of the workspace: %v", err)
	}
}
