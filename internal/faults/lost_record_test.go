package faults

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/failpoint"
)

// boundTrail sets how many bytes the audit trail may hold.
func (o observer) boundTrail(bytes int64) {
	o.t.Helper()
	cfg := o.streamOf("helve.v1.default.audit.tool").CachedInfo().Config
	cfg.MaxBytes = bytes
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if _, err := o.js.UpdateStream(ctx, cfg); err != nil {
		o.t.Fatal(err)
	}
}

// wantFinal wants the end of a call on record, under the id of that attempt and
// no other. It may be there twice if nobody knew whether it was stored.
func (w *world) wantFinal(c *call, e *element) {
	w.t.Helper()
	var ids []string
	for _, r := range w.observe().records() {
		if r.CallID == c.ID && strings.HasPrefix(r.AuditID, "f-") {
			ids = append(ids, r.AuditID+" "+r.Phase+" "+r.Result.Status)
		}
	}
	ids = slices.Compact(ids)
	if want := fmt.Sprintf("f-%s-%d finished success", c.ID, e.Attempt); len(ids) != 1 || ids[0] != want {
		w.t.Errorf("on record of the end of %s: %q, want %q", c.ID, ids, want)
	}
}

// TestLastRecordOutlivesItsWorker kills a worker when the result of its call is
// stored and the record of that was refused, or was not yet sent. The call is
// answered, so nothing but the record is left to do; whoever gets the call next
// does it.
func TestLastRecordOutlivesItsWorker(t *testing.T) {
	for _, tt := range []struct{ name, tool, arm string }{
		// An effect sends the record of its start, the fence, that of its end and
		// its result; what changes nothing sends the record after its result.
		{"effect, record not sent", "effect", failpoint.BusPublish + "=error@3," + failpoint.WorkerAfterResult + "=kill"},
		{"effect, acknowledgement of the record lost", "effect", failpoint.BusAck + "=error@3," + failpoint.WorkerAfterResult + "=pause:200ms," + failpoint.WorkerAfterAck + "=kill"},
		{"read, record not due yet", "sleep", failpoint.WorkerAfterResult + "=kill"},
		{"read, record not sent", "sleep", failpoint.BusPublish + "=error@2," + failpoint.WorkerAfterAck + "=kill"},
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

// TestAcknowledgementOfTheResultLost: the worker sends its result again, is told
// that there is one, knows it for its own, and tells who listens.
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
	case <-time.After(patience):
		t.Error("nobody was told that the call is done")
	}
}

// TestFullTrailAndItsWorkerLost fills the trail, has calls answered that cannot
// be put on record, and kills their worker. When there is room again another
// worker has each of them on record.
func TestFullTrailAndItsWorkerLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	victim := w.worker()
	d := w.dispatcher()
	o := w.observe()
	full := max(1, int64(o.streamOf("helve.v1.default.audit.tool").CachedInfo().State.Bytes))
	o.boundTrail(full)
	asked := w.sleepers(20, 1)
	first := d.execute(time.Minute, asked...)
	w.wantOutcomes(w.byCallID(first), asked, "success")
	victim.kill()
	second := w.worker(fmt.Sprintf("HELVE_AUDIT_MAX_BYTES=%d", full)) // it has the stream as its settings say
	await(t, "a second worker that cannot put them on record either", func() bool {
		return strings.Count(second.output(), "audit record not stored") >= len(asked)
	})
	if n := o.queued(); n != uint64(len(asked)) {
		t.Errorf("%d calls are on the queue while they are not on record, want %d", n, len(asked))
	}
	o.boundTrail(-1)
	w.settled(d)
	for i, c := range asked {
		w.wantFinal(c, &first.elements[i])
	}
}

// byCallID is the answer to one request by call_id.
func (w *world) byCallID(a answer) map[string]element {
	w.t.Helper()
	if a.status != 200 {
		w.t.Fatalf("the calls were answered %+v", a)
	}
	got := map[string]element{}
	for _, e := range a.elements {
		got[e.CallID] = e
	}
	return got
}
