package faults

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"
)

// loaders is the number of callers of a [load], pace the pause of each between two calls.
const loaders, pace = 6, 25 * time.Millisecond

// load is callers that send calls, one after the other, to dispatchers that come and go.
// Each call must succeed with its first answer. A caller assumes one thing only: a request
// that no dispatcher has received, because the connection was refused, is sent to another
// one, with the same call_id.
type load struct {
	w    *world
	stop chan struct{}
	all  sync.WaitGroup

	mu     sync.Mutex
	doors  []door
	calls  []*call
	failed []string
}

// startLoad starts callers of some dispatchers.
func (w *world) startLoad(doors ...door) *load {
	l := &load{w: w, stop: make(chan struct{}), doors: doors}
	for n := range loaders {
		l.all.Go(func() { l.run(n) })
	}
	return l
}

// replace gives the callers a new list of dispatchers.
func (l *load) replace(doors ...door) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.doors = doors
}

// done returns the number of calls that have ended.
func (l *load) done() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.calls)
}

// more waits until n more calls have ended.
func (l *load) more(n int) {
	l.w.t.Helper()
	from := l.done()
	await(l.w.t, "more calls", func() bool { return l.done() >= from+n })
}

// end stops the callers, reports the calls that failed, and adds all to those of the world.
func (l *load) end() {
	l.w.t.Helper()
	close(l.stop)
	l.all.Wait()
	l.w.t.Logf("%d calls", len(l.calls))
	if len(l.failed) > 0 {
		l.w.t.Errorf("%d of %d calls failed: %v", len(l.failed), len(l.calls), l.failed[:min(len(l.failed), 10)])
	}
	l.w.calls = append(l.w.calls, l.calls...)
}

func (l *load) run(caller int) {
	for n := 0; ; n++ {
		select {
		case <-l.stop:
			return
		case <-time.After(pace):
		}
		c := loadCall(caller, n)
		problem := l.send(c, caller+n)
		l.mu.Lock()
		l.calls = append(l.calls, c)
		if problem != "" {
			l.failed = append(l.failed, problem)
		}
		l.mu.Unlock()
	}
}

// loadCall returns the n-th call of a caller. Half have an effect that cannot be repeated;
// of the others some are queued, some are handed over directly, and some store a note.
func loadCall(caller, n int) *call {
	c := &call{
		ID:     fmt.Sprintf("l-%d-%d", caller, n),
		Tool:   "debug.effect",
		Args:   map[string]any{"key": "k", "before_ms": 2, "after_ms": 2},
		tenant: defaultTenant,
	}
	switch {
	case n%20 == 7:
		c.Tool, c.Args = "add_note", map[string]any{"title": c.ID, "content": "note"}
	case n%20 == 17:
		c.Tool, c.Args = "debug.sleep", map[string]any{"ms": 700}
	case n%2 == 1:
		c.Tool, c.Args = "debug.sleep", map[string]any{"ms": 3}
	}
	return c
}

// send sends a call, beginning with the dispatcher of a number, and returns the problem
// with its answer.
func (l *load) send(c *call, first int) (problem string) {
	l.mu.Lock()
	doors := slices.Clone(l.doors)
	l.mu.Unlock()
	at := doors[first%len(doors)]
	a := at.execute(time.Minute, c)
	if errors.Is(a.err, syscall.ECONNREFUSED) {
		at = doors[(first+1)%len(doors)]
		a = at.execute(time.Minute, c)
	}
	switch {
	case a.err != nil:
		return fmt.Sprintf("%s at %s: %v", c.ID, at.name, a.err)
	case a.status != http.StatusOK || len(a.elements) != 1 || a.elements[0].outcome() != "success":
		return fmt.Sprintf("%s at %s: %d %s %+v", c.ID, at.name, a.status, a.detail, a.elements)
	}
	return ""
}

// audited checks that every call is on a trail that is sealed and verifies.
func (w *world) audited(d door) {
	w.t.Helper()
	w.sealedAll(d)
	w.exports(d)
	w.wantEachOnRecord()
}

// onceEach checks that each call that succeeded with an effect had it once.
func (l *load) onceEach(t *testing.T) {
	t.Helper()
	lines := l.w.ledger(defaultTenant)
	for _, c := range l.calls {
		if n := lines[c.ID]; c.Tool == "debug.effect" && n != 1 {
			t.Errorf("%s has %d effects, want 1", c.ID, n)
		}
	}
}
