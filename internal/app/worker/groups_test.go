package worker_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/protocol"
)

// queueGrouped queues a call of look whose dispatcher reads groups.
func (w *world) queueGrouped(id string, change func(*call.Call)) {
	w.t.Helper()
	now := time.Now()
	e := &call.Call{
		ID: id, TraceID: "t", Tool: "look", Origin: w.queue.Conn.ID(), Arguments: []byte(`{}`), Tenant: tenant, Pool: "default",
		AcceptedMS: now.UnixMilli(), StartByMS: now.Add(time.Minute).UnixMilli(), Grouped: true,
	}
	change(e)
	done := make(chan error, 1)
	w.queue.Calls.Submit(e, func(err error) { done <- err })
	if err := queuetest.Receive(w.t, done, "acknowledgement"); err != nil {
		w.t.Fatal(err)
	}
}

func same(*call.Call) {}

// stored returns the number of stored results of each call, and of messages that hold several.
func (w *world) stored() (results map[string]int, groups int) {
	w.t.Helper()
	results = map[string]int{}
	err := stream.On(w.queue.Conn).FollowFinals(queuetest.Context(w.t), 1, func(f stream.Final) error {
		for _, call := range f.Calls {
			results[call]++
		}
		if f.Grouped {
			groups++
		}
		return nil
	}, func() error { return errRead })
	if !errors.Is(err, errRead) {
		w.t.Fatal(err)
	}
	return results, groups
}

// TestResultsAreGrouped: results that are ready together for a dispatcher that reads groups
// share messages, each call is in one of them, and the queue lets go of all.
func TestResultsAreGrouped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.start()
	rounds := 0
	queuetest.Until(t, "a group", func() bool {
		rounds++
		for i := range 4 {
			w.queueGrouped(fmt.Sprintf("c%d-%d", rounds, i), same)
		}
		for range 4 {
			queuetest.Receive(t, w.entered, "call")
		}
		for range 4 {
			w.leave <- struct{}{}
		}
		w.emptied()
		_, groups := w.stored()
		return groups > 0
	})
	results, _ := w.stored()
	if len(results) != 4*rounds {
		t.Errorf("%d calls have results, want %d", len(results), 4*rounds)
	}
	for call, n := range results {
		if n != 1 {
			t.Errorf("%s has %d results, want 1", call, n)
		}
	}
}

// TestGroupsFitTheirStream: in a small stream no group is larger than what is kept for calls
// that run: it could be refused while single results fit, and only this worker would know.
func TestGroupsFitTheirStream(t *testing.T) {
	t.Parallel()
	const rounds, together = 6, 4
	w := newWorld(t, func(c *config.Config) { c.Streams.ResultsMaxBytes = 40 << 10 })
	w.start()
	for round := range rounds {
		for i := range together {
			w.queueGrouped(fmt.Sprintf("c%d-%d", round, i), same)
		}
		for range together {
			queuetest.Receive(t, w.entered, "call")
		}
		for range together {
			w.leave <- struct{}{}
		}
		w.emptied()
	}
	if results, groups := w.stored(); len(results) != rounds*together || groups > 0 {
		t.Errorf("%d results are stored, and %d groups; want %d and none", len(results), groups, rounds*together)
	}
}

// TestResultsThatStayAlone: where the server has to compare results of a call, or the
// dispatcher does not read groups, each is stored under its call's subject, and readers
// are told where a group may hold an earlier one.
func TestResultsThatStayAlone(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*call.Call)
		shared bool
	}{
		"dispatcher of an earlier version": {func(e *call.Call) { e.Grouped = false }, false},
		"copy":                             {func(e *call.Call) { e.Copy = true }, true},
		"moved":                            {func(e *call.Call) { e.Moves = 1 }, true},
		"attempts before":                  {func(e *call.Call) { e.Attempts = 1 }, true},
		"refused":                          {func(e *call.Call) { e.Arguments = []byte(`[1]`) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			close(w.leave)
			for i := range 10 { // while no worker runs, so that they end together
				w.queueGrouped(fmt.Sprint("c", i), tt.change)
			}
			w.start()
			w.emptied()
			for i := range 10 {
				stored, err := w.queue.Results.ResultOf(queuetest.Context(t), tenant, "default", fmt.Sprint("c", i))
				if err != nil || stored == nil || stored.Shared != tt.shared {
					t.Errorf("c%d: %+v, %v, want a result by itself, shared %v", i, stored, err, tt.shared)
				}
			}
		})
	}
}

// TestRedeliveredCallOfAGroup: a call that is delivered again and has a result in a group
// is taken off the queue if a dispatcher finds it. If none answers the call is run again,
// and its second result is marked: there may be a first.
func TestRedeliveredCallOfAGroup(t *testing.T) {
	t.Parallel()
	for name, answers := range map[string]bool{"found": true, "not found": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			if err := w.queue.Owners.ServeProbeDone(func(string, string) *call.Owner { return nil }, func(_, callID string) *call.Owner {
				if callID != "c" || !answers {
					return nil
				}
				return &call.Owner{State: protocol.StateDone, By: w.queue.Conn.ID()}
			}); err != nil {
				t.Fatal(err)
			}
			w.queueGrouped("c", same)
			w.fail(1)
			close(w.leave)
			w.start()
			w.emptied()
			stored, err := w.queue.Results.ResultOf(queuetest.Context(t), tenant, "default", "c")
			if err != nil || (stored == nil) != answers || stored != nil && !stored.Shared {
				t.Errorf("the second result is %+v, %v, want one only if nobody answers", stored, err)
			}
			if ran := len(w.entered); (ran == 0) != answers {
				t.Errorf("the call ran %d times again", ran)
			}
		})
	}
}
