package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

func TestAgentRecords(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		tenant := system.NewTenant()
		agent := map[string]string{"agent": "a1"}
		system.WantProblem(t, "no record", d.Ask(t, tenant, "agents.get", agent, ""), 404, "not_found")
		system.WantProblem(t, "no record to delete", d.Ask(t, tenant, "agents.delete", agent, ""), 404, "not_found")
		system.PutAgent(t, d, tenant, "b2", `{"groups": ["filesystem"]}`)
		system.PutAgent(t, d, tenant, "a1", `{"tools": ["read_*"], "deny": ["read_file"]}`)

		const want = `{"agent":"a1","tools":["read_*"],"groups":[],"deny":["read_file"]}`
		if r := d.Ask(t, tenant, "agents.get", agent, ""); strings.TrimSpace(string(r.Body)) != want {
			t.Errorf("agents.get = %s, want %s", r.Body, want)
		}
		list := `{"agents":[` + want + `,{"agent":"b2","tools":[],"groups":["filesystem"],"deny":[]}]}`
		if r := d.Ask(t, tenant, "agents.list", nil, ""); strings.TrimSpace(string(r.Body)) != list {
			t.Errorf("agents.list = %s, want %s", r.Body, list)
		}
		if r := d.Ask(t, system.NewTenant(), "agents.list", nil, ""); strings.TrimSpace(string(r.Body)) != `{"agents":[]}` {
			t.Errorf("agents.list of another tenant = %s, want none", r.Body)
		}
		if r := d.Ask(t, tenant, "agents.delete", agent, ""); r.Status != 200 {
			t.Errorf("agents.delete = %d %s", r.Status, r.Body)
		}
		system.WantProblem(t, "deleted record", d.Ask(t, tenant, "agents.get", agent, ""), 404, "not_found")
		for _, bad := range []string{`{"tools": "x"}`, `{"tools": ["a b"]}`, `{"deny": ["*x"]}`} {
			system.WantProblem(t, bad, d.Ask(t, tenant, "agents.put", agent, bad), 400, "bad_request")
		}
		system.WantProblem(t, "bad name", d.Ask(t, tenant, "agents.put", map[string]string{"agent": "a.b"}, `{}`), 400, "bad_request")
	})
}

func TestAgentsToolSet(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ rules, allowed, refused string }{
		{`{"tools": ["debug.echo"]}`, "debug.echo", "contract_steps"},
		{`{"tools": ["debug.*"]}`, "debug.echo", "contract_steps"},
		{`{"tools": ["*"]}`, "contract_steps", "debug.echo"},
		{`{"groups": ["diagnostics"]}`, "debug.echo", "contract_steps"},
		{`{"groups": ["contract"], "tools": ["debug.echo"]}`, "debug.echo", "debug.sleep"},
		{`{"tools": ["debug.*"], "deny": ["debug.s*"]}`, "debug.echo", "debug.sleep"},
		{`{"tools": ["debug.*", "contract_steps"], "deny": ["contract"]}`, "debug.echo", "contract_steps"},
		{``, "contract_steps", "debug.echo"}, // no record: no diagnostics
	} {
		t.Run(tt.rules, func(t *testing.T) {
			t.Parallel()
			d, tenant := shared.HTTP(0), system.NewTenant()
			if tt.rules != "" {
				system.PutAgent(t, d, tenant, "a1", tt.rules)
				system.Eventually(t, "the workers know the record", func() bool {
					return system.ExecuteAsAgent(t, d, tenant, "a1", tt.allowed).ErrorType != "tool_not_available"
				})
			}
			listed := " " + strings.Join(system.ToolNames(t, d, tenant, map[string]string{"agent": "a1"}), " ") + " "
			if !strings.Contains(listed, " "+tt.allowed+" ") || strings.Contains(listed, " "+tt.refused+" ") {
				t.Errorf("tools.list of the agent =%s, want %s and not %s", listed, tt.allowed, tt.refused)
			}
			system.WantError(t, system.ExecuteAsAgent(t, d, tenant, "a1", tt.refused), "tool_not_available", tt.refused)
			if e := system.ExecuteAsAgent(t, d, tenant, "", tt.refused); e.ErrorType == "tool_not_available" {
				t.Errorf("a call without agent may use every tool, got %v", e)
			}
		})
	}
}

// TestAgentsToolSetReachesEverybody: a record stored through one dispatcher applies at the
// other one and, without a dispatcher, at the workers.
func TestAgentsToolSetReachesEverybody(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	system.PutAgent(t, shared.HTTP(0), tenant, "a1", `{"tools": ["debug.echo"]}`)
	system.Eventually(t, "the call is allowed", func() bool {
		return system.ExecuteAsAgent(t, shared.HTTP(1), tenant, "a1", "debug.echo").Status == "success"
	})
	system.PutAgent(t, shared.HTTP(0), tenant, "a1", `{"tools": ["debug.echo"], "deny": ["debug.*"]}`)
	system.WantError(t, system.ExecuteAsAgent(t, shared.HTTP(0), tenant, "a1", "debug.echo"), "tool_not_available", "debug.echo")
	system.Eventually(t, "the second dispatcher refuses", func() bool {
		return system.ExecuteAsAgent(t, shared.HTTP(1), tenant, "a1", "debug.echo").ErrorType == "tool_not_available"
	})
	n := 0
	system.Eventually(t, "the workers refuse", func() bool {
		n++
		return unvetted(t, tenant, fmt.Sprintf("c%d", n), "a1", "debug.echo").ErrorType == "tool_not_available"
	})
	// The other worker may be behind this one; both are asked.
	for i := range 20 {
		system.WantError(t, unvetted(t, tenant, fmt.Sprintf("d%d", i), "nobody", "debug.echo"), "tool_not_available", "debug.echo")
	}
	if e := unvetted(t, tenant, "c-free", "", "debug.echo"); e.Status != "success" {
		t.Errorf("without an agent the call ended as %v, want success", e)
	}
	system.WantError(t, unvetted(t, tenant, "c-unknown", "", "nope"), "tool_not_found", "nope")
}

// unvetted puts a call onto the queue without a dispatcher and returns the workers' answer.
func unvetted(t testing.TB, tenant, callID, agent, tool string) (e system.Element) {
	t.Helper()
	results := make(chan *nats.Msg, 1)
	sub, err := shared.Conn.ChanSubscribe(fmt.Sprintf("helve.v1.%s.result.*.nobody.%s", tenant, callID), results)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	shared.PublishCall(t, tenant, tool,
		fmt.Sprintf(`{"call_id": %q, "origin": "nobody", "tool": %q, "agent": %q, "arguments": {"value": 1}}`, callID, tool, agent))
	system.Eventually(t, callID+" has a result", func() bool { return len(results) > 0 })
	if err := json.Unmarshal((<-results).Data, &e); err != nil {
		t.Fatal(err)
	}
	return e
}
