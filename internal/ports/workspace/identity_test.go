package workspace

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helve-dev/helve/tool"
)

func identity(t *testing.T, data string) string {
	t.Helper()
	w, err := New(data)
	if err != nil {
		t.Fatal(err)
	}
	id, err := w.Identity()
	if err != nil || id == "" {
		t.Fatalf("Identity() = %q, %v", id, err)
	}
	return id
}

func TestIdentityStays(t *testing.T) {
	t.Parallel()
	one, two := t.TempDir(), t.TempDir()
	first := identity(t, one)
	if again := identity(t, one); again != first {
		t.Errorf("the directory's second identity is %s, want %s", again, first)
	}
	if other := identity(t, two); other == first {
		t.Errorf("two directories have the identity %s", other)
	}
	if left, _ := os.ReadDir(filepath.Join(one, "workspaces")); len(left) != 1 {
		t.Errorf("the directory holds %v, want the identity alone", left)
	}
}

// TestIdentityOfTwo starts many workers on one new volume.
func TestIdentityOfTwo(t *testing.T) {
	t.Parallel()
	for range 20 {
		data := t.TempDir()
		var ids sync.Map
		var all sync.WaitGroup
		for range 8 {
			w, err := New(data)
			if err != nil {
				t.Fatal(err)
			}
			all.Go(func() {
				id, err := w.Identity()
				if err != nil {
					t.Errorf("Identity() = %v", err)
				}
				ids.Store(id, true)
			})
		}
		all.Wait()
		n := 0
		ids.Range(func(any, any) bool { n++; return true })
		if n != 1 {
			t.Fatalf("one directory has %d identities", n)
		}
	}
}

// TestIdentityMadeOnce: a process that comes second keeps what the first one made.
func TestIdentityMadeOnce(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	first := identity(t, data)
	at := filepath.Join(data, "workspaces", identityFile)
	for name, again := range map[string]func() error{
		"makeIdentity":       func() error { return makeIdentity(at) },
		"without hard links": func() error { return writeIdentity(at, rand.Text()) },
	} {
		if err := again(); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s where there is one = %v, want fs.ErrExist", name, err)
		}
	}
	if again := identity(t, data); again != first {
		t.Errorf("the identity is %s, was %s", again, first)
	}
}

// TestIdentityHalfWritten: a process waits for another process that is writing the
// file.
func TestIdentityHalfWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w, err := New(dir)
		if err != nil {
			t.Fatal(err)
		}
		at, want := filepath.Join(dir, "workspaces", identityFile), rand.Text()
		if err := os.WriteFile(at, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(identityWait/2, func() {
			if err := os.WriteFile(at, []byte(want+"\n"), 0o600); err != nil {
				t.Error(err)
			}
		})
		if id, err := w.Identity(); id != want || err != nil {
			t.Errorf("Identity() = %q, %v, want %s", id, err, want)
		}
	})
}

// TestIdentityOutOfReach: neither a name of a tenant or a user nor a path leads to it.
func TestIdentityOutOfReach(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	id := identity(t, data)
	w, err := New(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, owner := range [][2]string{{identityFile, "ann"}, {"acme", identityFile}, {".", "ann"}, {"..", "workspaces"}} {
		if _, err := w.For(owner[0], owner[1]); tool.AsError(err).Kind != tool.ValidationError {
			t.Errorf("For(%q) = %v, want a validation_error", owner, err)
		}
	}
	files, err := w.For("acme", "ann")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"../../" + identityFile, "/" + identityFile, "a/../../../" + identityFile} {
		f, err := files.Open(path)
		if err == nil {
			_ = f.Close()
			t.Errorf("Open(%s) works", path)
		}
	}
	if again := identity(t, data); again != id {
		t.Errorf("the identity is %s, was %s", again, id)
	}
}

func TestIdentityDamaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w, err := New(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "workspaces", identityFile), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		if id, err := w.Identity(); err == nil || !strings.Contains(err.Error(), "remove the file") {
			t.Errorf("Identity() of a damaged file = %q, %v, want what to do", id, err)
		}
	})
}
