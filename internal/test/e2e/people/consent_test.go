package people

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestConsent follows a call that needs consent through all its steps.
func TestConsent(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		tenant := system.NewTenant()
		e := system.Park(t, d, tenant, `{"call_id": "g1", "tool_call_id": "p1", "tool": "debug.guarded", "arguments": {"key": "k1"}}`)
		if e.ToolCallID != "p1" || e.TraceID == "" {
			t.Errorf("the answer %v does not say whose it is", e)
		}
		if got := system.ByID(t, shared.HTTP(1), "calls.get", tenant, "g1"); got.State != "awaiting_consent" || got.ConsentID != e.ConsentID {
			t.Errorf("calls.get of another dispatcher = %v, want it to await %s", got, e.ConsentID)
		}
		for _, at := range []system.Door{d, shared.HTTP(1)} { // the pending call can be read at every dispatcher
			if waiting := system.Consents(t, at, tenant, "pending"); len(waiting) != 1 {
				t.Fatalf("the inbox holds %+v, want the request", waiting)
			}
		}
		waiting := system.Consents(t, d, tenant, "pending")
		r := waiting[0]
		if r.ConsentID != e.ConsentID || r.Tool != "debug.guarded" || r.Risk != "medium" || r.Reason == "" ||
			!strings.Contains(r.Preview, "k1") || r.Call.CallID != "g1" {
			t.Errorf("the request is %+v, want the call with a reason and a preview", r)
		}
		if lines := system.UserLedger(t, shared, tenant, "u1"); len(lines) != 0 {
			t.Fatalf("the ledger has %q before anybody agreed", lines)
		}
		system.Grant(t, shared.HTTP(1), tenant, e.ConsentID)
		system.WantResult(t, system.Settled(t, d, tenant, "g1"), `{"written":true}`)
		if lines := system.UserLedger(t, shared, tenant, "u1"); len(lines) != 1 {
			t.Errorf("the ledger has %q, want one entry", lines)
		}
		if r := system.Decide(t, d, tenant, e.ConsentID, `{"decision": "deny"}`); r.Status != 409 || !strings.Contains(string(r.Body), "u1") {
			t.Errorf("a second decision = %d %s, want 409 and who decided", r.Status, r.Body)
		}
		records := system.CallRecords(t, d, tenant, "g1")
		if got, want := system.Phases(records), []string{
			"consent_requested", "consent_decided", "started", "finished",
		}; !slices.Equal(got, want) {
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
	tenant, d := system.NewTenant(), shared.HTTP(0)
	e := system.Park(t, d, tenant, `{"call_id": "g1", "tool": "debug.guarded", "arguments": {"key": "k"}}`)
	if r := system.Decide(t, d, tenant, e.ConsentID, `{"decision": "deny", "comment": "not today"}`); r.Status != 200 {
		t.Fatalf("deny = %d %s", r.Status, r.Body)
	}
	system.WantError(t, system.Settled(t, d, tenant, "g1"), "permission_denied", "not today")
	if lines := system.UserLedger(t, shared, tenant, "u1"); len(lines) != 0 {
		t.Errorf("the ledger has %q after a denial", lines)
	}
	if got, want := system.Phases(system.CallRecords(t, d, tenant, "g1")), []string{
		"consent_requested", "consent_decided", "refused",
	}; !slices.Equal(got, want) {
		t.Errorf("the audit trail has %q, want %q", got, want)
	}
}

func TestConsentWaitedFor(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	done := make(chan system.Element, 1)
	go func() {
		done <- system.Execute(
			t, shared.HTTP(1), tenant,
			`{"context": {"user": "u1"}, "consent": "wait", "calls": [{"call_id": "g1", "tool": "debug.guarded", "arguments": {"key": "k"}}]}`,
		).Results[0]
	}()
	system.Eventually(t, "the request is in the inbox", func() bool { return len(system.Consents(t, d, tenant, "pending")) == 1 })
	system.Grant(t, d, tenant, system.Consents(t, d, tenant, "pending")[0].ConsentID)
	system.WantResult(t, system.Receive(t, "the call that waits for its consent is answered", done), `{"written":true}`)
}

func TestConsentWithTwoDeciders(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	for i := range 20 {
		id := fmt.Sprintf("g%d", i)
		e := system.Park(t, d, tenant, fmt.Sprintf(`{"call_id": %q, "tool": "debug.guarded", "arguments": {"key": %q}}`, id, id))
		var both sync.WaitGroup
		status := make([]int, 2)
		for j, word := range []string{"grant", "deny"} {
			both.Go(func() {
				status[j] = system.Decide(t, shared.HTTP(j), tenant, e.ConsentID, `{"decision": "`+word+`"}`).Status
			})
		}
		system.Await(t, "both decisions are answered", both.Wait)
		got := system.Settled(t, d, tenant, id)
		switch {
		case status[0] == 200 && status[1] == 409:
			system.WantResult(t, got, `{"written":true}`)
		case status[0] == 409 && status[1] == 200:
			system.WantError(t, got, "permission_denied", "")
		default:
			t.Errorf("two deciders were answered %v, want one 200 and one 409", status)
		}
	}
}

func TestConsentCancelled(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	e := system.Park(t, d, tenant, `{"call_id": "g1", "tool": "debug.guarded", "arguments": {"key": "k"}}`)
	system.WantError(t, system.ByID(t, shared.HTTP(1), "calls.cancel", tenant, "g1"), "cancelled", "")
	if r := system.Decide(t, d, tenant, e.ConsentID, `{"decision": "grant"}`); r.Status != 409 {
		t.Errorf("a decision after the cancellation = %d, want 409", r.Status)
	}
	system.Eventually(t, "the inbox is empty", func() bool { return len(system.Consents(t, d, tenant, "pending")) == 0 })
}

func TestNobodyToAsk(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		system.WantError(t, system.One(t, d, system.NewTenant(), `{"tool": "debug.guarded", "arguments": {"key": "k"}}`),
			"confirmation_required", "user")
		system.WantError(t, system.One(t, d, system.NewTenant(), `{"tool": "debug.restricted", "arguments": {}}`), "confirmation_required",
			"debug.permission")
	})
}

// TestSharedPermission: five calls without the same permission are one request, and one
// verdict releases all of them.
func TestSharedPermission(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	calls := make([]string, 5)
	for i := range calls {
		calls[i] = fmt.Sprintf(`{"call_id": "r%d", "tool": "debug.restricted", "arguments": {}}`, i)
	}
	results := system.Execute(t, d, tenant, system.AsUser(30000, strings.Join(calls, ","))).Results
	for _, e := range results {
		if e.State != "awaiting_consent" || e.ConsentID != results[0].ConsentID {
			t.Fatalf("%v awaits %q, want all to await %q", e, e.ConsentID, results[0].ConsentID)
		}
	}
	system.Eventually(t, "the request is in the inbox", func() bool { return len(system.Consents(t, d, tenant, "pending")) > 0 })
	waiting := system.Consents(t, d, tenant, "pending")
	if len(waiting) != 1 || !slices.Equal(waiting[0].Permissions, []string{"debug.permission"}) {
		t.Fatalf("the inbox has %+v, want one request for debug.permission", waiting)
	}
	if r := system.Decide(t, d, tenant, results[0].ConsentID, `{"decision": "grant", "remember": "session"}`); r.Status != 200 {
		t.Fatalf("grant = %d %s", r.Status, r.Body)
	}
	for i := range calls {
		system.WantResult(t, system.Settled(t, d, tenant, fmt.Sprintf("r%d", i)), `{"ok":true}`)
	}
	system.WantResult(t, system.Execute(t, d, tenant, system.AsUser(30000, `{"tool": "debug.restricted", "arguments": {}}`)).Results[0],
		`{"ok":true}`)
	elsewhere := system.Execute(t, d, tenant,
		`{"context": {"user": "u1", "conversation": "other"}, "calls": [{"tool": "debug.restricted", "arguments": {}}]}`).Results[0]
	if elsewhere.State != "awaiting_consent" {
		t.Errorf("another conversation got %v, want it to ask", elsewhere)
	}
}

func TestGrantsAreRememberedAndRevoked(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		tenant := system.NewTenant()
		const call = `{"tool": "debug.restricted", "arguments": {}}`
		e := system.Park(t, d, tenant, call)
		if r := system.Decide(t, d, tenant, e.ConsentID, `{"decision": "grant", "remember": "always"}`); r.Status != 200 {
			t.Fatalf("grant = %d %s", r.Status, r.Body)
		}
		system.WantResult(t, system.Settled(t, d, tenant, e.CallID), `{"ok":true}`)
		system.WantResult(t, system.Execute(t, d, tenant, system.AsUser(30000, call)).Results[0], `{"ok":true}`)
		list := system.Decode[struct {
			Grants []struct {
				GrantID    string `json:"grant_id"`
				Permission string `json:"permission"`
				User       string `json:"user"`
			} `json:"grants"`
		}](t, d.Ask(t, tenant, "grants.list", nil, "")).Grants
		if len(list) != 1 || list[0].Permission != "debug.permission" || list[0].User != "u1" {
			t.Fatalf("grants = %+v, want u1's debug.permission", list)
		}
		if r := d.Ask(t, tenant, "grants.revoke", map[string]string{"grant_id": list[0].GrantID}, ""); r.Status != 200 {
			t.Fatalf("revoke = %d %s", r.Status, r.Body)
		}
		system.Park(t, d, tenant, call)
	})
}

func TestNeverAsk(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	e := system.Park(t, d, tenant, `{"tool": "debug.restricted", "arguments": {}}`)
	if r := system.Decide(t, d, tenant, e.ConsentID, `{"decision": "deny", "never_ask": true}`); r.Status != 200 {
		t.Fatalf("deny = %d %s", r.Status, r.Body)
	}
	system.WantError(t, system.Settled(t, d, tenant, e.CallID), "permission_denied", "Required permissions were denied: debug.permission")
	again := system.Execute(t, d, tenant, system.AsUser(30000, `{"tool": "debug.restricted", "arguments": {}}`)).Results[0]
	system.WantError(t, again, "permission_denied", "settings")
}
