package calls

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// onRecord returns the records of a call on the trail, by phase.
func onRecord(t *testing.T, s *system.System, tenant, callID string) (phases []string) {
	t.Helper()
	for _, text := range s.StoredRecords(t, tenant) {
		var r system.Record
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err)
		}
		if r.CallID == callID {
			phases = append(phases, r.Phase)
		}
	}
	return phases
}

// TestOvertakenCalls ends calls for which no worker was free: by many concurrent cancels,
// at two dispatchers, and by their deadline. A worker that starts later and missed that
// runs none of them, not even a call that only reads, and each end is recorded once.
func TestOvertakenCalls(t *testing.T) {
	t.Parallel()
	var looked atomic.Int64
	site := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { looked.Add(1) }))
	defer site.Close()
	s, release := system.OneSlot(t, 2)
	defer release()
	const tenant = "default"
	calls := map[string]string{
		"look":   fmt.Sprintf(`"tool": "http_request", "arguments": {"url": %q}`, site.URL),
		"write":  `"tool": "write_file", "arguments": {"path": "a.txt", "content": "x"}`,
		"effect": `"tool": "debug.effect", "arguments": {"key": "k"}`,
	}
	for id, call := range calls {
		system.WantError(t, system.One(t, s.HTTP(0), tenant, fmt.Sprintf(`{"call_id": "late-%s", "timeout_ms": 1, %s}`, id, call)), "timeout",
			"did not run")
		system.Enqueue(t, s.HTTP(0), tenant, fmt.Sprintf(`{"call_id": %q, %s}`, id, call))
		var all sync.WaitGroup
		for i := range 10 {
			d := []system.Door{s.HTTP(0), s.HTTP(1)}[i%2]
			all.Go(func() {
				if r := d.Ask(t, tenant, "calls.cancel", map[string]string{"call_id": id}, ""); r.Status != 200 ||
					!strings.Contains(string(r.Body), `"cancelled"`) {
					t.Errorf("cancel of %s = %d %s", id, r.Status, r.Body)
				}
			})
		}
		system.Await(t, "every cancellation is answered", all.Wait)
	}
	if _, err := s.AddWorker(); err != nil {
		t.Fatal(err)
	}
	system.WantResult(t, system.One(t, s.HTTP(0), tenant, system.EchoCall("1")), "1")
	system.Eventually(t, "only the holder is in the queue", func() bool { return s.Stream(t, "HELVE_CALLS").CachedInfo().State.Msgs == 1 })
	for id := range calls {
		if got := onRecord(t, s, tenant, id); strings.Join(got, " ") != "cancelled" {
			t.Errorf("on record of %s: %q, want once that it was cancelled", id, got)
		}
		if got := onRecord(t, s, tenant, "late-"+id); strings.Join(got, " ") != "refused" {
			t.Errorf("on record of late-%s: %q, want once that it was refused", id, got)
		}
		system.WantError(t, system.ByID(t, s.HTTP(1), "calls.get", tenant, id), "cancelled", "did nothing")
	}
	if n := looked.Load(); n != 0 {
		t.Errorf("the site was asked %d times by calls that had ended", n)
	}
	s.WantLedger(t, tenant)
	system.WantError(t, system.One(t, s.HTTP(0), tenant, `{"tool": "read_file", "arguments": {"path": "a.txt"}}`), "file_not_found", "")
}

// TestCancelWhileTheIndexIsBehind: cancelling needs no index. Only the answer for a call
// whose result may be in a group waits for it.
func TestCancelWhileTheIndexIsBehind(t *testing.T) {
	t.Parallel()
	s, release := system.OneSlot(t, 2)
	const tenant = "default"
	system.Enqueue(t, s.HTTP(0), tenant, `{"call_id": "acts", "tool": "debug.effect", "arguments": {"key": "k"}}`)
	system.Enqueue(t, s.HTTP(0), tenant, `{"call_id": "looks", "tool": "debug.sleep", "arguments": {"ms": 600000}}`)
	free := holdIndex(t, s)
	system.One(t, s.HTTP(0), tenant, `{"tool": "no_such_tool"}`) // its record is the missing one in the index
	system.WantError(t, system.ByID(t, s.HTTP(1), "calls.cancel", tenant, "acts"), "cancelled", "did nothing")
	system.WantError(t, system.ByID(t, s.HTTP(0), "calls.get", tenant, "acts"), "cancelled", "did nothing")
	if e := system.ByID(t, s.HTTP(1), "calls.cancel", tenant, "looks"); e.Status != "pending" {
		t.Errorf("cancel of a call that may have a result in a group = %+v, want pending", e)
	}
	free()
	release()
	system.WantError(t, system.Settled(t, s.HTTP(0), tenant, "looks"), "cancelled", "did nothing")
	system.Eventually(t, "the queue is empty", func() bool { return s.Stream(t, "HELVE_CALLS").CachedInfo().State.Msgs == 0 })
	for _, id := range []string{"acts", "looks"} {
		if got := onRecord(t, s, tenant, id); strings.Join(got, " ") != "cancelled" {
			t.Errorf("on record of %s: %q, want once that it was cancelled", id, got)
		}
	}
	s.WantLedger(t, tenant)
}

// holdIndex prevents the audit index from growing until free is called.
func holdIndex(t *testing.T, s *system.System) (free func()) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(s.Config.Data, "store", "audit.db")+"?_pragma=busy_timeout(60000)&_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	free = sync.OnceFunc(func() {
		if err := errors.Join(tx.Rollback(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(free)
	return free
}

// TestCancelWithoutRoom: a call does not end without a record. The answer explains why it
// did not end, it does not run, and it can be cancelled when there is room.
func TestCancelWithoutRoom(t *testing.T) {
	t.Parallel()
	s, release := system.OneSlot(t, 1)
	const tenant = "default"
	everyDoor := map[string]system.Door{"c1": s.HTTP(0), "c2": s.NATS()}
	for id := range everyDoor {
		system.Enqueue(t, s.HTTP(0), tenant, fmt.Sprintf(`{"call_id": %q, "tool": "debug.effect", "arguments": {"key": "k"}}`, id))
	}
	js, err := jetstream.New(s.Conn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), "helve.v1."+tenant+".result.default.d-0.other", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	results := s.Stream(t, "HELVE_RESULTS")
	cfg := results.CachedInfo().Config
	bound := func(bytes int64) {
		t.Helper()
		cfg.MaxBytes = bytes
		if _, err := js.UpdateStream(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
	}
	before := cfg.MaxBytes
	bound(max(1, int64(results.CachedInfo().State.Bytes)))
	for id, d := range everyDoor {
		r := d.Ask(t, tenant, "calls.cancel", map[string]string{"call_id": id}, "")
		said := string(r.Body) + r.Header.Get("Nats-Service-Error")
		if r.Status != 503 || !strings.Contains(said, "streams.results_max_bytes") || !strings.Contains(said, "will not start") {
			t.Errorf("cancel of %s without room for results = %d %s, want 503 and what to do", id, r.Status, said)
		}
	}
	bound(before)
	system.WantError(t, system.ByID(t, everyDoor["c1"], "calls.cancel", tenant, "c1"), "cancelled", "did nothing")
	release() // the other is not cancelled again: the worker ends it
	system.WantError(t, system.Settled(t, s.HTTP(0), tenant, "c2"), "cancelled", "did nothing")
	system.Eventually(t, "the queue is empty", func() bool { return s.Stream(t, "HELVE_CALLS").CachedInfo().State.Msgs == 0 })
	for id := range everyDoor {
		if got := onRecord(t, s, tenant, id); strings.Join(got, " ") != "cancelled" {
			t.Errorf("on record of %s: %q, want once that it was cancelled", id, got)
		}
	}
	s.WantLedger(t, tenant)
}
