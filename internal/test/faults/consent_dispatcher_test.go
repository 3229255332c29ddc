package faults

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/x/failpoint"
)

// carryTrials are the boundaries a dispatcher passes while it carries a verdict
// out.
var carryTrials = []trial{
	{point: failpoint.ConsentBeforeCarry},
	{point: failpoint.ConsentAfterResume},
}

// TestDispatcherFailsBehindAVerdict strikes a dispatcher that carries a verdict out;
// another continues, which is running already or starts later. Either way the call has one
// end.
func TestDispatcherFailsBehindAVerdict(t *testing.T) {
	for _, c := range carryTrials {
		for _, say := range []string{"grant", "deny"} {
			for _, action := range []string{"kill", "later", "stop", "error"} {
				t.Run(strings.Join([]string{c.point, say, action}, "/"), func(t *testing.T) {
					t.Parallel()
					strikeBehindVerdict(t, c, say, action)
				})
			}
		}
	}
}

// strikeBehindVerdict strikes one dispatcher. "later" is a kill after which there is no
// dispatcher for a while.
func strikeBehindVerdict(t *testing.T, c trial, say, action string) {
	later := action == "later"
	if later {
		action = "kill"
	}
	w := newWorld(t)
	w.worker()
	victim := w.dispatcher(c.arm(action))
	var other door
	looker := victim
	if !later && action != "error" {
		other = w.dispatcher()
		looker = other // a stopped one does not answer
	}
	// NATS decides which of two dispatchers gets a verdict, so calls are decided until one
	// came to the victim.
	var calls []*call
	hit := func() bool { return strings.Contains(victim.output(), "failpoint "+c.point) }
	for !hit() && len(calls) < 20 {
		asked := w.guarded(fmt.Sprintf("g%d", len(calls)))
		calls = append(calls, asked)
		if status := looker.decide(looker.park(asked), say); status != 200 && status != 0 {
			t.Fatalf("%s = %d, want 200", say, status)
		}
		await(t, "the verdict carried out, or the dispatcher struck", func() bool {
			if hit() {
				return true
			}
			e, status := looker.get(asked)
			return status == 200 && e.ended()
		})
	}
	victim.struck(c.point, action)
	switch {
	case later:
		last(time.Second)
		other = w.dispatcher()
	case action == "error":
		other = victim
	}
	for _, asked := range calls {
		other.ended(asked)
	}
	if action == "stop" {
		victim.signal(syscall.SIGCONT)
	}
	w.saidAndDone(other, say, calls...)
	for _, asked := range calls {
		if say == "grant" {
			w.wantStory(asked, "consent_requested", "consent_decided", "started", "finished")
		} else {
			w.wantStory(asked, "consent_requested", "consent_decided", "refused")
		}
	}
}

// TestDeciderDiesAfterItsAnswer kills the dispatcher that accepted a verdict, immediately
// after its answer. No other process need be running.
func TestDeciderDiesAfterItsAnswer(t *testing.T) {
	for _, say := range []string{"grant", "deny"} {
		t.Run(say, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.worker()
			decider := w.dispatcher()
			var calls []*call
			var ids []string
			for i := range 10 {
				asked := w.guarded(fmt.Sprintf("g%d", i))
				calls, ids = append(calls, asked), append(ids, decider.park(asked))
			}
			for _, id := range ids {
				if status := decider.decide(id, say); status != 200 {
					t.Fatalf("%s = %d, want 200", say, status)
				}
			}
			decider.kill()
			w.saidAndDone(w.dispatcher(), say, calls...)
		})
	}
}

// TestAskedForAgainBeforeItParked: a caller that sends a call again before a worker took it
// leaves a copy in the queue, and the server remembers that. A dispatcher that takes over
// the verdict must still get the granted call onto the queue.
func TestAskedForAgainBeforeItParked(t *testing.T) {
	t.Parallel()
	const joinGrace = 2 * time.Second
	w := newWorld(t)
	w.worker().drain() // its tools stay known, and no worker takes a call
	victim := w.dispatcher(failing("%s=kill", failpoint.ConsentBeforeCarry))
	asked := w.guarded("g1")
	victim.asPerson(0, asked)
	last(joinGrace + 100*time.Millisecond)
	victim.asPerson(100*time.Millisecond, asked)
	await(t, "a copy of the call", func() bool { return w.observe().queued() == 2 })
	w.worker()
	victim.decide(victim.asked(asked), "grant")
	victim.struck(failpoint.ConsentBeforeCarry, "kill")
	w.saidAndDone(w.dispatcher(), "grant", asked)
}
