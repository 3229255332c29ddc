package faults

import (
	"net/http"
	"testing"
	"time"
)

// page is an answer of audit.query.
type page struct {
	Records []record `json:"records"`
	Next    string   `json:"next"`
}

// wantEachOnRecord checks that every effect was recorded before it acted, and that the end
// of every call is.
func (w *world) wantEachOnRecord() {
	w.t.Helper()
	started, final := map[string]int{}, map[string]int{}
	for _, r := range w.observe().records() {
		switch r.Phase {
		case "started":
			started[r.CallID]++
		case "finished", "refused", "cancelled":
			final[r.CallID]++
		}
	}
	for id, lines := range w.ledger(defaultTenant) {
		if started[id] < lines {
			w.t.Errorf("%s wrote %d lines, and %d starts are on record", id, lines, started[id])
		}
	}
	for _, c := range w.calls {
		if final[c.ID] == 0 {
			w.t.Errorf("the end of %s is not on record", c.ID)
		}
	}
}

// TestWorkersKilledLeaveRecords kills workers under load: every effect and every end is
// recorded.
func TestWorkersKilledLeaveRecords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	victims := []*process{w.worker("HELVE_WORKER_SLOTS=32"), w.worker("HELVE_WORKER_SLOTS=32")}
	w.worker("HELVE_WORKER_SLOTS=32")
	d := w.dispatcher()
	calls := append(w.writers(300, 20, 20), w.sleepers(100, 30)...)
	first := d.send(time.Minute, calls...)
	for i, victim := range victims {
		await(t, "some results", func() bool { return w.observe().stored(anyResult) >= uint64(50*(i+1)) })
		victim.kill()
	}
	<-first
	w.settleAll(d, calls)
	w.sealedAll(d)
	w.settled(d)
	w.wantEachOnRecord()
}

// TestIndexOutlivesItsDispatcher kills a dispatcher while it copies records, and starts it
// again on its files: no record is missing, and none is there twice.
func TestIndexOutlivesItsDispatcher(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	data := "HELVE_DATA=" + t.TempDir()
	w.worker()
	d := w.dispatcher()
	for range 3 {
		copier := w.dispatcher(data)
		load := d.send(time.Minute, w.writers(150, 0, 0)...)
		await(t, "some records in the index", func() bool { return len(copier.page("").Records) > 0 })
		copier.kill()
		<-load
	}
	w.settleAll(d, w.calls)
	last := w.dispatcher(data)
	want := len(w.observe().records())
	await(t, "every record in the index", func() bool {
		seen, n := map[string]bool{}, 0
		for cursor, more := "", true; more; more = cursor != "" {
			p := last.page(cursor)
			for _, r := range p.Records {
				seen[r.CallID+r.Phase] = true
			}
			n, cursor = n+len(p.Records), p.Next
		}
		if n > want {
			t.Fatalf("the index tells of %d records, and there are %d", n, want)
		}
		for _, c := range w.calls {
			if n == want && !(seen[c.ID+"started"] && seen[c.ID+"finished"]) {
				t.Errorf("the index does not tell the whole story of %s", c.ID)
			}
		}
		return n == want
	})
	w.settled(d)
}

// page requests a page of every record.
func (d door) page(cursor string) (p page) {
	status, err := request(http.MethodGet, d.url+"/v1/audit?limit=1000&cursor="+cursor, defaultTenant, nil, &p)
	if err != nil || status != http.StatusOK {
		return page{}
	}
	return p
}
