package faults

import (
	"fmt"
	"net/http"
	"time"
)

// last is the duration of a fault: a stimulus, not a wait for a condition.
func last(d time.Duration) { <-time.After(d) }

// awaitState waits until a dispatcher reports a state of a call.
func (w *world) awaitState(d door, c *call, state string) {
	w.t.Helper()
	await(w.t, c.ID+" "+state, func() bool {
		e, status := d.get(c)
		return status == http.StatusOK && e.State == state
	})
}

// sendRunning sends calls and returns when the first of them runs. It waits for an event: a
// short call may have ended before its state is read.
func (w *world) sendRunning(d door, calls ...*call) <-chan answer {
	w.t.Helper()
	started := w.hears("started")
	first := d.send(time.Minute, calls...)
	defer func() {
		if w.t.Failed() {
			w.t.Log(w.placesOf(d, calls))
		}
	}()
	await(w.t, "a call runs", func() bool { return len(started) > 0 })
	return first
}

// sleepers returns n idempotent calls.
func (w *world) sleepers(n, ms int) []*call {
	calls := make([]*call, n)
	for i := range calls {
		calls[i] = w.sleeper(fmt.Sprintf("s-%d-%d", len(w.calls), i), ms)
	}
	return calls
}

// writers returns n calls with side effects.
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
	left, got := calls, answer{}
	defer func() {
		if len(left) > 0 {
			w.t.Logf("%d calls did not end; the last answer is %+v\n%s", len(left), got, w.placesOf(d, left))
		}
	}()
	await(w.t, "the end of every call", func() bool {
		left = nil
		for _, c := range calls {
			if _, ok := ended[c.ID]; !ok {
				left = append(left, c)
			}
		}
		if len(left) == 0 {
			return true
		}
		got = d.execute(5*time.Second, left[:min(len(left), 1000)]...)
		for _, e := range got.elements {
			// An error of acceptance or confirmation is not an end.
			if e.ended() && e.ErrorType != "internal" && e.ErrorType != "overloaded" {
				ended[e.CallID] = e
			}
		}
		return false
	})
	return ended
}

// wantOutcomes compares the ends of calls with the allowed outcomes.
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

// allAgreed compares the answers to a first request with the calls' ends.
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
