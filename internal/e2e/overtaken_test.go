package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

// onRecord is what the trail itself holds of a call, phase by phase.
func (s *system) onRecord(t *testing.T, tenant, callID string) (phases []string) {
	t.Helper()
	for _, text := range s.lying(t, "HELVE_AUDIT", "helve.v1."+tenant+".audit.>") {
		var r record
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err)
		}
		if r.CallID == callID {
			phases = append(phases, r.Phase)
		}
	}
	return phases
}

// TestOvertakenCalls ends calls that no worker was free for: by many cancels
// at once, of two dispatchers, and by their time. A worker that comes later and was never
// told runs none of them, not even one that only looks, and each end is on
// record once.
func TestOvertakenCalls(t *testing.T) {
	t.Parallel()
	var looked atomic.Int64
	site := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { looked.Add(1) }))
	defer site.Close()
	s, release := oneSlot(t, 2)
	defer release()
	const tenant = "default"
	calls := map[string]string{
		"look":   fmt.Sprintf(`"tool": "http_request", "arguments": {"url": %q}`, site.URL),
		"write":  `"tool": "write_file", "arguments": {"path": "a.txt", "content": "x"}`,
		"effect": `"tool": "debug.effect", "arguments": {"key": "k"}`,
	}
	for id, call := range calls {
		wantError(t, one(t, s.http(0), tenant, fmt.Sprintf(`{"call_id": "late-%s", "timeout_ms": 1, %s}`, id, call)), "timeout", "did not run")
		queue(t, s.http(0), tenant, fmt.Sprintf(`{"call_id": %q, %s}`, id, call))
		var all sync.WaitGroup
		for i := range 10 {
			d := []door{s.http(0), s.http(1)}[i%2]
			all.Go(func() {
				if r := d.ask(t, tenant, "calls.cancel", map[string]string{"call_id": id}, ""); r.status != 200 || !strings.Contains(string(r.body), `"cancelled"`) {
					t.Errorf("cancel of %s = %d %s", id, r.status, r.body)
				}
			})
		}
		all.Wait()
	}
	if _, err := s.addWorker(); err != nil {
		t.Fatal(err)
	}
	wantResult(t, one(t, s.http(0), tenant, echo("1")), "1")
	eventually(t, "only the holder is in the queue", func() bool { return s.stream(t, "HELVE_CALLS").CachedInfo().State.Msgs == 1 })
	for id := range calls {
		if got := s.onRecord(t, tenant, id); strings.Join(got, " ") != "cancelled" {
			t.Errorf("on record of %s: %q, want once that it was cancelled", id, got)
		}
		if got := s.onRecord(t, tenant, "late-"+id); strings.Join(got, " ") != "refused" {
			t.Errorf("on record of late-%s: %q, want once that it was refused", id, got)
		}
		wantError(t, byID(t, s.http(1), "calls.get", tenant, id), "cancelled", "did nothing")
	}
	if n := looked.Load(); n != 0 {
		t.Errorf("the site was asked %d times by calls that had ended", n)
	}
	s.wantLedger(t, tenant)
	wantError(t, one(t, s.http(0), tenant, `{"tool": "read_file", "arguments": {"path": "a.txt"}}`), "file_not_found", "")
}

// TestCancelOnAFullTrail: a call does not end off the record. It is said why it
// did not end, it does not run, and it can be cancelled when there is room.
func TestCancelOnAFullTrail(t *testing.T) {
	t.Parallel()
	s, release := oneSlot(t, 1)
	const tenant = "default"
	everyDoor := map[string]door{"c1": s.http(0), "c2": s.nats()}
	for id := range everyDoor {
		queue(t, s.http(0), tenant, fmt.Sprintf(`{"call_id": %q, "tool": "debug.effect", "arguments": {"key": "k"}}`, id))
	}
	js, err := jetstream.New(s.nc)
	if err != nil {
		t.Fatal(err)
	}
	trail := s.stream(t, "HELVE_AUDIT")
	cfg := trail.CachedInfo().Config
	bound := func(bytes int64) {
		t.Helper()
		cfg.MaxBytes = bytes
		if _, err := js.UpdateStream(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
	}
	before := cfg.MaxBytes
	bound(max(1, int64(trail.CachedInfo().State.Bytes)))
	for id, d := range everyDoor {
		r := d.ask(t, tenant, "calls.cancel", map[string]string{"call_id": id}, "")
		said := string(r.body) + r.header.Get("Nats-Service-Error")
		if r.status != 503 || !strings.Contains(said, "audit.max_bytes") || !strings.Contains(said, "will not start") {
			t.Errorf("cancel of %s on a full trail = %d %s, want 503 and what to do", id, r.status, said)
		}
	}
	bound(before)
	wantError(t, byID(t, everyDoor["c1"], "calls.cancel", tenant, "c1"), "cancelled", "did nothing")
	release() // nobody asks again about the other: the worker ends it
	wantError(t, settled(t, s.http(0), tenant, "c2"), "cancelled", "did nothing")
	eventually(t, "the queue is empty", func() bool { return s.stream(t, "HELVE_CALLS").CachedInfo().State.Msgs == 0 })
	for id := range everyDoor {
		if got := s.onRecord(t, tenant, id); strings.Join(got, " ") != "cancelled" {
			t.Errorf("on record of %s: %q, want once that it was cancelled", id, got)
		}
	}
	s.wantLedger(t, tenant)
}
