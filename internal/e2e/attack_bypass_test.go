package e2e

import (
	"fmt"
	"slices"
	"testing"
)

// TestNamesThatAreNotTheName: another spelling of a tool's name is no way past
// its gate. It is the tool, and a person is asked, or it is no tool.
func TestNamesThatAreNotTheName(t *testing.T) {
	t.Parallel()
	everyDoor(t, shared, func(t *testing.T, d door) {
		for _, tt := range []struct{ name, args, tool string }{
			{"contract.former", `{"text": "t"}`, "contract_long"}, // an alias
			{"contract_former", `{"text": "t"}`, "contract_long"}, // the alias, as a model provider writes it
			{"contract.long", `{"text": "t"}`, "contract_long"},
			{"debug_guarded", `{"key": "k"}`, "debug.guarded"},
			{"Debug.Guarded", `{"key": "k"}`, "debug.guarded"},
			{"debug.guarded.", `{"key": "k"}`, "debug.guarded"},
			{" debug.guarded", `{"key": "k"}`, "debug.guarded"},
			{"debug․guarded", `{"key": "k"}`, "debug.guarded"}, // with a one-dot leader
		} {
			tenant := newTenant()
			e := execute(t, d, tenant, asUser(30000, fmt.Sprintf(`{"call_id": "x1", "tool": %q, "arguments": %s}`, tt.name, tt.args))).Results[0]
			switch {
			case e.State == "awaiting_consent":
				eventually(t, "the request is in the inbox", func() bool { return len(consents(t, d, tenant, "pending")) == 1 })
				if r := consents(t, d, tenant, "pending")[0]; r.Tool != tt.tool {
					t.Errorf("%q: the person is asked about %q, want %q", tt.name, r.Tool, tt.tool)
				}
				if by := phases(story(t, d, tenant, "x1")); !slices.Equal(by, []string{"consent_requested"}) {
					t.Errorf("%q: the audit trail has %q", tt.name, by)
				}
				if r := story(t, d, tenant, "x1"); len(r) > 0 && r[0].Tool != tt.tool {
					t.Errorf("%q is on record as %q, want %q", tt.name, r[0].Tool, tt.tool)
				}
			case e.ErrorType != "tool_not_found" && e.ErrorType != "validation_error":
				t.Errorf("%q: %v, want it parked, or no tool", tt.name, e)
			}
			if lines := ledger(t, shared, tenant, "u1"); len(lines) > 0 {
				t.Errorf("%q: the ledger has %q", tt.name, lines)
			}
		}
	})
}

// TestAliasIsJudgedAsItsTool: a denial for good holds under each name, and a
// token names the tool, not the alias.
func TestAliasIsJudgedAsItsTool(t *testing.T) {
	t.Parallel()
	tenant, trace, d := newTenant(), newTrace(), shared.http(0)
	tok := mint(t, d, tenant, trace, `"tools": ["contract_long"], "reusable": true`)
	wantResult(t, show(t, d, tenant, "u1", trace, tok, `{"tool": "contract.former", "arguments": {"text": "four"}}`), "4")
	other := mint(t, d, tenant, trace, `"tools": ["contract.former"]`)
	wantError(t, show(t, d, tenant, "u1", trace, other, `{"tool": "contract.former", "arguments": {"text": "four"}}`), "permission_denied", "contract_long")
	e := park(t, d, tenant, `{"tool": "contract_long", "arguments": {"text": "t"}}`)
	if r := decide(t, d, tenant, e.ConsentID, `{"decision": "deny", "never_ask": true}`); r.status != 200 {
		t.Fatalf("deny = %d %s", r.status, r.body)
	}
	settled(t, d, tenant, e.CallID)
	again := execute(t, d, tenant, asUser(30000, `{"tool": "contract.former", "arguments": {"text": "t"}}`)).Results[0]
	wantError(t, again, "permission_denied", "settings")
}

// TestTheAgentThatAskedCannotDecide: neither by the request, nor by minting a
// token for itself.
func TestTheAgentThatAskedCannotDecide(t *testing.T) {
	t.Parallel()
	everyDoor(t, shared, func(t *testing.T, d door) {
		tenant, trace := newTenant(), newTrace()
		if r := d.ask(t, tenant, "agents.put", map[string]string{"agent": "a1"}, `{"tools": ["debug.*"]}`); r.status != 200 {
			t.Fatalf("agents.put = %d %s", r.status, r.body)
		}
		const body = `{"context": {"user": "u1", "agent": "a1"}, "calls": [{"tool": "debug.guarded", "arguments": {"key": "k"}}]}`
		var e element
		eventually(t, "the agent's tools are known", func() bool {
			e = execute(t, d, tenant, body).Results[0]
			return e.State == "awaiting_consent"
		})
		for _, by := range []string{
			`"context": {"user": "u1", "agent": "a1"}`, `"context": {"agent": "a1"}`, `"by": "u1", "context": {"agent": "a1"}`,
		} {
			if r := decide(t, d, tenant, e.ConsentID, `{"decision": "grant", `+by+`}`); r.status != 403 {
				t.Errorf("a decision with %s = %d %s, want 403", by, r.status, r.body)
			}
		}
		if r := d.ask(t, tenant, "tokens.mint", nil, fmt.Sprintf(`{"context": {"agent": "a1"}, "user": "u1", "trace_id": %q, "tools": ["debug.guarded"]}`, trace)); r.status != 403 {
			t.Errorf("an agent's tokens.mint = %d %s, want 403", r.status, r.body)
		}
		if lines := ledger(t, shared, tenant, "u1"); len(lines) > 0 {
			t.Errorf("the ledger has %q", lines)
		}
		grant(t, d, tenant, e.ConsentID)
		wantResult(t, settled(t, d, tenant, e.CallID), `{"written":true}`)
	})
}
