package console

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestArguments: a call shows its arguments to people who may see the call, with secrets
// hidden, whether it waits for a person, succeeded or failed, alone or in a group.
func TestArguments(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	for _, door := range []system.Door{shared.HTTP(0), shared.NATS()} {
		get := func(id, include string) (system.Reply, string) {
			t.Helper()
			params := map[string]string{"call_id": id}
			if include != "" {
				params["include"] = include
			}
			r := door.Ask(t, tenant, "calls.get", params, "")
			var el struct{ Arguments json.RawMessage }
			if r.Status == 200 {
				if err := json.Unmarshal(r.Body, &el); err != nil {
					t.Fatalf("calls.get %s = %s: %v", id, r.Body, err)
				}
			}
			return r, string(el.Arguments)
		}
		prefix := "h"
		if door != system.Door(shared.HTTP(0)) {
			prefix = "n"
		}
		for id, tt := range map[string]struct{ call, want string }{
			"echo":    {`"tool": "debug.echo", "arguments": {"value": {"n": 12345678901234567890.10}}`, `{"value":{"n":12345678901234567890.10}}`},
			"default": {`"tool": "calculate", "arguments": "{\"expression\": \"6 * 7\"}"`, `"expression":"6 * 7"`},
			"looks": {
				`"tool": "debug.echo", "arguments": {"value": {"api_key": "sk-abcdefghijklmnopqrstuvwx", "text": "plain"}}`, `"text":"plain"`,
			},
			"lines":   {"\"tool\": \"debug.echo\",\n\"arguments\": {\n\t\"value\": \"a\"\n}", `{"value":"a"}`},
			"fails":   {`"tool": "debug.fail", "arguments": {"how": "error", "message": "so"}`, `"message":"so"`},
			"refused": {`"tool": "read_file", "arguments": {"nonsense": "x"}`, `{"nonsense":"x"}`},
			"large":   {`"tool": "debug.echo", "arguments": {"value": "` + strings.Repeat("x", 5000) + `"}`, ""},
		} {
			id = prefix + id
			system.One(t, door, tenant, `{"call_id": "`+id+`", `+tt.call+`}`)
			r, got := get(id, "arguments")
			if r.Status != 200 || !strings.Contains(got, tt.want) || tt.want == "" && got != "" || strings.Contains(got, "sk-abc") {
				t.Errorf("%s: calls.get with its arguments = %d %.600s, want %s", id, r.Status, r.Body, tt.want)
			}
			if _, got := get(id, ""); got != "" {
				t.Errorf("%s: arguments that were not asked for: %s", id, got)
			}
		}
		parked := system.Park(t, door, tenant, `{"call_id": "`+prefix+`parked", "tool": "debug.guarded", "arguments": {"key": "k"}}`)
		if r, got := get(prefix+"parked", "arguments"); got != `{"key":"k"}` {
			t.Errorf("a call that waits for a person = %s", r.Body)
		}
		system.Decide(t, door, tenant, parked.ConsentID, `{"decision": "deny", "by": "u1"}`)
		made := system.Together(t, door, tenant, system.EchoCall("1"), system.EchoCall("2"), system.EchoCall("3"))
		for i, one := range made { // these may be stored in one message
			if r, got := get(one.CallID, "arguments"); got != `{"value":`+string(rune('1'+i))+`}` {
				t.Errorf("call %d of several = %s", i, r.Body)
			}
		}
		if r, _ := get(prefix+"echo", "everything"); r.Status != 400 {
			t.Errorf("another include = %d %s", r.Status, r.Body)
		}
		if r, _ := get("nobodys", "arguments"); r.Status != 404 {
			t.Errorf("an unknown call = %d %s", r.Status, r.Body)
		}
	}
	if strings.Contains(shared.Logs.String(), "sk-abcdefghij") {
		t.Error("the log has an argument")
	}
}

// TestMarkedArguments: what a schema marks as a secret is not stored with the result.
func TestMarkedArguments(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	p := shared.RemoteProcess(t, tenant, "m1")
	p.Answer("vault.open", func(q system.RemoteCall) { q.Respond(t, `{"status": "success", "result": true}`) })
	r := d.Send(t, http.MethodPost, "/v1/remote/register",
		`{"instance": "m1", "ttl_ms": 300000, "tools": [{"name": "vault.open", "description": "Open.", "mutates": false, "risk": "low",
		"parameters": {"type": "object", "properties": {"door": {"type": "string"}, "word": {"type": "string", "writeOnly": true}}}}]}`,
		http.Header{"Helve-Tenant": {tenant}, "Content-Type": {"application/json"}})
	if r.Status != 200 {
		t.Fatalf("register = %d %s", r.Status, r.Body)
	}
	var id string
	system.Eventually(t, "the tool is known", func() bool {
		el := system.One(t, d, tenant, `{"tool": "vault.open", "arguments": {"door": "left", "word": "sesame-sesame"}}`)
		id = el.CallID
		return el.Status == "success"
	})
	got := d.Ask(t, tenant, "calls.get", map[string]string{"call_id": id, "include": "arguments"}, "")
	if !strings.Contains(string(got.Body), `"door":"left"`) || strings.Contains(string(got.Body), "sesame") {
		t.Errorf("calls.get with its arguments = %s", got.Body)
	}
}
