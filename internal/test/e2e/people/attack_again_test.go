package people

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestSentAgainWhileParked: a caller may send a parked call again, and the queue may hold
// an earlier copy of it, however long after. Neither ends the call, even if the inbox has
// no room for another request.
func TestSentAgainWhileParked(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.Consent.MaxPerUser = 1 }})
	const tenant, call = "default", `{"call_id": "g1", "tool": "debug.guarded", "arguments": {"key": "k"}}`
	d := s.HTTP(0)
	e := system.Park(t, d, tenant, call)
	// The server's duplicate window is shortened from its two minutes.
	js, err := jetstream.New(s.Conn)
	if err != nil {
		t.Fatal(err)
	}
	cfg := s.StreamConfig(t, "HELVE_CONSENT")
	cfg.Duplicates = 100 * time.Millisecond
	forgetful := time.Now()
	if _, err := js.UpdateStream(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if again := system.Execute(t, d, tenant, system.AsUser(5000, call)).Results[0]; again.State != "awaiting_consent" ||
			again.ConsentID != e.ConsentID {
			t.Errorf("sent again the call is answered %v, want it to await %s", again, e.ConsentID)
		}
	}
	if queued := s.Stream(t, "HELVE_CALLS").CachedInfo().State.LastSeq; queued != 1 {
		t.Errorf("%d calls were queued, want the one", queued)
	}
	var parked struct{ Envelope json.RawMessage }
	if err := json.Unmarshal([]byte(s.StoredMessages(t, "HELVE_PARKED", "helve.v1.default.parked.*.g1")[0]), &parked); err != nil {
		t.Fatal(err)
	}
	system.Eventually(t, "the server has forgotten the request", func() bool { return time.Since(forgetful) > 3*cfg.Duplicates })
	if _, err := js.Publish(t.Context(), "helve.v1.default.call.default.debug.guarded", parked.Envelope); err != nil {
		t.Fatal(err)
	}
	system.Eventually(t, "the copy was taken", func() bool {
		calls := s.Stream(t, "HELVE_CALLS").CachedInfo().State
		return calls.LastSeq == 2 && calls.Msgs == 0
	})
	if got := system.ByID(t, d, "calls.get", tenant, "g1"); got.State != "awaiting_consent" || got.ConsentID != e.ConsentID {
		t.Errorf("sent again the call is %v, want it to await %s", got, e.ConsentID)
	}
	system.Grant(t, d, tenant, e.ConsentID)
	system.WantResult(t, system.Settled(t, d, tenant, "g1"), `{"written":true}`)
	if lines := system.UserLedger(t, s, tenant, "u1"); len(lines) != 1 {
		t.Errorf("the ledger has %q, want one entry", lines)
	}
	system.Eventually(t, "the inbox has room again", func() bool { return s.Stream(t, "HELVE_CONSENT").CachedInfo().State.Msgs == 0 })
	if got := system.Phases(system.CallRecords(t, d, tenant, "g1")); slices.Contains(got, "refused") || !slices.Contains(got, "finished") {
		t.Errorf("the audit trail has %q", got)
	}
}
