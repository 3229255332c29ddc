package e2e

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/config"
)

// TestSentAgainWhileParked: a caller may send a parked call again, and the queue
// may hold a copy of it from before, however long after. Neither ends the call,
// not even when the inbox has no room for another request.
func TestSentAgainWhileParked(t *testing.T) {
	t.Parallel()
	s := launch(t, plan{config: func(c *config.Config) { c.Consent.MaxPerUser = 1 }})
	const tenant, call = "default", `{"call_id": "g1", "tool": "debug.guarded", "arguments": {"key": "k"}}`
	d := s.http(0)
	e := park(t, d, tenant, call)
	// The server forgets soon which requests it has seen, as it does after two
	// minutes.
	js, err := jetstream.New(s.nc)
	if err != nil {
		t.Fatal(err)
	}
	cfg := s.streamConfig(t, "HELVE_CONSENT")
	cfg.Duplicates = 100 * time.Millisecond
	forgetful := time.Now()
	if _, err := js.UpdateStream(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if again := execute(t, d, tenant, asUser(5000, call)).Results[0]; again.State != "awaiting_consent" || again.ConsentID != e.ConsentID {
			t.Errorf("sent again the call is answered %v, want it to await %s", again, e.ConsentID)
		}
	}
	if queued := s.stream(t, "HELVE_CALLS").CachedInfo().State.LastSeq; queued != 1 {
		t.Errorf("%d calls were queued, want the one", queued)
	}
	var parked struct{ Envelope json.RawMessage }
	if err := json.Unmarshal([]byte(s.lying(t, "HELVE_PARKED", "helve.v1.default.parked.*.g1")[0]), &parked); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the server has forgotten the request", func() bool { return time.Since(forgetful) > 3*cfg.Duplicates })
	if _, err := js.Publish(t.Context(), "helve.v1.default.call.default.debug.guarded", parked.Envelope); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the copy was taken", func() bool {
		calls := s.stream(t, "HELVE_CALLS").CachedInfo().State
		return calls.LastSeq == 2 && calls.Msgs == 0
	})
	if got := byID(t, d, "calls.get", tenant, "g1"); got.State != "awaiting_consent" || got.ConsentID != e.ConsentID {
		t.Errorf("sent again the call is %v, want it to await %s", got, e.ConsentID)
	}
	grant(t, d, tenant, e.ConsentID)
	wantResult(t, settled(t, d, tenant, "g1"), `{"written":true}`)
	if lines := ledger(t, s, tenant, "u1"); len(lines) != 1 {
		t.Errorf("the ledger has %q, want one entry", lines)
	}
	eventually(t, "the inbox has room again", func() bool { return s.stream(t, "HELVE_CONSENT").CachedInfo().State.Msgs == 0 })
	if got := phases(story(t, d, tenant, "g1")); slices.Contains(got, "refused") || !slices.Contains(got, "finished") {
		t.Errorf("the audit trail has %q", got)
	}
}
