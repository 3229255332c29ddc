package e2e

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestConsent is the whole way of a call that needs a person.
func TestConsent(t *testing.T) {
	t.Parallel()
	everyDoor(t, shared, func(t *testing.T, d door) {
		tenant := newTenant()
		e := park(t, d, tenant, `{"call_id": "g1", "tool_call_id": "p1", "tool": "debug.guarded", "arguments": {"key": "k1"}}`)
		if e.ToolCallID != "p1" || e.TraceID == "" {
			t.Errorf("the answer %v does not say whose it is", e)
		}
		if got := byID(t, shared.http(1), "calls.get", tenant, "g1"); got.State != "awaiting_consent" || got.ConsentID != e.ConsentID {
			t.Errorf("calls.get of another dispatcher = %v, want it to await %s", got, e.ConsentID)
		}
		for _, at := range []door{d, shared.http(1)} { // whoever was told that it waits finds it, anywhere
			if waiting := consents(t, at, tenant, "pending"); len(waiting) != 1 {
				t.Fatalf("the inbox holds %+v, want the request", waiting)
			}
		}
		waiting := consents(t, d, tenant, "pending")
		r := waiting[0]
		if r.ConsentID != e.ConsentID || r.Tool != "debug.guarded" || r.Risk != "medium" || r.Reason == "" || !strings.Contains(r.Preview, "k1") || r.Call.CallID != "g1" {
			t.Errorf("the request is %+v, want the call with a reason and a preview", r)
		}
		if lines := ledger(t, shared, tenant, "u1"); len(lines) != 0 {
			t.Fatalf("the ledger has %q before anybody agreed", lines)
		}
		grant(t, shared.http(1), tenant, e.ConsentID)
		wantResult(t, settled(t, d, tenant, "g1"), `{"written":true}`)
		if lines := ledger(t, shared, tenant, "u1"); len(lines) != 1 {
			t.Errorf("the ledger has %q, want one entry", lines)
		}
		if r := decide(t, d, tenant, e.ConsentID, `{"decision": "deny"}`); r.status != 409 || !strings.Contains(string(r.body), "u1") {
			t.Errorf("a second decision = %d %s, want 409 and who decided", r.status, r.body)
		}
		records := story(t, d, tenant, "g1")
		if got, want := phases(records), []string{"consent_requested", "consent_decided", "started", "finished"}; !slices.Equal(got, want) {
			t.Errorf("the audit trail has %q, want %q", got, want)
		}
		for _, rec := range records {
			if rec.ArgsHash != r.ArgsHash || rec.ArgsHash == "" {
				t.Errorf("%s has args_hash %q, want that of the request, %q", rec.Phase, rec.ArgsHash, r.ArgsHash)
			}
		}
	})
}

func TestConsentDenied(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	e := park(t, d, tenant, `{"call_id": "g1", "tool": "debug.guarded", "arguments": {"key": "k"}}`)
	if r := decide(t, d, tenant, e.ConsentID, `{"decision": "deny", "comment": "not today"}`); r.status != 200 {
		t.Fatalf("deny = %d %s", r.status, r.body)
	}
	wantError(t, settled(t, d, tenant, "g1"), "permission_denied", "not today")
	if lines := ledger(t, shared, tenant, "u1"); len(lines) != 0 {
		t.Errorf("the ledger has %q after a denial", lines)
	}
	if got, want := phases(story(t, d, tenant, "g1")), []string{"consent_requested", "consent_decided", "refused"}; !slices.Equal(got, want) {
		t.Errorf("the audit trail has %q, want %q", got, want)
	}
}

func TestConsentWaitedFor(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	done := make(chan element, 1)
	go func() {
		done <- execute(t, shared.http(1), tenant, `{"context": {"user": "u1"}, "consent": "wait", "calls": [{"call_id": "g1", "tool": "debug.guarded", "arguments": {"key": "k"}}]}`).Results[0]
	}()
	eventually(t, "the request is in the inbox", func() bool { return len(consents(t, d, tenant, "pending")) == 1 })
	grant(t, d, tenant, consents(t, d, tenant, "pending")[0].ConsentID)
	wantResult(t, <-done, `{"written":true}`)
}

func TestConsentWithTwoDeciders(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	for i := range 20 {
		id := fmt.Sprintf("g%d", i)
		e := park(t, d, tenant, fmt.Sprintf(`{"call_id": %q, "tool": "debug.guarded", "arguments": {"key": %q}}`, id, id))
		var both sync.WaitGroup
		status := make([]int, 2)
		for j, word := range []string{"grant", "deny"} {
			both.Go(func() { status[j] = decide(t, shared.http(j), tenant, e.ConsentID, `{"decision": "`+word+`"}`).status })
		}
		both.Wait()
		got := settled(t, d, tenant, id)
		switch {
		case status[0] == 200 && status[1] == 409:
			wantResult(t, got, `{"written":true}`)
		case status[0] == 409 && status[1] == 200:
			wantError(t, got, "permission_denied", "")
		default:
			t.Errorf("two deciders were answered %v, want one 200 and one 409", status)
		}
	}
}

func TestConsentCancelled(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	e := park(t, d, tenant, `{"call_id": "g1", "tool": "debug.guarded", "arguments": {"key": "k"}}`)
	wantError(t, byID(t, shared.http(1), "calls.cancel", tenant, "g1"), "cancelled", "")
	if r := decide(t, d, tenant, e.ConsentID, `{"decision": "grant"}`); r.status != 409 {
		t.Errorf("a decision after the cancellation = %d, want 409", r.status)
	}
	eventually(t, "the inbox is empty", func() bool { return len(consents(t, d, tenant, "pending")) == 0 })
}

func TestNobodyToAsk(t *testing.T) {
	t.Parallel()
	everyDoor(t, shared, func(t *testing.T, d door) {
		wantError(t, one(t, d, newTenant(), `{"tool": "debug.guarded", "arguments": {"key": "k"}}`), "confirmation_required", "user")
		wantError(t, one(t, d, newTenant(), `{"tool": "debug.restricted", "arguments": {}}`), "confirmation_required", "debug.permission")
	})
}

// TestSharedPermission: five calls that miss the same permission are one
// question, and one answer lets them all run.
func TestSharedPermission(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	calls := make([]string, 5)
	for i := range calls {
		calls[i] = fmt.Sprintf(`{"call_id": "r%d", "tool": "debug.restricted", "arguments": {}}`, i)
	}
	results := execute(t, d, tenant, asUser(30000, strings.Join(calls, ","))).Results
	for _, e := range results {
		if e.State != "awaiting_consent" || e.ConsentID != results[0].ConsentID {
			t.Fatalf("%v awaits %q, want all to await %q", e, e.ConsentID, results[0].ConsentID)
		}
	}
	eventually(t, "the request is in the inbox", func() bool { return len(consents(t, d, tenant, "pending")) > 0 })
	waiting := consents(t, d, tenant, "pending")
	if len(waiting) != 1 || !slices.Equal(waiting[0].Permissions, []string{"debug.permission"}) {
		t.Fatalf("the inbox has %+v, want one request for debug.permission", waiting)
	}
	if r := decide(t, d, tenant, results[0].ConsentID, `{"decision": "grant", "remember": "session"}`); r.status != 200 {
		t.Fatalf("grant = %d %s", r.status, r.body)
	}
	for i := range calls {
		wantResult(t, settled(t, d, tenant, fmt.Sprintf("r%d", i)), `{"ok":true}`)
	}
	wantResult(t, execute(t, d, tenant, asUser(30000, `{"tool": "debug.restricted", "arguments": {}}`)).Results[0], `{"ok":true}`)
	elsewhere := execute(t, d, tenant, `{"context": {"user": "u1", "conversation": "other"}, "calls": [{"tool": "debug.restricted", "arguments": {}}]}`).Results[0]
	if elsewhere.State != "awaiting_consent" {
		t.Errorf("another conversation got %v, want it to ask", elsewhere)
	}
}

func TestGrantsAreRememberedAndRevoked(t *testing.T) {
	t.Parallel()
	everyDoor(t, shared, func(t *testing.T, d door) {
		tenant := newTenant()
		const call = `{"tool": "debug.restricted", "arguments": {}}`
		e := park(t, d, tenant, call)
		if r := decide(t, d, tenant, e.ConsentID, `{"decision": "grant", "remember": "always"}`); r.status != 200 {
			t.Fatalf("grant = %d %s", r.status, r.body)
		}
		wantResult(t, settled(t, d, tenant, e.CallID), `{"ok":true}`)
		wantResult(t, execute(t, d, tenant, asUser(30000, call)).Results[0], `{"ok":true}`)
		list := decode[struct {
			Grants []struct {
				GrantID    string `json:"grant_id"`
				Permission string `json:"permission"`
				User       string `json:"user"`
			} `json:"grants"`
		}](t, d.ask(t, tenant, "grants.list", nil, "")).Grants
		if len(list) != 1 || list[0].Permission != "debug.permission" || list[0].User != "u1" {
			t.Fatalf("grants = %+v, want u1's debug.permission", list)
		}
		if r := d.ask(t, tenant, "grants.revoke", map[string]string{"grant_id": list[0].GrantID}, ""); r.status != 200 {
			t.Fatalf("revoke = %d %s", r.status, r.body)
		}
		park(t, d, tenant, call)
	})
}

func TestNeverAsk(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	e := park(t, d, tenant, `{"tool": "debug.restricted", "arguments": {}}`)
	if r := decide(t, d, tenant, e.ConsentID, `{"decision": "deny", "never_ask": true}`); r.status != 200 {
		t.Fatalf("deny = %d %s", r.status, r.body)
	}
	wantError(t, settled(t, d, tenant, e.CallID), "permission_denied", "Required permissions were denied: debug.permission")
	again := execute(t, d, tenant, asUser(30000, `{"tool": "debug.restricted", "arguments": {}}`)).Results[0]
	wantError(t, again, "permission_denied", "settings")
}
