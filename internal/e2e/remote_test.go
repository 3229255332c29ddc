package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestRemote is the whole way of a tool that a process outside runs: registered, listed,
// called, unregistered, over each transport.
func TestRemote(t *testing.T) {
	t.Parallel()
	everyDoor(t, shared, func(t *testing.T, d door) {
		tenant := newTenant()
		p := shared.outside(t, tenant, "billing-1")
		p.always("crm.find", `{"status": "success", "result": {"n": 12345678901234567890.10}, "text": "found"}`)
		r := p.tell(d, long, reads("crm.find", `, "kind": "builtin", "group": "crm", "tags": ["customer"]`))
		if want := `{"heartbeat_ms":100000,"instance":"billing-1","tools":["crm.find"],"ttl_ms":300000}`; r.status != 200 || strings.TrimSpace(string(r.body)) != want {
			t.Errorf("remote.register = %d %s, want %s", r.status, r.body, want)
		}
		e := use(t, d, tenant, "crm.find", `{}`)
		wantResult(t, e, `{"n":12345678901234567890.10}`)
		if e.Text != "found" || e.Worker == "" {
			t.Errorf("the call ended as %+v, want the text and the worker it came by", e)
		}
		asked := p.heard()
		if len(asked) != 1 || asked[0].CallID != e.CallID || asked[0].TraceID != e.TraceID || asked[0].Tool != "crm.find" || string(asked[0].Arguments) != `{"n":7}` ||
			asked[0].Context.User != "u1" || asked[0].Context.Conversation != "c1" || asked[0].Attempt != 1 || asked[0].Deadline.IsZero() || asked[0].msg.Header["traceparent"] == nil {
			t.Errorf("the process was asked %+v", asked)
		}
		eventually(t, "every dispatcher lists it", func() bool {
			return slices.Contains(names(t, shared.http(0), tenant, nil), "crm.find") && slices.Contains(names(t, shared.http(1), tenant, nil), "crm.find")
		})
		def := decode[struct{ Kind, Group, Pool, Risk string }](t, d.ask(t, tenant, "tools.get", map[string]string{"name": "crm.find"}, ""))
		if def.Kind != "remote" || def.Group != "crm" || def.Pool != "default" || def.Risk != "low" {
			t.Errorf("the definition is %+v", def)
		}
		if slices.Contains(names(t, d, newTenant(), nil), "crm.find") {
			t.Error("another tenant sees the tool")
		}
		wantError(t, use(t, d, tenant, "crm.find", `{"n": "x"}`), "validation_error", "n")
		wantResult(t, use(t, d, tenant, "use_tool", `{"tool_name": "crm.find", "arguments": {}}`), `{"n":12345678901234567890.10}`)
		for _, was := range []bool{true, false} {
			r := d.ask(t, tenant, "remote.unregister", nil, `{"instance": "billing-1"}`)
			if want := fmt.Sprintf(`{"instance":"billing-1","unregistered":%v}`, was); r.status != 200 || strings.TrimSpace(string(r.body)) != want {
				t.Errorf("remote.unregister = %d %s, want %s", r.status, r.body, want)
			}
		}
		eventually(t, "nobody is offered it", func() bool {
			return !slices.Contains(names(t, shared.http(0), tenant, nil), "crm.find") && !slices.Contains(names(t, shared.http(1), tenant, nil), "crm.find")
		})
		wantError(t, use(t, d, tenant, "crm.find", `{}`), "tool_not_available", "no process")
	})
}

// TestRemoteRefused: what cannot be offered is refused as a whole, in a sentence.
func TestRemoteRefused(t *testing.T) {
	t.Parallel()
	everyDoor(t, shared, func(t *testing.T, d door) {
		tenant := newTenant()
		p := shared.outside(t, tenant, "p1")
		for says, defs := range map[string]string{
			"1 to 100":         ``,
			"tools[0]: ":       `5`,
			"name":             reads("1st", ""),
			"description":      `{"name": "x"}`,
			"parameters":       `{"name": "x", "description": "d", "parameters": {"properties": {"q": {"$ref": "file:///etc/passwd"}}}}`,
			"risk":             reads("x", `, "risk": "none"`),
			"webFetch":         reads("x", `, "group": "web_fetch"`),
			"scopes":           reads("x", `, "scopes": {"hosts": [""]}`),
			"permission":       reads("x", `, "required_permissions": ["root"]`),
			"timeout_seconds":  `{"name": "x", "description": "d", "timeout_seconds": 7200}`,
			"dots and":         reads("a.b", "") + "," + reads("a_b", ""),
			"tools[1] (other)": reads("x", "") + "," + reads("other", `, "pool": "a b"`),
		} {
			r := p.tell(d, long, defs)
			wantProblem(t, says, r, 400, "bad_request")
			if !strings.Contains(string(r.body), says) {
				t.Errorf("remote.register = %s, want it to say %q", r.body, says)
			}
		}
		for _, ttl := range []int{-1, 0, 999, 300001} {
			wantProblem(t, fmt.Sprint("ttl ", ttl), p.tell(d, ttl, reads("x", "")), 400, "bad_request")
		}
		wantProblem(t, "large", p.tell(d, long, reads("x", fmt.Sprintf(`, "tags": [%q]`, strings.Repeat("x", 1<<16)))), 413, "too_large")
		wantProblem(t, "instance", (&outside{t: t, nc: p.nc, tenant: tenant, id: "a.b"}).tell(d, long, reads("x", "")), 400, "bad_request")
		wantProblem(t, "unregister", d.ask(t, tenant, "remote.unregister", nil, `{"instance": ""}`), 400, "bad_request")
		for _, name := range names(t, d, tenant, nil) {
			if name == "x" || name == "other" {
				t.Errorf("%s is listed although it was refused", name)
			}
		}
	})
}

// TestRemoteConflict: a name belongs to whoever has it.
func TestRemoteConflict(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	create(t, shared, tenant, custom{Name: "made_up", Code: "return 1"})
	use(t, d, tenant, "made_up", `{}`)
	first, second := shared.outside(t, tenant, "p1"), shared.outside(t, tenant, "p2")
	first.register(d, long, reads("mine.one", ""))
	for _, name := range []string{"read_file", "files.read_text", "files_read_text", "made_up"} {
		wantProblem(t, name, second.tell(d, long, reads(name, "")), 409, "conflict")
	}
	for _, other := range []string{reads("mine.one", `, "risk": "medium"`), reads("mine_one", "")} {
		for at := range 2 { // also by a dispatcher that has not heard of the first
			r := second.tell(shared.http(at), long, other)
			wantProblem(t, other, r, 409, "conflict")
			if !strings.Contains(string(r.body), "p1") {
				t.Errorf("%s does not say who has the name", r.body)
			}
		}
	}
	if r := shared.http(1).ask(t, newTenant(), "remote.register", nil, `{"instance": "p2", "ttl_ms": 300000, "tools": [`+reads("mine_one", "")+`]}`); r.status != 200 {
		t.Errorf("another tenant was answered %d %s, want 200", r.status, r.body)
	}
	// The same definition, written otherwise, is the same.
	second.register(d, long, `{"timeout_seconds": 6e1, "mutates": false, "description": "Looks something up.", "name": "mine.one",
		"args_schema": {"properties": {"n": {"default": 7, "type": "number"}}, "type": "object"}}`)
	// Who alone has a name may change what it stands for, and give it up.
	d.ask(t, tenant, "remote.unregister", nil, `{"instance": "p2"}`)
	first.register(shared.http(1), long, reads("mine.one", `, "risk": "high"`))
	first.register(d, long, reads("another", ""))
	second.register(d, long, reads("mine_one", ""))
	second.always("mine_one", `{"status": "success", "result": 2}`)
	wantResult(t, use(t, d, tenant, "mine_one", `{}`), "2")
	if e := execute(t, d, tenant, asUser(30000, custom{Name: "another", Code: "return 1"}.call(t))).Results[0]; e.ErrorType != "validation_error" {
		t.Errorf("create_tool of a name that a process has = %v, want it refused", e)
	}
}
