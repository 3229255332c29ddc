package faults

import (
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/x/failpoint"
)

// TestStoreEnds kills the worker of a call that adds a note, before and after the commit,
// and ends the call while no worker is there. The next worker finds the truth in the store:
// a committed call ends in success, and no other call does.
func TestStoreEnds(t *testing.T) {
	for _, c := range []struct {
		point, end, want string
	}{
		{failpoint.StoreAfterCommit, "cancel", "success"},
		{failpoint.StoreAfterCommit, "time", "success"},
		{failpoint.StoreBeforeCommit, "cancel", "cancelled"},
		{failpoint.StoreBeforeCommit, "time", "timeout"},
	} {
		t.Run(c.point+"/"+c.end, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			victim := w.worker(failing("%s=kill", c.point))
			var settings []string
			if c.end == "time" {
				settings = append(settings, "HELVE_DISPATCHER_QUEUE_TTL=1s")
			}
			d := w.dispatcher(settings...)
			asked := w.call(defaultTenant, "call-1", "add_note", map[string]any{"title": "one", "content": "note"})
			first := d.send(time.Minute, asked)
			victim.struck(c.point, "kill")
			if c.end == "cancel" {
				if got, _ := d.cancel(asked); got.ended() {
					t.Errorf("without a worker the cancelled call ended in %s (%s)", got.outcome(), got.Message)
				}
			} else {
				last(5 * time.Second) // the dispatcher looks meanwhile
				if got, _ := d.get(asked); got.ended() {
					t.Errorf("without a worker the late call ended in %s (%s)", got.outcome(), got.Message)
				}
			}
			w.worker()
			got := d.settle(t, asked)
			if got.outcome() != c.want {
				t.Errorf("the call ended in %s (%s), want %s", got.outcome(), got.Message, c.want)
			}
			w.agreed(<-first, got)
			w.storedOnce(d, got)
			w.settled(d)
		})
	}
}

// TestStoreCallCancelledInQueue: a call of a transactional tool that no worker has taken
// ends when it is cancelled, also while the workers are busy.
func TestStoreCallCancelledInQueue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.worker("HELVE_WORKER_SLOTS=1")
	d := w.dispatcher()
	busy := w.sleeper("busy", 60_000)
	d.send(time.Minute, busy)
	w.awaitState(d, busy, "running")
	asked := w.call(defaultTenant, "call-1", "add_note", map[string]any{"title": "one", "content": "note"})
	first := d.send(time.Minute, asked)
	w.awaitState(d, asked, "queued")
	got, _ := d.cancel(asked)
	if got.outcome() != "cancelled" {
		t.Errorf("the cancelled call: %+v, want its end", got)
	}
	w.agreed(<-first, got)
	d.cancel(busy)
	w.storedOnce(d, got)
	w.settled(d)
}
