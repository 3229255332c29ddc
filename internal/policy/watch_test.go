package policy

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// watched is a policy of one directory that Watch looks at.
type watched struct {
	*Policy
	t   *testing.T
	dir string

	mu      sync.Mutex
	changes []Change
}

func (w *watched) changed(c Change) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.changes = append(w.changes, c)
}

// told returns the changes so far.
func (w *watched) told() []Change {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.changes)
}

func watch(t *testing.T) *watched {
	w := &watched{t: t, dir: t.TempDir()}
	w.write("10.cedar", `@id("old") forbid(principal, action, resource);`)
	p, err := New(Options{Rules: []string{w.dir}, Changed: w.changed})
	if err != nil {
		t.Fatal(err)
	}
	w.Policy = p
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { p.Watch(ctx); close(done) }()
	t.Cleanup(func() { stop(); <-done })
	return w
}

func (w *watched) write(name, text string) {
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// after waits for some looks and returns the rule that decides then.
func (w *watched) after(looks int) string {
	time.Sleep(time.Duration(looks)*every + time.Millisecond)
	synctest.Wait()
	return w.Decide(call(writeFile, "{}")).Rule
}

func TestWatchReloads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := watch(t)
		w.write("10.cedar", `@id("newer") forbid(principal, action, resource);`)
		if got := w.after(2); got != "newer" {
			t.Errorf("decided by %s two looks after the change, want newer", got)
		}
		w.write("05.cedar", `@id("first") forbid(principal, action, resource);`)
		if got := w.after(2); got != "first" {
			t.Errorf("decided by %s after a file came, want first", got)
		}
		if err := os.Remove(filepath.Join(w.dir, "05.cedar")); err != nil {
			t.Fatal(err)
		}
		if got := w.after(2); got != "newer" {
			t.Errorf("decided by %s after the file went, want newer", got)
		}
		if len(w.told()) != 3 || w.told()[1].Rules != 2 || w.told()[2].Rules != 1 || w.told()[0].SHA256 != w.told()[2].SHA256 ||
			w.told()[0].SHA256 == w.told()[1].SHA256 {
			t.Errorf("told %+v, want three changes and what is in force after each", w.told())
		}
	})
}

// TestWatchKeepsOldRules: a bad file is refused whole, once, and said to be
// mended when it is.
func TestWatchKeepsOldRules(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := watch(t)
		before := w.InForce()
		w.write("20.cedar", `@id("good") forbid(principal, action, resource == Tool::"x");`)
		w.write("30.cedar", "\nforbid(principal, action, resource) when {")
		if got := w.after(5); got != "old" {
			t.Errorf("decided by %s beside a bad file, want the old rules", got)
		}
		if len(w.told()) != 1 || w.told()[0].Err == nil || !strings.Contains(w.told()[0].Err.Error(), "30.cedar:2:") ||
			w.told()[0].SHA256 != before.SHA256 || w.told()[0].Rules != 1 {
			t.Fatalf("told %+v, want one refusal that names the place and what stays in force", w.told())
		}
		if got := w.InForce(); got.SHA256 != before.SHA256 || got.Err != nil {
			t.Errorf("InForce = %+v, want what was", got)
		}
		for _, name := range []string{"20.cedar", "30.cedar"} {
			if err := os.Remove(filepath.Join(w.dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		if got := w.after(2); got != "old" || len(w.told()) != 2 || w.told()[1].Err != nil || w.told()[1].SHA256 != before.SHA256 {
			t.Errorf("decided by %s, told %+v, want word that the old rules are the files again", got, w.told())
		}
	})
}

// TestWatchKeepsRulesOfLostFiles: a directory that goes away is no permission.
func TestWatchKeepsRulesOfLostFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := watch(t)
		if err := os.Rename(w.dir, w.dir+".gone"); err != nil {
			t.Fatal(err)
		}
		if got := w.after(3); got != "old" || len(w.told()) != 1 || w.told()[0].Err == nil {
			t.Errorf("decided by %s, told %+v, want the old rules and one refusal", got, w.told())
		}
		if err := os.Rename(w.dir+".gone", w.dir); err != nil {
			t.Fatal(err)
		}
		if got := w.after(3); got != "old" || len(w.told()) != 2 || w.told()[1].Err != nil {
			t.Errorf("decided by %s, told %+v, want word that they are back", got, w.told())
		}
	})
}

// TestWatchWaitsForTheWriter: a file that changes at every look is not read in
// the middle.
func TestWatchWaitsForTheWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := watch(t)
		for i := range 4 {
			w.write("10.cedar", strings.Repeat("// still writing\n", i))
			if got := w.after(1); got != "old" || len(w.told()) > 0 {
				t.Fatalf("decided by %s, told %+v while the file is written, want the old rules", got, w.told())
			}
		}
		w.write("10.cedar", `@id("written") forbid(principal, action, resource);`)
		if got := w.after(2); got != "written" {
			t.Errorf("decided by %s, want the rule that was written", got)
		}
	})
}

// TestWatchTouched: the same rules with another time are no change.
func TestWatchTouched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := watch(t)
		if err := os.Chtimes(filepath.Join(w.dir, "10.cedar"), time.Now(), time.Now()); err != nil {
			t.Fatal(err)
		}
		if got := w.after(3); got != "old" || len(w.told()) != 0 {
			t.Errorf("decided by %s, told %+v, want nothing", got, w.told())
		}
	})
}
