package people

import (
	"fmt"
	"slices"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestNamesThatAreNotTheName: another spelling of a tool's name does not bypass its gate:
// either the spelling means the tool, and a person is asked, or it is unknown.
func TestNamesThatAreNotTheName(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		for _, tt := range []struct{ name, args, tool string }{
			{"contract.former", `{"text": "t"}`, "contract_long"}, // an alias
			{"contract_former", `{"text": "t"}`, "contract_long"}, // the alias, in the form of a model provider
			{"contract.long", `{"text": "t"}`, "contract_long"},
			{"debug_guarded", `{"key": "k"}`, "debug.guarded"},
			{"Debug.Guarded", `{"key": "k"}`, "debug.guarded"},
			{"debug.guarded.", `{"key": "k"}`, "debug.guarded"},
			{" debug.guarded", `{"key": "k"}`, "debug.guarded"},
			{"debug․guarded", `{"key": "k"}`, "debug.guarded"}, // with a one-dot leader
		} {
			tenant := system.NewTenant()
			e := system.Execute(t, d, tenant,
				system.AsUser(30000, fmt.Sprintf(`{"call_id": "x1", "tool": %q, "arguments": %s}`, tt.name, tt.args))).Results[0]
			switch {
			case e.State == "awaiting_consent":
				system.Eventually(t, "the request is in the inbox", func() bool { return len(system.Consents(t, d, tenant, "pending")) == 1 })
				if r := system.Consents(t, d, tenant, "pending")[0]; r.Tool != tt.tool {
					t.Errorf("%q: the person is asked about %q, want %q", tt.name, r.Tool, tt.tool)
				}
				if by := system.Phases(system.CallRecords(t, d, tenant, "x1")); !slices.Equal(by, []string{"consent_requested"}) {
					t.Errorf("%q: the audit trail has %q", tt.name, by)
				}
				if r := system.CallRecords(t, d, tenant, "x1"); len(r) > 0 && r[0].Tool != tt.tool {
					t.Errorf("%q is on record as %q, want %q", tt.name, r[0].Tool, tt.tool)
				}
			case e.ErrorType != "tool_not_found" && e.ErrorType != "validation_error":
				t.Errorf("%q: %v, want it parked, or no tool", tt.name, e)
			}
			if lines := system.UserLedger(t, shared, tenant, "u1"); len(lines) > 0 {
				t.Errorf("%q: the ledger has %q", tt.name, lines)
			}
		}
	})
}

// TestAliasIsJudgedAsItsTool: a lasting denial applies under each name, and a token names
// the tool, not the alias.
func TestAliasIsJudgedAsItsTool(t *testing.T) {
	t.Parallel()
	tenant, trace, d := system.NewTenant(), system.NewTrace(), shared.HTTP(0)
	tok := system.MintToken(t, d, tenant, trace, `"tools": ["contract_long"], "reusable": true`)
	system.WantResult(t,
		system.ExecuteWithToken(t, d, tenant, "u1", trace, tok, `{"tool": "contract.former", "arguments": {"text": "four"}}`), "4")
	other := system.MintToken(t, d, tenant, trace, `"tools": ["contract.former"]`)
	system.WantError(t,
		system.ExecuteWithToken(t, d, tenant, "u1", trace, other, `{"tool": "contract.former", "arguments": {"text": "four"}}`),
		"permission_denied", "contract_long")
	e := system.Park(t, d, tenant, `{"tool": "contract_long", "arguments": {"text": "t"}}`)
	if r := system.Decide(t, d, tenant, e.ConsentID, `{"decision": "deny", "never_ask": true}`); r.Status != 200 {
		t.Fatalf("deny = %d %s", r.Status, r.Body)
	}
	system.Settled(t, d, tenant, e.CallID)
	again := system.Execute(t, d, tenant, system.AsUser(30000, `{"tool": "contract.former", "arguments": {"text": "t"}}`)).Results[0]
	system.WantError(t, again, "permission_denied", "settings")
}

// TestTheAgentThatAskedCannotDecide: the requesting agent can neither decide the request
// nor mint a token for itself.
func TestTheAgentThatAskedCannotDecide(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		tenant, trace := system.NewTenant(), system.NewTrace()
		if r := d.Ask(t, tenant, "agents.put", map[string]string{"agent": "a1"}, `{"tools": ["debug.*"]}`); r.Status != 200 {
			t.Fatalf("agents.put = %d %s", r.Status, r.Body)
		}
		const body = `{"context": {"user": "u1", "agent": "a1"}, "calls": [{"tool": "debug.guarded", "arguments": {"key": "k"}}]}`
		var e system.Element
		system.Eventually(t, "the agent's tools are known", func() bool {
			e = system.Execute(t, d, tenant, body).Results[0]
			return e.State == "awaiting_consent"
		})
		for _, by := range []string{
			`"context": {"user": "u1", "agent": "a1"}`, `"context": {"agent": "a1"}`, `"by": "u1", "context": {"agent": "a1"}`,
		} {
			if r := system.Decide(t, d, tenant, e.ConsentID, `{"decision": "grant", `+by+`}`); r.Status != 403 {
				t.Errorf("a decision with %s = %d %s, want 403", by, r.Status, r.Body)
			}
		}
		if r := d.Ask(t, tenant, "tokens.mint", nil,
			fmt.Sprintf(`{"context": {"agent": "a1"}, "user": "u1", "trace_id": %q, "tools": ["debug.guarded"]}`, trace)); r.Status != 403 {
			t.Errorf("an agent's tokens.mint = %d %s, want 403", r.Status, r.Body)
		}
		if lines := system.UserLedger(t, shared, tenant, "u1"); len(lines) > 0 {
			t.Errorf("the ledger has %q", lines)
		}
		system.Grant(t, d, tenant, e.ConsentID)
		system.WantResult(t, system.Settled(t, d, tenant, e.CallID), `{"written":true}`)
	})
}
