package faults

import (
	"fmt"
	"net/http"
	"time"
)

// last is how long a fault is left in place: a stimulus, not something that is
// waited for.
func last(d time.Duration) { <-time.After(d) }

// state waits until a dispatcher says this of a call.
func (w *world) awaitState(d door, c *call, state string) {
	w.t.Helper()
	await(w.t, c.ID+" "+state, func() bool {
		e, status := d.get(c)
		return status == http.StatusOK && e.State == state
	})
}

// sleepers are n idempotent calls.
func (w *world) sleepers(n, ms int) []*call {
	calls := make([]*call, n)
	for i := range calls {
		calls[i] = w.sleeper(fmt.Sprintf("s-%d-%d", len(w.calls), i), ms)
	}
	return calls
}

// writers are n calls with side effects.
func (w *world) writers(n, beforeMS, afterMS int) []*call {
	calls := make([]*call, n)
	for i := range calls {
		calls[i] = w.writer(fmt.Sprintf("e-%d-%d", len(w.calls), i), beforeMS, afterMS)
	}
	return calls
}

// settleAll sends calls again, in one request, until all of them have ended.
func (w *world) settleAll(d door, calls []*call) map[string]element {
	w.t.Helper()
	ended := map[string]element{}
	await(w.t, "the end of every call", func() bool {
		var left []*call
		for _, c := range calls {
			if _, ok := ended[c.ID]; !ok {
				left = append(left, c)
			}
		}
		if len(left) == 0 {
			return true
		}
		a := d.execute(5*time.Second, left[:min(len(left), 1000)]...)
		for _, e := range a.elements {
			// What could not be accepted or confirmed is not an end.
			if e.ended() && e.ErrorType != "internal" && e.ErrorType != "overloaded" {
				ended[e.CallID] = e
			}
		}
		return false
	})
	return ended
}

// wantOutcomes holds the ends of calls against what may become of them.
func (w *world) wantOutcomes(ended map[string]element, calls []*call, allowed ...string) {
	w.t.Helper()
	for _, c := range calls {
		e := ended[c.ID]
		ok := false
		for _, want := range allowed {
			ok = ok || e.outcome() == want
		}
		if !ok {
			w.t.Errorf("%s ended in %q (%s), want one of %q", c.ID, e.outcome(), e.Message, allowed)
		}
	}
}

// allAgreed holds the answers to a first request against the calls' ends.
func (w *world) allAgreed(first answer, ended map[string]element) {
	w.t.Helper()
	if first.err != nil || first.status != http.StatusOK {
		return
	}
	for _, e := range first.elements {
		end := ended[e.CallID]
		if e.ended() && e.ErrorType != "internal" && !e.same(&end) {
			w.t.Errorf("two answers for one call:\n%+v\n%+v", e, end)
		}
	}
}
