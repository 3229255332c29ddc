package faults

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// batchOf returns a batch of a writing call and a sleeping one.
func (w *world) batchOf(id string, ms int) *call {
	return w.call(defaultTenant, id, "batch_use_tool", map[string]any{"calls": []map[string]any{
		{"tool_name": "debug.effect", "arguments": map[string]any{"key": "k"}},
		{"tool_name": "debug.sleep", "arguments": map[string]any{"ms": ms}},
	}})
}

// wrote waits until the first call of a batch has written.
func (w *world) wrote(id string) {
	w.t.Helper()
	await(w.t, "the line of "+id, func() bool { return w.ledger(defaultTenant)[id+"~1"] == 1 })
}

// TestWorkerKilledInABatch: a started effect is not repeated, and reported as unknown; a
// call that only reads is run elsewhere. The record names the worker that is gone.
func TestWorkerKilledInABatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	victim := w.spawnWorker("127.0.0.1:0")
	gone, _, _ := strings.Cut(victim.line("ready worker="), " ")
	d := w.dispatcher()
	c := w.batchOf("batch", 2000)
	d.execute(0, c)
	w.wrote(c.ID)
	victim.kill()
	w.worker()
	e := d.settle(t, c)
	if e.outcome() != "success" || !strings.Contains(string(e.Result), `"error_type":"outcome_unknown"`) ||
		!strings.Contains(string(e.Result), `"succeeded":1`) {
		t.Errorf("the batch ended as %+v %s, want an unknown outcome and a success", e, e.Result)
	}
	if n := w.ledger(defaultTenant)[c.ID+"~1"]; n != 1 {
		t.Errorf("the effect happened %d times", n)
	}
	o := w.observe()
	await(t, "a record of "+c.ID+" that names the worker "+gone+", which was killed", func() bool {
		return slices.ContainsFunc(o.records(), func(r record) bool {
			return r.CallID == c.ID && strings.Contains(r.Detail, "attempt 1") && strings.Contains(r.Detail, gone)
		})
	})
}

// TestBatchEndedAfterItActed: a batch whose worker was lost after one of its calls had
// acted is never reported as without effect.
func TestBatchEndedAfterItActed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	victim := w.worker("HELVE_WORKER_MAX_ATTEMPTS=1")
	d := w.dispatcher()
	c := w.batchOf("batch", 60_000)
	d.execute(0, c)
	w.wrote(c.ID)
	victim.kill()
	var e element
	if status, err := request(http.MethodPost, d.url+"/v1/calls/"+c.ID+"/cancel", defaultTenant, nil, &e); err != nil ||
		status == http.StatusOK && e.ErrorType == "cancelled" {
		t.Errorf("cancel = %d, %v: %+v, want it not to be called cancelled", status, err, e)
	}
	w.worker("HELVE_WORKER_MAX_ATTEMPTS=1")
	await(t, "the end", func() bool { e, _ = d.get(c); return e.ended() })
	if e.outcome() != "outcome_unknown" {
		t.Errorf("the batch ended as %+v, want an unknown outcome", e)
	}
	last(100 * time.Millisecond)
	if n := w.ledger(defaultTenant)[c.ID+"~1"]; n != 1 {
		t.Errorf("the effect happened %d times", n)
	}
}
