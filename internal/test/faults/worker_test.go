package faults

import (
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/x/failpoint"
)

func TestWorkerKilledStallsNobodyElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	victim := w.worker()
	d := w.dispatcher()
	caught := w.sleeper("caught", 1500)
	first := w.sendRunning(d, caught)
	victim.kill()
	w.worker()
	behind := w.sleepers(300, 5)
	a := d.execute(time.Minute, behind...)
	if a.status != 200 {
		t.Fatalf("the calls behind it: %+v", a)
	}
	got := d.settle(t, caught)
	if got.outcome() != "success" || got.Attempt < 2 {
		t.Errorf("the caught call ended in %+v, want success at a second attempt", got)
	}
	w.agreed(<-first, got)
	ended := w.settled(d)
	w.allAgreed(a, w.byID(ended))
	w.wantOutcomes(w.byID(ended), behind, "success")
}

// byID returns results by call_id, in worlds of one tenant.
func (w *world) byID(byKey map[string]element) map[string]element {
	got := map[string]element{}
	for _, e := range byKey {
		got[e.CallID] = e
	}
	return got
}

// TestStoppedWorkerGoesOn stops worker A for three times the redelivery time, lets B take
// the call over and die, and continues A.
func TestStoppedWorkerGoesOn(t *testing.T) {
	const threeAckWaits = 3 * time.Second
	for _, tt := range []struct {
		name, tool, stopped string
		want                string
		lines               int
	}{
		{"idempotent call, while it runs", "sleep", "", "success", 0},
		{"effect, while it runs", "effect", "", "success", 1},
		{"effect, before its fence", "effect", failpoint.WorkerBeforeFence, "outcome_unknown", 1},
		{"effect, behind its fence", "effect", failpoint.WorkerAfterFence, "success", 1},
		{"effect, before its result", "effect", failpoint.WorkerAfterTool, "success", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			var arm []string
			if tt.stopped != "" {
				arm = []string{failing("%s=stop", tt.stopped)}
			}
			a := w.worker(arm...)
			d := w.dispatcher()
			asked := w.one(tt.tool)
			var first <-chan answer
			if tt.stopped == "" {
				first = w.sendRunning(d, asked)
				a.pause()
			} else {
				first = d.send(time.Minute, asked)
				a.struck(tt.stopped, "stop")
			}
			b := w.worker(failing("%s=kill", failpoint.WorkerAfterTool))
			b.struck(failpoint.WorkerAfterTool, "kill")
			last(threeAckWaits)
			a.signal(syscall.SIGCONT)
			got := d.settle(t, asked)
			if got.outcome() != tt.want {
				t.Errorf("the call ended in %s (%s), want %s", got.outcome(), got.Message, tt.want)
			}
			w.agreed(<-first, got)
			w.settled(d)
			if n := w.ledger(defaultTenant)[asked.ID]; n != tt.lines {
				t.Errorf("%d lines in the ledger, want %d", n, tt.lines)
			}
		})
	}
}

// TestHeartbeatsLost has a worker that runs while its heartbeats are lost. Its calls are
// delivered again, to itself and to another, and must neither run twice nor be ended,
// though they are delivered more often than is allowed for a call that leaves no result.
func TestHeartbeatsLost(t *testing.T) {
	for _, tool := range []string{"sleep", "effect"} {
		for _, others := range []int{0, 1} {
			t.Run(tool+[]string{"/alone", "/among others"}[others], func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				const few = "HELVE_WORKER_MAX_ATTEMPTS=2"
				deaf := w.worker(few, failing("%s=error@*", failpoint.QueueBeat))
				d := w.dispatcher()
				asked := w.sleeper("long", 5000)
				if tool == "effect" {
					w.calls = nil
					asked = w.writer("long", 2500, 2500)
				}
				first := w.sendRunning(d, asked)
				for range others {
					w.worker(few)
				}
				got := d.settle(t, asked)
				if got.outcome() != "success" || got.Attempt != 1 {
					t.Errorf("the call ended in %+v, want success of the first attempt", got)
				}
				deaf.line("failpoint " + failpoint.QueueBeat)
				w.agreed(<-first, got)
				w.settled(d)
			})
		}
	}
}

// TestResultWaitsForNATS has a worker whose result cannot be stored immediately and whose
// heartbeats are lost: the call is delivered to it again while it holds the result.
func TestResultWaitsForNATS(t *testing.T) {
	for _, tool := range []string{"sleep", "effect"} {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.worker(failing("%s=error,%s=error@*", failpoint.WorkerAfterTool, failpoint.QueueBeat))
			d := w.dispatcher()
			asked := w.one(tool)
			first := d.send(time.Minute, asked)
			got := d.settle(t, asked)
			if got.outcome() != "success" {
				t.Errorf("the call ended in %s (%s), want success: the worker knew", got.outcome(), got.Message)
			}
			w.agreed(<-first, got)
			w.settled(d)
		})
	}
}

// TestPoison sends a call that kills every worker that takes it.
func TestPoison(t *testing.T) {
	const mostWorkers = 5
	for _, tt := range []struct{ tool, point string }{
		{"sleep", failpoint.WorkerTaken},
		{"effect", failpoint.WorkerBeforeFence},
	} {
		t.Run(tt.tool, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			poison := []string{"HELVE_WORKER_MAX_ATTEMPTS=3", failing("%s=kill@*", tt.point)}
			victims := []*process{w.worker(poison...)}
			d := w.dispatcher()
			asked := w.one(tt.tool)
			first := d.send(time.Minute, asked)
			ended := func() bool {
				e, status := d.get(asked)
				return status == 200 && e.ended()
			}
			for !ended() && len(victims) <= mostWorkers {
				current := victims[len(victims)-1]
				await(t, "the end of the worker or of the call", func() bool { return current.gone() || ended() })
				if current.gone() {
					victims = append(victims, w.worker(poison...))
				}
			}
			got := d.settle(t, asked)
			if got.outcome() != "execution_error" || len(victims) != 4 {
				t.Errorf("after %d workers the call ended in %s (%s), want execution_error of the fourth", len(victims), got.outcome(), got.Message)
			}
			w.agreed(<-first, got)
			w.settled(d)
			if n := w.ledger(defaultTenant)[asked.ID]; n != 0 {
				t.Errorf("%d lines in the ledger, want 0", n)
			}
		})
	}
}

// TestDispatcherLeavesTheClockAlone has workers whose redelivery time differs from the
// dispatcher's: a time shorter than the interval of their heartbeats would make every long
// call look like a dead worker's.
func TestDispatcherLeavesTheClockAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.worker("HELVE_WORKER_ACK_WAIT=7s")
	d := w.dispatcher()
	d.settle(t, w.sleeper("any", 1))
	if got := w.observe().ackWait(); got != 7*time.Second {
		t.Errorf("the workers' redelivery clock is %v after a dispatcher's first call, want their 7s", got)
	}
	w.settled(d)
}

func TestSameCallIDInTwoTenants(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.worker()
	d := w.dispatcher()
	args := map[string]any{"key": "k", "before_ms": 300}
	calls := []*call{w.call("default", "shared", "debug.effect", args), w.call("other", "shared", "debug.effect", args)}
	for _, got := range []<-chan answer{d.send(time.Minute, calls[0]), d.send(time.Minute, calls[1])} {
		if a := <-got; a.status != 200 || a.elements[0].outcome() != "success" {
			t.Errorf("answer %+v, want success", a)
		}
	}
	w.settled(d)
	lines := []int{w.ledger("default")["shared"], w.ledger("other")["shared"]}
	if !slices.Equal(lines, []int{1, 1}) {
		t.Errorf("lines in the two ledgers: %v, want one in each", lines)
	}
}
