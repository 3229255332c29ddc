package faults

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/x/failpoint"
)

// parkTrials are the boundaries a worker passes while it parks a call.
var parkTrials = []trial{
	{point: failpoint.ConsentAfterPark},
	{point: failpoint.QueuePublish},
	{point: failpoint.QueueAck},             // the call is parked, and the worker does not know
	{point: failpoint.QueuePublish, hit: 2}, // the person is not asked
	{point: failpoint.QueueAck, hit: 2},
	{point: failpoint.QueuePublish, hit: 3}, // it is not recorded
	{point: failpoint.QueueAck, hit: 3},
	{point: failpoint.QueueSettle}, // it is parked, and still on the queue
}

// TestWorkerFailsWhileParking strikes a worker at each boundary; another parks the call
// again. The person is asked once, and their consent runs it once.
func TestWorkerFailsWhileParking(t *testing.T) {
	for _, c := range parkTrials {
		for _, action := range actions {
			t.Run(c.name()+"/"+action, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				victim := w.worker(c.arm(action))
				d := w.dispatcher()
				asked := w.guarded("g1")
				first := d.sendAsPerson(time.Minute, asked)
				victim.struck(c.point, action)
				if action != "error" {
					w.worker()
				}
				id := d.asked(asked)
				if a := <-first; a.status != 200 || a.elements[0].State != "awaiting_consent" {
					t.Errorf("the caller was answered %+v, want that the call awaits its person", a)
				}
				await(t, "an empty queue", func() bool { return w.observe().queued() == 0 })
				if action == "stop" {
					victim.signal(syscall.SIGCONT)
				}
				if n := len(d.inbox("")); n != 1 || w.observe().open() != 1 {
					t.Errorf("the inbox shows %d requests and its stream holds %d, want 1", n, w.observe().open())
				}
				if status := d.decide(id, "grant"); status != 200 {
					t.Fatalf("grant = %d, want 200", status)
				}
				w.saidAndDone(d, "grant", asked)
				w.wantStory(asked, "consent_requested", "consent_decided", "started", "finished")
			})
		}
	}
}

// TestGrantedWithoutWorker decides while no worker can run the call.
func TestGrantedWithoutWorker(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.worker()
	d := w.dispatcher()
	asked := w.guarded("g1")
	id := d.park(asked)
	first.drain()
	if status := d.decide(id, "grant"); status != 200 {
		t.Fatalf("grant = %d, want 200", status)
	}
	w.awaitState(d, asked, "queued")
	await(t, "the call on the queue", func() bool { return w.observe().queued() == 1 })
	w.worker()
	w.saidAndDone(d, "grant", asked)
}

// TestWorkerDiesWithAGrantedCall strikes the worker that runs a granted call: its token was
// used by this call, so another worker may continue it.
func TestWorkerDiesWithAGrantedCall(t *testing.T) {
	for _, tt := range []struct {
		arm  string
		want string
	}{
		// The once-only write of the token is stored, and no fence.
		{failing("%s=kill", failpoint.WorkerBeforeFence), "success"},
		{failing("%s=kill", failpoint.WorkerAfterFence), "outcome_unknown"},
	} {
		t.Run(strings.TrimPrefix(tt.arm, "FAILPOINTS="), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			parker := w.worker()
			d := w.dispatcher()
			asked := w.guarded("g1")
			id := d.park(asked)
			parker.drain()
			victim := w.worker(tt.arm)
			if status := d.decide(id, "grant"); status != 200 {
				t.Fatalf("grant = %d, want 200", status)
			}
			victim.awaitEnd()
			w.worker()
			if e := d.ended(asked); e.outcome() != tt.want {
				t.Errorf("the call ended in %s (%s), want %s", e.outcome(), e.Message, tt.want)
			}
			w.settled(d)
			if n := w.personalLedger()[asked.ID]; n > 1 || n != map[string]int{"success": 1}[tt.want] {
				t.Errorf("the call wrote %d lines", n)
			}
		})
	}
}
