package people

import (
	"fmt"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// keysOf returns the keys of a bucket that match filter.
func keysOf(t *testing.T, s *system.System, bucket, filter string) (keys []string) {
	t.Helper()
	list, err := kvOf(t, s, bucket).ListKeysFiltered(t.Context(), filter)
	if err != nil {
		t.Fatal(err)
	}
	for key := range list.Keys() {
		keys = append(keys, key)
	}
	return keys
}

func putKey(t *testing.T, s *system.System, bucket, key, value string) {
	t.Helper()
	if _, err := kvOf(t, s, bucket).PutString(t.Context(), key, value); err != nil {
		t.Fatal(err)
	}
}

func kvOf(t *testing.T, s *system.System, bucket string) jetstream.KeyValue {
	t.Helper()
	js, err := jetstream.New(s.Conn)
	if err != nil {
		t.Fatal(err)
	}
	kv, err := js.KeyValue(t.Context(), bucket)
	if err != nil {
		t.Fatal(err)
	}
	return kv
}

// TestSentAgainByAnother: a call_id belongs to its user, and another user who knows the id
// cannot end a parked call.
func TestSentAgainByAnother(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	const call = `{"call_id": "g1", "tool": "debug.guarded", "arguments": {"key": "k"}, "confirm_token": "x"}`
	e := system.Park(t, d, tenant, `{"call_id": "g1", "tool": "debug.guarded", "arguments": {"key": "k"}, "timeout_ms": 2500}`)
	mallory := system.Execute(t, shared.HTTP(1), tenant, `{"context": {"user": "mallory"}, "wait_ms": 3000, "calls": [`+call+`]}`).Results[0]
	system.WantError(t, mallory, "validation_error", "call_id")
	if again := system.Execute(t, d, tenant, system.AsUser(3000, call)).Results[0]; again.ConsentID != e.ConsentID {
		t.Errorf("sent again by its user the call is %v, want it to await %s", again, e.ConsentID)
	}
	// The time for the person's decision does not count: the call has its own time to run.
	system.Grant(t, d, tenant, e.ConsentID)
	system.WantResult(t, system.Settled(t, d, tenant, "g1"), `{"written":true}`)
}

// TestPermissionRevokedWhileParked: a grant covers the requested permissions; a permission
// revoked since then ends the call instead of parking it again.
func TestPermissionRevokedWhileParked(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	e := system.Park(t, d, tenant, `{"tool": "debug.restricted", "arguments": {}}`)
	if r := system.Decide(t, d, tenant, e.ConsentID, `{"decision": "grant", "remember": "always"}`); r.Status != 200 {
		t.Fatalf("grant = %d %s", r.Status, r.Body)
	}
	system.WantResult(t, system.Settled(t, d, tenant, e.CallID), `{"ok":true}`)
	e = system.Park(t, d, tenant, `{"call_id": "g1", "tool": "contract_both", "arguments": {}}`)
	for _, key := range keysOf(t, shared, "helve_grants", tenant+".>") {
		if err := kvOf(t, shared, "helve_grants").Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	system.Grant(t, d, tenant, e.ConsentID)
	system.WantError(t, system.Settled(t, d, tenant, "g1"), "permission_denied", "no longer")
}

// TestTokenIsSpentByACallThatMustAskToo: a token for one call covers one call, even if that
// call also had to ask for a permission.
func TestTokenIsSpentByACallThatMustAskToo(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	const trace = "0123456789abcdef0123456789abcdef"
	token := system.Decode[struct {
		Token string `json:"token"`
	}](t,
		d.Ask(t, tenant, "tokens.mint", nil, `{"user": "u1", "trace_id": "`+trace+`", "tools": ["contract_both"], "ttl_seconds": 300}`)).Token
	send := func(id string) system.Element {
		return system.Execute(t, d, tenant,
			fmt.Sprintf(`{"trace_id": %q, "context": {"user": "u1"}, "calls": [{"call_id": %q, "tool": "contract_both", "arguments": {"word": "w"}, "confirm_token": %q}]}`,
				trace, id, token)).Results[0]
	}
	e := send("one")
	if r := system.Decide(t, d, tenant, e.ConsentID, `{"decision": "grant", "remember": "always"}`); r.Status != 200 {
		t.Fatalf("grant = %d %s", r.Status, r.Body)
	}
	system.WantResult(t, system.Settled(t, d, tenant, "one"), `"w"`)
	system.WantError(t, send("two"), "permission_denied", "used")
}

func TestNeverAskHoldsForHighRiskToo(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	e := system.Park(t, d, tenant, `{"tool": "contract_high", "arguments": {}}`)
	if r := system.Decide(t, d, tenant, e.ConsentID, `{"decision": "grant", "remember": "always"}`); r.Status != 400 {
		t.Errorf("a call of high risk granted for always = %d %s, want 400", r.Status, r.Body)
	}
	if r := system.Decide(t, d, tenant, e.ConsentID, `{"decision": "deny", "never_ask": true}`); r.Status != 200 {
		t.Fatalf("deny = %d %s", r.Status, r.Body)
	}
	system.WantError(t, system.Settled(t, d, tenant, e.CallID), "permission_denied", "")
	system.WantError(t, system.Execute(t, d, tenant, system.AsUser(5000, `{"tool": "contract_high", "arguments": {}}`)).Results[0],
		"permission_denied", "settings")
}

// TestCancelOnItsWayToAPerson: a call that is cancelled at the moment it is parked ends,
// whichever is first.
func TestCancelOnItsWayToAPerson(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	for i := range 20 {
		id := fmt.Sprintf("g%d", i)
		system.Execute(t, d, tenant, system.AsUser(0, fmt.Sprintf(`{"call_id": "p%s", "tool": "debug.guarded", "arguments": {"key": "k"}}`, id)))
		system.WantError(t, system.ByID(t, shared.HTTP(1), "calls.cancel", tenant, "p"+id), "cancelled", "")
	}
	system.Eventually(t, "nothing waits in the inbox", func() bool { return len(system.Consents(t, d, tenant, "pending")) == 0 })
}
