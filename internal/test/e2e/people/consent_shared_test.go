package people

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestSharedPermissionWithOtherArguments: calls that share a request are each released with
// their own arguments.
func TestSharedPermissionWithOtherArguments(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	calls := []string{}
	for _, word := range []string{"one", "two", "three"} {
		calls = append(calls, fmt.Sprintf(`{"call_id": %q, "tool": "contract_permitted", "arguments": {"word": %q}}`, word, word))
	}
	results := system.Execute(t, d, tenant, system.AsUser(30000, strings.Join(calls, ","))).Results
	for _, e := range results {
		if e.ConsentID == "" || e.ConsentID != results[0].ConsentID {
			t.Fatalf("%v awaits %q, want all to await %q", e, e.ConsentID, results[0].ConsentID)
		}
	}
	system.Grant(t, d, tenant, results[0].ConsentID)
	hashes := map[string]bool{}
	for _, word := range []string{"one", "two", "three"} {
		system.WantResult(t, system.Settled(t, d, tenant, word), `"`+word+`"`)
		system.Eventually(t, "the end of "+word+" is on record", func() bool {
			i := slices.IndexFunc(system.CallRecords(t, d, tenant, word), func(r system.Record) bool { return r.Phase == "finished" })
			if i >= 0 {
				hashes[system.CallRecords(t, d, tenant, word)[i].ArgsHash] = true
			}
			return i >= 0
		})
	}
	if len(hashes) != 3 {
		t.Errorf("the records have the hashes %v, want one for each call", hashes)
	}
}

func TestCancelOneOfThoseThatShare(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	const call = `{"call_id": %q, "tool": "debug.restricted", "arguments": {}}`
	results := system.Execute(t, d, tenant, system.AsUser(30000, fmt.Sprintf(call, "a")+","+fmt.Sprintf(call, "b"))).Results
	system.WantError(t, system.ByID(t, d, "calls.cancel", tenant, "b"), "cancelled", "")
	system.Grant(t, d, tenant, results[0].ConsentID)
	system.WantResult(t, system.Settled(t, d, tenant, "a"), `{"ok":true}`)
	system.WantError(t, system.ByID(t, d, "calls.get", tenant, "b"), "cancelled", "")
	if got := system.Phases(system.CallRecords(t, d, tenant, "b")); !slices.Contains(got, "cancelled") || slices.Contains(got, "finished") {
		t.Errorf("the audit trail of the cancelled call has %q", got)
	}
}

// TestFullInboxEndsThoseThatShareToo: calls that join a request for which there is no room
// are refused with it.
func TestFullInboxEndsThoseThatShareToo(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Workers: 2, Config: func(c *config.Config) { c.Consent.MaxPerUser = 1 }})
	tenant, d := system.NewTenant(), s.HTTP(0)
	system.Park(t, d, tenant, `{"tool": "debug.guarded", "arguments": {"key": "k"}}`)
	calls := make([]string, 40)
	for i := range calls {
		calls[i] = fmt.Sprintf(`{"call_id": "r%d", "tool": "debug.restricted", "arguments": {}}`, i)
	}
	system.Execute(t, d, tenant, system.AsUser(0, strings.Join(calls, ",")))
	for i := range calls {
		system.WantError(t, system.Settled(t, d, tenant, fmt.Sprintf("r%d", i)), "rate_limited", "decision")
	}
}

// TestSharersAreBounded: the number of calls that join a request is at most the number
// released together.
func TestSharersAreBounded(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	const call = `{"tool": "debug.restricted", "arguments": {}}`
	opener, joined := system.Park(t, d, tenant, call), system.Park(t, d, tenant, call)
	if joined.ConsentID != opener.ConsentID {
		t.Fatalf("the second call waits for %s, want %s", joined.ConsentID, opener.ConsentID)
	}
	for n := range 1024 {
		putKey(t, shared, "helve_asks", fmt.Sprintf("seats.%s.%s.%d", tenant, opener.ConsentID, n), "another")
	}
	system.WantError(t, system.Execute(t, d, tenant, system.AsUser(30000, call)).Results[0], "rate_limited", "too many")
	system.Grant(t, d, tenant, opener.ConsentID)
	for _, e := range []system.Element{opener, joined} {
		system.WantResult(t, system.Settled(t, d, tenant, e.CallID), `{"ok":true}`)
	}
}

// TestRequestThatNobodyOpened: a process that dies between recording its intention to ask
// and asking does not prevent others from asking.
func TestRequestThatNobodyOpened(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	const call = `{"tool": "debug.restricted", "arguments": {}}`
	e := system.Park(t, d, tenant, call)
	key := ""
	system.Eventually(t, "it is noted which request is open", func() bool {
		for _, k := range keysOf(t, shared, "helve_asks", tenant+".>") {
			key = k
		}
		return key != ""
	})
	if r := system.Decide(t, d, tenant, e.ConsentID, `{"decision": "deny"}`); r.Status != 200 {
		t.Fatalf("deny = %d %s", r.Status, r.Body)
	}
	system.Settled(t, d, tenant, e.CallID)
	system.Eventually(t, "the request is closed", func() bool { return len(keysOf(t, shared, "helve_asks", tenant+".>")) == 0 })
	putKey(t, shared, "helve_asks", key, "c-nobodyparkedthis 1")
	system.Park(t, d, tenant, call)
}

// TestTheAgentThatJoinedCannotDecide: an agent cannot decide a request that one of its
// calls joined.
func TestTheAgentThatJoinedCannotDecide(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	ids := map[string]string{}
	for _, agent := range []string{"A", "B"} {
		if r := d.Ask(t, tenant, "agents.put", map[string]string{"agent": agent}, `{"tools": ["debug.restricted"]}`); r.Status != 200 {
			t.Fatalf("agents.put = %d %s", r.Status, r.Body)
		}
		body := fmt.Sprintf(`{"context": {"user": "u1", "agent": %q}, "calls": [{"tool": "debug.restricted", "arguments": {}}]}`, agent)
		system.Eventually(t, agent+" may use the tool, and asks", func() bool {
			e := system.Execute(t, d, tenant, body).Results[0]
			ids[agent] = e.ConsentID
			return e.ConsentID != ""
		})
	}
	for _, agent := range []string{"A", "B"} {
		body := fmt.Sprintf(`{"decision": "grant", "by": "u1", "context": {"agent": %q}}`, agent)
		if r := system.Decide(t, d, tenant, ids[agent], body); r.Status != 403 {
			t.Errorf("%s decides about its own request: %d %s, want 403", agent, r.Status, r.Body)
		}
	}
	mint :=
		`{"user": "u1", "trace_id": "0123456789abcdef0123456789abcdef", "tools": ["debug.restricted"], "context": {"user": "u1", "agent": "A"}}`
	if r := d.Ask(t, tenant, "tokens.mint", nil, mint); r.Status != 403 {
		t.Errorf("an agent mints a token: %d %s, want 403", r.Status, r.Body)
	}
}
