package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
)

// TestSharedPermissionWithOtherArguments: calls that share a request are each
// let through for their own arguments.
func TestSharedPermissionWithOtherArguments(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	calls := []string{}
	for _, word := range []string{"one", "two", "three"} {
		calls = append(calls, fmt.Sprintf(`{"call_id": %q, "tool": "contract_permitted", "arguments": {"word": %q}}`, word, word))
	}
	results := execute(t, d, tenant, asUser(30000, strings.Join(calls, ","))).Results
	for _, e := range results {
		if e.ConsentID == "" || e.ConsentID != results[0].ConsentID {
			t.Fatalf("%v awaits %q, want all to await %q", e, e.ConsentID, results[0].ConsentID)
		}
	}
	grant(t, d, tenant, results[0].ConsentID)
	hashes := map[string]bool{}
	for _, word := range []string{"one", "two", "three"} {
		wantResult(t, settled(t, d, tenant, word), `"`+word+`"`)
		eventually(t, "the end of "+word+" is on record", func() bool {
			i := slices.IndexFunc(story(t, d, tenant, word), func(r record) bool { return r.Phase == "finished" })
			if i >= 0 {
				hashes[story(t, d, tenant, word)[i].ArgsHash] = true
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
	tenant, d := newTenant(), shared.http(0)
	const call = `{"call_id": %q, "tool": "debug.restricted", "arguments": {}}`
	results := execute(t, d, tenant, asUser(30000, fmt.Sprintf(call, "a")+","+fmt.Sprintf(call, "b"))).Results
	wantError(t, byID(t, d, "calls.cancel", tenant, "b"), "cancelled", "")
	grant(t, d, tenant, results[0].ConsentID)
	wantResult(t, settled(t, d, tenant, "a"), `{"ok":true}`)
	wantError(t, byID(t, d, "calls.get", tenant, "b"), "cancelled", "")
	if got := phases(story(t, d, tenant, "b")); !slices.Contains(got, "cancelled") || slices.Contains(got, "finished") {
		t.Errorf("the audit trail of the cancelled call has %q", got)
	}
}

// TestFullInboxEndsThoseThatShareToo: whoever joins a request that finds no room
// is refused with it.
func TestFullInboxEndsThoseThatShareToo(t *testing.T) {
	t.Parallel()
	s := launch(t, plan{workers: 2, config: func(c *config.Config) { c.Consent.MaxPerUser = 1 }})
	tenant, d := newTenant(), s.http(0)
	park(t, d, tenant, `{"tool": "debug.guarded", "arguments": {"key": "k"}}`)
	calls := make([]string, 40)
	for i := range calls {
		calls[i] = fmt.Sprintf(`{"call_id": "r%d", "tool": "debug.restricted", "arguments": {}}`, i)
	}
	execute(t, d, tenant, asUser(0, strings.Join(calls, ",")))
	for i := range calls {
		wantError(t, settled(t, d, tenant, fmt.Sprintf("r%d", i)), "rate_limited", "decision")
	}
}

// TestRequestThatNobodyOpened: whoever died between noting that it asks and
// asking does not keep others from asking.
func TestRequestThatNobodyOpened(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	const call = `{"tool": "debug.restricted", "arguments": {}}`
	e := park(t, d, tenant, call)
	key := ""
	eventually(t, "it is noted which request is open", func() bool {
		for _, k := range keysOf(t, shared, "helve_asks", tenant+".>") {
			key = k
		}
		return key != ""
	})
	if r := decide(t, d, tenant, e.ConsentID, `{"decision": "deny"}`); r.status != 200 {
		t.Fatalf("deny = %d %s", r.status, r.body)
	}
	settled(t, d, tenant, e.CallID)
	eventually(t, "the request is closed", func() bool { return len(keysOf(t, shared, "helve_asks", tenant+".>")) == 0 })
	putKey(t, shared, "helve_asks", key, "c-nobodyparkedthis 1")
	park(t, d, tenant, call)
}

// TestTheAgentThatJoinedCannotDecide: each agent asks for itself.
func TestTheAgentThatJoinedCannotDecide(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	ids := map[string]string{}
	for _, agent := range []string{"A", "B"} {
		if r := d.ask(t, tenant, "agents.put", map[string]string{"agent": agent}, `{"tools": ["debug.restricted"]}`); r.status != 200 {
			t.Fatalf("agents.put = %d %s", r.status, r.body)
		}
		body := fmt.Sprintf(`{"context": {"user": "u1", "agent": %q}, "calls": [{"tool": "debug.restricted", "arguments": {}}]}`, agent)
		eventually(t, agent+" may use the tool, and asks", func() bool {
			e := execute(t, d, tenant, body).Results[0]
			ids[agent] = e.ConsentID
			return e.ConsentID != ""
		})
	}
	for _, agent := range []string{"A", "B"} {
		body := fmt.Sprintf(`{"decision": "grant", "by": "u1", "context": {"agent": %q}}`, agent)
		if r := decide(t, d, tenant, ids[agent], body); r.status != 403 {
			t.Errorf("%s decides about its own request: %d %s, want 403", agent, r.status, r.body)
		}
	}
	mint := `{"user": "u1", "trace_id": "0123456789abcdef0123456789abcdef", "tools": ["debug.restricted"], "context": {"user": "u1", "agent": "A"}}`
	if r := d.ask(t, tenant, "tokens.mint", nil, mint); r.status != 403 {
		t.Errorf("an agent mints a token: %d %s, want 403", r.status, r.body)
	}
}
