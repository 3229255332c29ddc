package fleet

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
)

// rosterTest is a roster, and what it reported last.
type rosterTest struct {
	*roster
	since   atomic.Pointer[time.Time]
	stored  atomic.Bool // whether the announcements of workers are stored
	reports int
	live    Live
}

func newRosterTest(t *testing.T) *rosterTest {
	f := &rosterTest{}
	since := time.Now().Add(-time.Hour)
	f.since.Store(&since)
	f.roster = newRoster(t.Context(), func() time.Time { return *f.since.Load() }, func(string) (bool, error) { return f.stored.Load(), nil }, func(l Live) { f.reports, f.live = f.reports+1, l }, zap.NewNop())
	f.open()
	return f
}

// announce stores that a worker with that workspaces directory began at the second.
func (f *rosterTest) announce(key, workspace string, second string) {
	f.change(key, []byte(`{"id":"forged","workspace":"`+workspace+`","since":"2026-01-01T00:00:`+second+`Z"}`))
}

func (f *rosterTest) want(t *testing.T, pool string, want ...string) {
	t.Helper()
	synctest.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	if got := f.live.Workspaces(pool); !slices.Equal(got, want) {
		t.Errorf("workspaces of pool %s = %q, want %q", pool, got, want)
	}
}

func TestWorkspacesOfPool(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newRosterTest(t)
		f.want(t, "default")
		f.announce("default.w2", "B", "02")
		f.announce("default.w1", "A", "01")
		f.announce("default.w3", "B", "03")
		f.announce("heavy.w1", "A", "01")
		f.want(t, "default", "A", "B")
		f.want(t, "heavy", "A")
		if got := f.live.Split(); !slices.Equal(got, []string{"default"}) {
			t.Errorf("Split() = %q, want default alone", got)
		}
		if got := f.live["heavy"][0].ID; got != "w1" {
			t.Errorf("the worker is %s, want the one that its key names", got)
		}
		before := f.reports
		f.announce("default.w1", "A", "01")
		if f.change("default.w4", []byte("{")); f.reports != before {
			t.Error("a repeated and an unreadable announcement were reported as changes")
		}
	})
}

// TestWorkerExpires: a killed worker is gone after at most five seconds, and a worker
// that announces its stop immediately.
func TestWorkerExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newRosterTest(t)
		f.announce("default.w1", "A", "01")
		time.Sleep(workerAgain)
		f.announce("default.w2", "B", "02")
		f.change("default.w2", nil) // the server has removed the key, as after an outage
		f.want(t, "default", "A", "B")
		time.Sleep(5*time.Second - workerAgain)
		f.want(t, "default", "B")
		time.Sleep(workerAgain)
		f.want(t, "default")
		f.announce("default.w3", "C", "03")
		f.change("default.w3", []byte(`{"workspace":"C","left":true}`))
		f.want(t, "default")
		f.change("default.w4", []byte(`{"workspace":"C","left":true}`))
		f.want(t, "default")
	})
}

// TestStoredWorkerStays: a worker whose announcements are stored and not received lives.
func TestStoredWorkerStays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newRosterTest(t)
		f.announce("default.w1", "A", "01")
		f.stored.Store(true)
		time.Sleep(4 * workerLife)
		f.want(t, "default", "A")
		f.stored.Store(false)
		time.Sleep(storedLook)
		f.want(t, "default")
	})
}

// TestNobodyExpiresWithoutNATS: workers cannot repeat themselves then, and have time for
// it afterwards.
func TestNobodyExpiresWithoutNATS(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newRosterTest(t)
		f.announce("default.w1", "A", "01")
		f.announce("default.w2", "B", "02")
		f.since.Store(new(time.Time))
		time.Sleep(10 * workerLife)
		f.want(t, "default", "A", "B")
		back := time.Now()
		f.since.Store(&back)
		time.Sleep(workerAgain)
		f.want(t, "default", "A", "B")
		f.announce("default.w2", "B", "02")
		time.Sleep(workerBack - time.Second)
		f.want(t, "default", "B")
		// An outage that is over before an entry ends is one all the same.
		f.announce("default.w2", "B", "02")
		time.Sleep(workerLife - time.Second)
		again := time.Now()
		f.since.Store(&again)
		time.Sleep(workerBack - time.Second)
		f.want(t, "default", "B")
		time.Sleep(2 * time.Second)
		f.want(t, "default")
	})
}

// TestLoadIsNoChange: what changes with each announcement is known, and nobody is told.
func TestLoadIsNoChange(t *testing.T) {
	t.Parallel()
	f := newRosterTest(t)
	defer f.stop()
	f.change("default.w1", []byte(`{"workspace":"A","slots":8,"busy":1}`))
	before := f.reports
	f.change("default.w1", []byte(`{"workspace":"A","slots":8,"busy":7}`))
	if f.reports != before {
		t.Error("another load was reported as a change")
	}
	if got := f.now()["default"][0].Busy; got != 7 {
		t.Errorf("%d calls run, want 7", got)
	}
	f.change("default.w1", []byte(`{"workspace":"A","slots":9}`))
	if f.reports != before+1 {
		t.Error("other slots were not reported")
	}
}

func TestOneSecondOldestFirst(t *testing.T) {
	t.Parallel()
	f := Live{"p": {{ID: "b", Workspace: "B"}, {ID: "a", Workspace: "A"}}}
	f.sort()
	if got := strings.Join(f.Workspaces("p"), ""); got != "AB" {
		t.Errorf("workspaces of workers of one age = %s, want AB everywhere", got)
	}
}
