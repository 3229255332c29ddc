package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
)

// put keeps an agent's record.
func put(t testing.TB, d door, tenant, agent, rules string) {
	t.Helper()
	if r := d.ask(t, tenant, "agents.put", map[string]string{"agent": agent}, rules); r.status != 200 {
		t.Fatalf("agents.put %s = %d %s", rules, r.status, r.body)
	}
}

func TestAgentRecords(t *testing.T) {
	t.Parallel()
	everyDoor(t, shared, func(t *testing.T, d door) {
		tenant := newTenant()
		agent := map[string]string{"agent": "a1"}
		wantProblem(t, "no record", d.ask(t, tenant, "agents.get", agent, ""), 404, "not_found")
		wantProblem(t, "no record to delete", d.ask(t, tenant, "agents.delete", agent, ""), 404, "not_found")
		put(t, d, tenant, "b2", `{"groups": ["filesystem"]}`)
		put(t, d, tenant, "a1", `{"tools": ["read_*"], "deny": ["read_file"]}`)

		const want = `{"agent":"a1","tools":["read_*"],"groups":[],"deny":["read_file"]}`
		if r := d.ask(t, tenant, "agents.get", agent, ""); strings.TrimSpace(string(r.body)) != want {
			t.Errorf("agents.get = %s, want %s", r.body, want)
		}
		list := `{"agents":[` + want + `,{"agent":"b2","tools":[],"groups":["filesystem"],"deny":[]}]}`
		if r := d.ask(t, tenant, "agents.list", nil, ""); strings.TrimSpace(string(r.body)) != list {
			t.Errorf("agents.list = %s, want %s", r.body, list)
		}
		if r := d.ask(t, newTenant(), "agents.list", nil, ""); strings.TrimSpace(string(r.body)) != `{"agents":[]}` {
			t.Errorf("agents.list of another tenant = %s, want none", r.body)
		}
		if r := d.ask(t, tenant, "agents.delete", agent, ""); r.status != 200 {
			t.Errorf("agents.delete = %d %s", r.status, r.body)
		}
		wantProblem(t, "deleted record", d.ask(t, tenant, "agents.get", agent, ""), 404, "not_found")
		for _, bad := range []string{`{"tools": "x"}`, `{"tools": ["a b"]}`, `{"deny": ["*x"]}`} {
			wantProblem(t, bad, d.ask(t, tenant, "agents.put", agent, bad), 400, "bad_request")
		}
		wantProblem(t, "bad name", d.ask(t, tenant, "agents.put", map[string]string{"agent": "a.b"}, `{}`), 400, "bad_request")
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
			d, tenant := shared.http(0), newTenant()
			if tt.rules != "" {
				put(t, d, tenant, "a1", tt.rules)
				eventually(t, "the workers know the record", func() bool {
					return asAgent(t, d, tenant, "a1", tt.allowed).ErrorType != "tool_not_available"
				})
			}
			listed := " " + strings.Join(names(t, d, tenant, map[string]string{"agent": "a1"}), " ") + " "
			if !strings.Contains(listed, " "+tt.allowed+" ") || strings.Contains(listed, " "+tt.refused+" ") {
				t.Errorf("tools.list of the agent =%s, want %s and not %s", listed, tt.allowed, tt.refused)
			}
			wantError(t, asAgent(t, d, tenant, "a1", tt.refused), "tool_not_available", tt.refused)
			if e := asAgent(t, d, tenant, "", tt.refused); e.ErrorType == "tool_not_available" {
				t.Errorf("a call without agent may use every tool, got %v", e)
			}
		})
	}
}

// asAgent calls a tool with arguments that suit all that are asked for here.
func asAgent(t testing.TB, d door, tenant, agent, tool string) element {
	t.Helper()
	who := "null"
	if agent != "" {
		who = `"` + agent + `"`
	}
	return execute(t, d, tenant, fmt.Sprintf(`{"context": {"agent": %s}, "calls": [{"tool": %q, "arguments": {"value": 1, "n": 1, "ms": 0}}]}`, who, tool)).Results[0]
}

// TestAgentsToolSetReachesEverybody: what one dispatcher was told holds at the
// other one and, without any dispatcher in between, at the workers.
func TestAgentsToolSetReachesEverybody(t *testing.T) {
	t.Parallel()
	tenant := newTenant()
	put(t, shared.http(0), tenant, "a1", `{"tools": ["debug.echo"]}`)
	eventually(t, "the call is allowed", func() bool { return asAgent(t, shared.http(1), tenant, "a1", "debug.echo").Status == "success" })
	put(t, shared.http(0), tenant, "a1", `{"tools": ["debug.echo"], "deny": ["debug.*"]}`)
	wantError(t, asAgent(t, shared.http(0), tenant, "a1", "debug.echo"), "tool_not_available", "debug.echo")
	eventually(t, "the second dispatcher refuses", func() bool {
		return asAgent(t, shared.http(1), tenant, "a1", "debug.echo").ErrorType == "tool_not_available"
	})
	n := 0
	eventually(t, "the workers refuse", func() bool {
		n++
		return unvetted(t, tenant, fmt.Sprintf("c%d", n), "a1", "debug.echo").ErrorType == "tool_not_available"
	})
	// One worker more may have been behind the one that answered; both are asked.
	for i := range 20 {
		wantError(t, unvetted(t, tenant, fmt.Sprintf("d%d", i), "nobody", "debug.echo"), "tool_not_available", "debug.echo")
	}
	if e := unvetted(t, tenant, "c-free", "", "debug.echo"); e.Status != "success" {
		t.Errorf("without an agent the call ended as %v, want success", e)
	}
	wantError(t, unvetted(t, tenant, "c-unknown", "", "nope"), "tool_not_found", "nope")
}

// unvetted puts a call onto the queue past every dispatcher and returns what
// the workers answer.
func unvetted(t testing.TB, tenant, callID, agent, tool string) (e element) {
	t.Helper()
	results := make(chan *nats.Msg, 1)
	sub, err := shared.nc.ChanSubscribe(fmt.Sprintf("helve.v1.%s.result.nobody.%s", tenant, callID), results)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	shared.enqueue(t, tenant, tool, fmt.Sprintf(`{"call_id": %q, "origin": "nobody", "tool": %q, "agent": %q, "arguments": {"value": 1}}`, callID, tool, agent))
	eventually(t, callID+" has a result", func() bool { return len(results) > 0 })
	if err := json.Unmarshal((<-results).Data, &e); err != nil {
		t.Fatal(err)
	}
	return e
}

// enqueue publishes a message to the work queue and waits until it is stored.
func (s *system) enqueue(t testing.TB, tenant, tool, message string) {
	t.Helper()
	ack, err := s.nc.Request("helve.v1."+tenant+".call.default."+tool, []byte(message), patience)
	if err != nil || strings.Contains(string(ack.Data), `"error"`) {
		t.Fatalf("enqueue: %v %s", err, ack.Data)
	}
}
