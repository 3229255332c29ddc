package library

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helve-dev/helve/internal/test/testtime"
)

// follows runs Watch until the test ends; each change is sent to the channel.
func follows(t *testing.T, l *Library, e *notifier) <-chan struct{} {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	changes, ended := make(chan struct{}, 100), make(chan struct{})
	go func() {
		defer close(ended)
		defer e.close()
		l.follow(ctx, e, func() { changes <- struct{}{} })
	}()
	t.Cleanup(func() {
		stop()
		<-ended
	})
	return changes
}

// silentNotifier returns a notifier without a watcher, as on a disk of another machine.
func silentNotifier() *notifier {
	done := make(chan struct{})
	close(done)
	return &notifier{done: done}
}

// TestWatchWithoutNotices: polling finds changes without notifications, and waits for
// files that are being written, but not forever.
func TestWatchWithoutNotices(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, single("a", "1"))
	l := open(t, Options{Dirs: []string{dir}})
	synctest.Test(t, func(t *testing.T) {
		changes := follows(t, l, silentNotifier())
		time.Sleep(every + every/2)
		write(t, dir, single("a", "2"))
		write(t, dir, single("b", "1"))
		time.Sleep(every)
		if len(changes) != 1 {
			t.Errorf("%d changes a second after a change, want 1", len(changes))
		}
		wantCalls(t, l, "changed", map[string]string{"a": "2", "b": "1"})
		remove(t, filepath.Join(dir, "b.json"))
		remove(t, filepath.Join(dir, "b.js"))
		time.Sleep(every + rest)
		wantCalls(t, l, "removed", map[string]string{"b": "-"})
		if len(changes) != 2 {
			t.Errorf("%d changes, want 2", len(changes))
		}
		time.Sleep(10 * every)
		if len(changes) != 2 {
			t.Errorf("%d changes although nothing changed", len(changes))
		}
	})
}

// TestWatchWaitsForPairs: a stream of notifications is one change, but is not waited
// for forever.
func TestWatchWaitsForPairs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := open(t, Options{Dirs: []string{dir}})
	synctest.Test(t, func(t *testing.T) {
		e := silentNotifier()
		e.changed = make(chan struct{}, 1)
		changes := follows(t, l, e)
		synctest.Wait()
		pair := single("a", "1")
		write(t, dir, map[string]string{"a.json": pair["a.json"]})
		e.changed <- struct{}{}
		time.Sleep(rest / 2)
		write(t, dir, map[string]string{"a.js": pair["a.js"]})
		e.changed <- struct{}{}
		time.Sleep(rest / 2)
		synctest.Wait()
		if len(changes) != 0 {
			t.Error("the pair was read before it had rested")
		}
		time.Sleep(rest)
		if len(changes) != 1 || len(l.Problems()) != 0 || len(l.Tools()) != 1 {
			t.Errorf("%d changes, problems %v, want the whole pair at once", len(changes), l.Problems())
		}
		write(t, dir, single("a", "2"))
		for range 4 * int(patience/rest) {
			e.changed <- struct{}{}
			time.Sleep(rest / 2)
		}
		wantCalls(t, l, "in the middle of a storm", map[string]string{"a": "2"})
	})
}

// TestWatch: the operating system's notifications, of files, shared libraries and a
// replaced directory.
func TestWatch(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "tools")
	write(t, dir, single("a", "1"))
	l := open(t, Options{Dirs: []string{dir}})
	changes := follows(t, l, l.listen())
	ctx, cancel := context.WithTimeout(t.Context(), testtime.Patience()) // only where it fails
	defer cancel()
	until := func(name, value string) {
		t.Helper()
		for {
			if got, err := call(t, l, name, "{}"); err == nil && got == `"`+value+`"` {
				return
			}
			select {
			case <-changes:
			case <-ctx.Done():
				t.Fatalf("%s never became %s", name, value)
			}
		}
	}
	write(t, dir, single("a", "2"))
	until("a", "2")
	write(t, dir, single("b", "1"))
	until("b", "1")
	if err := os.Rename(dir, dir+"-old"); err != nil {
		t.Fatal(err)
	}
	write(t, dir, single("a", "3"))
	until("a", "3")
	write(t, dir, single("a", "4"))
	until("a", "4")
}

// TestEar: each relevant change causes a notification of its own, before any poll.
func TestEar(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "tools")
	write(t, dir, single("a", "1"))
	e := open(t, Options{Dirs: []string{dir}}).listen()
	t.Cleanup(e.close)
	ctx, cancel := context.WithTimeout(t.Context(), testtime.Patience()) // only where it fails
	defer cancel()
	changed := func(what string) {
		t.Helper()
		select {
		case <-e.changed:
		case <-ctx.Done():
			t.Fatalf("%s was not changed", what)
		}
	}
	write(t, dir, single("a", "2"))
	changed("a changed file")
	write(t, dir, map[string]string{"lib/x.js": "1"})
	changed("a new directory")
	e.turn()
	if list := e.watcher.WatchList(); !slices.Contains(list, filepath.Join(dir, libDir)) {
		t.Errorf("listening to %v, want the shared libraries too", list)
	}
}
