package pathmodel

import (
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/test/testtime"
)

// limit is more states than any design has: a design with more has a mistake in the
// model.
const limit = 2_000_000

func hasResult(s *state) bool { return s.result != noOutcome }

// wasQueued reports whether the queue has accepted the call, whatever the caller was
// answered.
func wasQueued(s *state) bool { return s.queued }

func isAccepted(s *state) bool { return s.accepted == acceptedOnce || s.accepted == acceptedAgain }

func explored(t *testing.T, d design) *graph {
	t.Helper()
	began := time.Now()
	g, broken, err := explore(d, limit)
	if err != nil {
		t.Fatal(err)
	}
	if broken != nil {
		t.Fatal(broken)
	}
	t.Logf("%d states, %d steps that are no fault, %v", len(g.states), len(g.edges)+len(g.asks), time.Since(began))
	return g
}

// TestCall visits every state of a call. In each state every promise holds, and from
// each the call reaches its result once faults end.
func TestCall(t *testing.T) {
	testtime.Slow(t, "it visits 1.7 million states")
	graphs := []*graph{explored(t, design{pumps: true})}
	for name, d := range map[string]design{
		"with side effects": {}, "repeatable": {repeatable: true}, "transactional": {transactional: true},
		"in a group or direct": {repeatable: true, groups: true, direct: true},
	} {
		t.Run(name, func(t *testing.T) {
			g := explored(t, d)
			graphs = append(graphs, g)
			if v := g.never(wasQueued, hasResult, false); v != nil {
				t.Errorf("a call that was queued never gets a result: %v", v)
			}
			if v := g.never(isAccepted, hasResult, true); v != nil {
				t.Errorf("an accepted call never gets a result, though its caller sends it again: %v", v)
			}
		})
	}
	stepsExist(t, graphs...)
}

// TestTrail visits every state between a stored result and the trail.
func TestTrail(t *testing.T) {
	t.Parallel()
	g := explored(t, design{pumps: true, groups: true})
	recorded := func(s *state) bool { return s.records == 1 }
	if v := g.never(hasResult, recorded, false); v != nil {
		t.Errorf("a result's record never gets into the trail: %v", v)
	}
}

// TestKnownFaults shows that the model finds faults: those of earlier designs, and
// those of this design with one of its parts removed.
func TestKnownFaults(t *testing.T) {
	for name, tt := range map[string]struct {
		design design
		want   string
	}{
		"answer from the worker's copy":         {design{answerFromCopy: true}, "an answer differs from the stored result"},
		"record apart from the result":          {design{recordApart: true}, "a call has two final records"},
		"block written wherever the trail ends": {design{pumps: true, unfencedPump: true}, "a call has two final records"},
		"a second result read by its subject": {
			design{groups: true, repeatable: true, bySubject: true}, "an answer differs from the stored result",
		},
		"a pump that forgets the first result": {
			design{pumps: true, groups: true, forgetfulPump: true}, "a call has two final records",
		},
		"changes committed without the call": {
			design{transactional: true, noRow: true}, "a call whose changes are committed has another outcome",
		},
		"a delivered call ended beside its commit": {
			design{transactional: true, endDelivered: true}, "a call whose changes are committed has another outcome",
		},
		"side effects without a fence":          {design{noFence: true}, "a call that was ended before it started has acted"},
		"cancelled by a worker without a fence": {design{endIdle: true}, "a call that was ended before it started has acted"},
		"given up by a worker without a fence":  {design{giveUpIdle: true}, "a call that was given up without a start has acted"},
		"answer from the worker's copy, tool repeatable": {
			design{answerFromCopy: true, repeatable: true}, "an answer differs from the stored result",
		},
		"record apart from the result, a repeatable tool": {design{recordApart: true, repeatable: true}, "a call has two final records"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, broken, err := explore(tt.design, limit)
			if err != nil {
				t.Fatal(err)
			}
			if broken == nil || broken.promise != tt.want {
				t.Fatalf("found %v in %d states, want: %s", broken, len(g.states), tt.want)
			}
			t.Log(broken)
		})
	}
}

// TestPendingDirectCallIsLost: a dispatcher that answers a direct call as pending before it is
// queued loses the call with its worker.
func TestPendingDirectCallIsLost(t *testing.T) {
	t.Parallel()
	g := explored(t, design{repeatable: true, direct: true, pendingUnqueued: true})
	v := g.never(wasQueued, hasResult, false)
	if v == nil {
		t.Fatal("no call is lost, want one")
	}
	t.Log(v)
}

// TestLostCallIsFound: a worker that acknowledges a returned call before the copy is
// stored loses the call.
func TestLostCallIsFound(t *testing.T) {
	t.Parallel()
	g := explored(t, design{ackFirst: true})
	v := g.never(wasQueued, hasResult, false)
	if v == nil {
		t.Fatal("no call is lost, want one")
	}
	t.Log(v)
}
