package faults

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/x/failpoint"
)

// wantFinal checks that the end of a call is recorded once, under the id of that attempt.
func (w *world) wantFinal(c *call, e *element) {
	w.t.Helper()
	var ids []string
	for _, r := range w.observe().records() {
		if r.CallID == c.ID && strings.HasPrefix(r.AuditID, "f-") {
			ids = append(ids, r.AuditID+" "+r.Phase+" "+r.Result.Status)
		}
	}
	if want := fmt.Sprintf("f-%s-%d finished success", c.ID, e.Attempt); len(ids) != 1 || ids[0] != want {
		w.t.Errorf("on record of the end of %s: %q, want %q", c.ID, ids, want)
	}
}

// TestLastRecordOutlivesItsWorker kills a worker when the result of its call is stored: its
// record is stored with it, and no other record is written.
func TestLastRecordOutlivesItsWorker(t *testing.T) {
	for _, tt := range []struct{ name, tool, arm string }{
		// An effect sends the record of its start, the fence and its result.
		{"effect", "effect", failpoint.WorkerAfterResult + "=kill"},
		{"effect, acknowledgement of the result lost", "effect", failpoint.QueueAck + "=error@3," + failpoint.WorkerAfterAck + "=kill"},
		{"effect, result sent twice", "effect", failpoint.WorkerAfterResult + "=error," + failpoint.WorkerAfterAck + "=kill"},
		{"read", "sleep", failpoint.WorkerAfterResult + "=kill"},
		{"read, acknowledgement of the result lost", "sleep", failpoint.QueueAck + "=error," + failpoint.WorkerAfterAck + "=kill"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			victim := w.worker(failing("%s", tt.arm))
			d := w.dispatcher()
			asked := w.one(tt.tool)
			first := d.send(time.Minute, asked)
			victim.awaitEnd()
			w.worker()
			got := d.settle(t, asked)
			w.agreed(<-first, got)
			w.settled(d)
			w.wantFinal(asked, &got)
		})
	}
}

// TestAcknowledgementOfTheResultLost: the worker sends its result again, receives that a
// result is stored, recognizes it as its own, and publishes the event.
func TestAcknowledgementOfTheResultLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	done := w.hears("done")
	worker := w.worker(failing("%s=error", failpoint.WorkerAfterResult))
	d := w.dispatcher()
	asked := w.one("sleep")
	got := d.settle(t, asked)
	worker.line("failpoint " + failpoint.WorkerAfterResult)
	w.settled(d)
	w.wantFinal(asked, &got)
	select {
	case id := <-done:
		if id != asked.ID {
			t.Errorf("%s is told to be done, want %s", id, asked.ID)
		}
	case <-time.After(patience()):
		t.Error("nobody was told that the call is done")
	}
}

// TestFullResultsAndItsWorkerLost fills the results stream while calls run, so that their
// ends cannot be stored, and kills their worker. No call is answered meanwhile. When there
// is room again another worker ends each of them, with a record.
func TestFullResultsAndItsWorkerLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	victim := w.worker("HELVE_LOG_LEVEL=debug") // which logs each call
	d := w.dispatcher()
	o := w.observe()
	asked := w.sleepers(20, 3000)
	first := w.sendRunning(d, asked...)
	full := max(1, int64(o.streamOf(anyResult).CachedInfo().State.Bytes))
	o.bound(anyResult, full)
	await(t, "the worker's word of the full stream", func() bool { return strings.Contains(victim.output(), "stream full, calls refused") })
	await(t, "the end of their tools", func() bool { return strings.Count(victim.output(), `"msg":"call finished"`) >= len(asked) })
	victim.kill()
	// it sets the bound of the stream to its settings
	second := w.spawnWorker("127.0.0.1:0", fmt.Sprintf("HELVE_STREAMS_RESULTS_MAX_BYTES=%d", full))
	second.line("ready worker=")
	await(t, "the calls on the second worker", func() bool { return o.pool().NumRedelivered == len(asked) })
	if n, stored := o.queued(), o.stored(anyResult); n != uint64(len(asked)) || stored > 0 {
		t.Errorf("%d calls are queued and %d have a result while there is no room, want %d and none", n, stored, len(asked))
	}
	o.bound(anyResult, -1)
	ended := w.settleAll(d, asked)
	w.wantOutcomes(ended, asked, "success")
	w.allAgreed(<-first, ended)
	w.settled(d)
	for _, c := range asked {
		e := ended[c.ID]
		w.wantFinal(c, &e)
	}
}
