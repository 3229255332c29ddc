package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

// keys of a bucket, as far as they match.
func keysOf(t *testing.T, s *system, bucket, filter string) (keys []string) {
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

func putKey(t *testing.T, s *system, bucket, key, value string) {
	t.Helper()
	if _, err := kvOf(t, s, bucket).PutString(t.Context(), key, value); err != nil {
		t.Fatal(err)
	}
}

func kvOf(t *testing.T, s *system, bucket string) jetstream.KeyValue {
	t.Helper()
	js, err := jetstream.New(s.nc)
	if err != nil {
		t.Fatal(err)
	}
	kv, err := js.KeyValue(context.Background(), bucket)
	if err != nil {
		t.Fatal(err)
	}
	return kv
}

// TestSentAgainByAnother: a call_id is its user's, and a parked call cannot be
// ended by whoever knows its id.
func TestSentAgainByAnother(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	const call = `{"call_id": "g1", "tool": "debug.guarded", "arguments": {"key": "k"}, "confirm_token": "x"}`
	e := park(t, d, tenant, `{"call_id": "g1", "tool": "debug.guarded", "arguments": {"key": "k"}, "timeout_ms": 2500}`)
	mallory := execute(t, shared.http(1), tenant, `{"context": {"user": "mallory"}, "wait_ms": 3000, "calls": [`+call+`]}`).Results[0]
	wantError(t, mallory, "validation_error", "call_id")
	if again := execute(t, d, tenant, asUser(3000, call)).Results[0]; again.ConsentID != e.ConsentID {
		t.Errorf("sent again by its user the call is %v, want it to await %s", again, e.ConsentID)
	}
	// The time a person took does not count: the call may run for its own.
	grant(t, d, tenant, e.ConsentID)
	wantResult(t, settled(t, d, tenant, "g1"), `{"written":true}`)
}

// TestPermissionRevokedWhileParked: a grant lets through what was asked for; what
// is missing by then ends the call, which does not wait for ever.
func TestPermissionRevokedWhileParked(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	e := park(t, d, tenant, `{"tool": "debug.restricted", "arguments": {}}`)
	if r := decide(t, d, tenant, e.ConsentID, `{"decision": "grant", "remember": "always"}`); r.status != 200 {
		t.Fatalf("grant = %d %s", r.status, r.body)
	}
	wantResult(t, settled(t, d, tenant, e.CallID), `{"ok":true}`)
	e = park(t, d, tenant, `{"call_id": "g1", "tool": "contract_both", "arguments": {}}`)
	for _, key := range keysOf(t, shared, "helve_grants", tenant+".>") {
		if err := kvOf(t, shared, "helve_grants").Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	grant(t, d, tenant, e.ConsentID)
	wantError(t, settled(t, d, tenant, "g1"), "permission_denied", "no longer")
}

// TestTokenIsSpentByACallThatMustAskToo: a token for one call passes one, also
// when that call had to ask for a permission besides.
func TestTokenIsSpentByACallThatMustAskToo(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	const trace = "0123456789abcdef0123456789abcdef"
	token := decode[struct {
		Token string `json:"token"`
	}](t, d.ask(t, tenant, "tokens.mint", nil, `{"user": "u1", "trace_id": "`+trace+`", "tools": ["contract_both"], "ttl_seconds": 300}`)).Token
	send := func(id string) element {
		return execute(t, d, tenant, fmt.Sprintf(`{"trace_id": %q, "context": {"user": "u1"}, "calls": [{"call_id": %q, "tool": "contract_both", "arguments": {"word": "w"}, "confirm_token": %q}]}`, trace, id, token)).Results[0]
	}
	e := send("one")
	if r := decide(t, d, tenant, e.ConsentID, `{"decision": "grant", "remember": "always"}`); r.status != 200 {
		t.Fatalf("grant = %d %s", r.status, r.body)
	}
	wantResult(t, settled(t, d, tenant, "one"), `"w"`)
	wantError(t, send("two"), "permission_denied", "used")
}

func TestNeverAskHoldsForHighRiskToo(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	e := park(t, d, tenant, `{"tool": "contract_high", "arguments": {}}`)
	if r := decide(t, d, tenant, e.ConsentID, `{"decision": "grant", "remember": "always"}`); r.status != 400 {
		t.Errorf("a call of high risk granted for always = %d %s, want 400", r.status, r.body)
	}
	if r := decide(t, d, tenant, e.ConsentID, `{"decision": "deny", "never_ask": true}`); r.status != 200 {
		t.Fatalf("deny = %d %s", r.status, r.body)
	}
	wantError(t, settled(t, d, tenant, e.CallID), "permission_denied", "")
	wantError(t, execute(t, d, tenant, asUser(5000, `{"tool": "contract_high", "arguments": {}}`)).Results[0], "permission_denied", "settings")
}

// TestCancelOnItsWayToAPerson: a call that is cancelled in the moment it is
// parked ends, whichever is first.
func TestCancelOnItsWayToAPerson(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	for i := range 20 {
		id := fmt.Sprintf("g%d", i)
		execute(t, d, tenant, asUser(0, fmt.Sprintf(`{"call_id": "p%s", "tool": "debug.guarded", "arguments": {"key": "k"}}`, id)))
		wantError(t, byID(t, shared.http(1), "calls.cancel", tenant, "p"+id), "cancelled", "")
	}
	eventually(t, "nothing waits in the inbox", func() bool { return len(consents(t, d, tenant, "pending")) == 0 })
}
