package fleet

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
)

// rosterTest is a roster, and what it reported last.
type rosterTest struct {
	*roster
	since   atomic.Pointer[time.Time]
	stored  atomic.Bool // whether the announcements of workers are stored
	silent  atomic.Bool // whether the stream of the announcements does not answer
	reports int
	live    Live
}

func newRosterTest(t *testing.T) *rosterTest {
	f := &rosterTest{}
	since := time.Now().Add(-time.Hour)
	f.since.Store(&since)
	f.roster = newRoster(t.Context(), func() time.Time { return *f.since.Load() }, f.isStored,
		func(l Live) { f.reports, f.live = f.reports+1, l }, zap.NewNop())
	f.open()
	return f
}

func (f *rosterTest) isStored(string) (bool, error) {
	if f.silent.Load() {
		return false, natsio.ErrUnavailable
	}
	return f.stored.Load(), nil
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

// TestNobodyExpiresUnread: while a cluster has no majority its servers are connected, and the
// announcements can neither be stored nor read. Workers have time to repeat them afterwards, when the
// stored ones have expired.
func TestNobodyExpiresUnread(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newRosterTest(t)
		f.announce("default.w1", "A", "01")
		f.announce("default.w2", "B", "02")
		f.silent.Store(true)
		time.Sleep(unreadFor)
		f.want(t, "default", "A", "B")
		f.silent.Store(false)
		time.Sleep(workerAgain)
		f.want(t, "default", "A", "B")
		f.announce("default.w2", "B", "02")
		time.Sleep(workerBack - time.Second)
		f.want(t, "default", "B")
		f.silent.Store(true)
		time.Sleep(workerLife + unreadFor + 2*awayLook)
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

// TestLostWorkers: a worker that expires is lost, with the calls of its last announcement,
// until it is back or for a quarter of an hour; a worker that leaves is not.
func TestLostWorkers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newRosterTest(t)
		var gone []Lost
		f.gone = func(l Lost) { gone = append(gone, l) }
		fleet := New()
		fleet.now, fleet.missed = f.now, f.missed
		mark := CallMark("acme", "c1")
		announce := func() {
			f.change("default.w1", []byte(`{"workspace":"A","busy":2,"calls":["`+mark+`"]}`))
			f.change("heavy.w1", []byte(`{"workspace":"A","busy":1}`))
			f.change("default.w2", []byte(`{"workspace":"A"}`))
		}
		announce()
		if ran := fleet.Ran("acme", "c1"); !slices.Equal(ran, []string{"w1"}) || len(fleet.Ran("other", "c1")) > 0 {
			t.Errorf("the call runs on %q", ran)
		}
		f.change("default.w2", []byte(`{"workspace":"A","left":true}`))
		time.Sleep(workerLife)
		synctest.Wait()
		lost := fleet.Lost()
		if len(lost) != 1 || lost[0].ID != "w1" || lost[0].Busy != 3 || len(lost[0].Pools) != 2 || len(gone) != 2 {
			t.Errorf("lost %+v, reported %+v", lost, gone)
		}
		if ran := fleet.Ran("acme", "c1"); !slices.Equal(ran, []string{"w1"}) {
			t.Errorf("the call ran on %q", ran)
		}
		announce()
		if lost := fleet.Lost(); len(lost) > 0 {
			t.Errorf("lost %+v, which is back", lost)
		}
		time.Sleep(workerLife + lostKept)
		if lost := fleet.Lost(); len(lost) > 0 {
			t.Errorf("still lost %+v", lost)
		}
	})
}
