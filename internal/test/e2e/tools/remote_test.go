package tools

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestRemote follows a tool that a remote process runs: registered, listed, called,
// unregistered, over each transport.
func TestRemote(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		tenant := system.NewTenant()
		p := shared.RemoteProcess(t, tenant, "billing-1")
		p.Always("crm.find", `{"status": "success", "result": {"n": 12345678901234567890.10}, "text": "found"}`)
		r := p.TryRegister(d, system.LongTTL, system.ReadingTool("crm.find", `, "kind": "builtin", "group": "crm", "tags": ["customer"]`))
		if want := `{"heartbeat_ms":100000,"instance":"billing-1","tools":["crm.find"],"ttl_ms":300000}`; r.Status != 200 ||
			strings.TrimSpace(string(r.Body)) != want {
			t.Errorf("remote.register = %d %s, want %s", r.Status, r.Body, want)
		}
		e := system.UseTool(t, d, tenant, "crm.find", `{}`)
		system.WantResult(t, e, `{"n":12345678901234567890.10}`)
		if e.Text != "found" || e.Worker == "" {
			t.Errorf("the call ended as %+v, want the text and the worker it came by", e)
		}
		asked := p.Received()
		if len(asked) != 1 || asked[0].CallID != e.CallID || asked[0].TraceID != e.TraceID || asked[0].Tool != "crm.find" ||
			string(asked[0].Arguments) != `{"n":7}` ||
			asked[0].Context.User != "u1" || asked[0].Context.Conversation != "c1" || asked[0].Attempt != 1 || asked[0].Deadline.IsZero() ||
			asked[0].Msg.Header["traceparent"] == nil {
			t.Errorf("the process was asked %+v", asked)
		}
		system.Eventually(t, "every dispatcher lists it", func() bool {
			return slices.Contains(system.ToolNames(t, shared.HTTP(0), tenant, nil), "crm.find") &&
				slices.Contains(system.ToolNames(t, shared.HTTP(1), tenant, nil), "crm.find")
		})
		def := system.Decode[struct{ Kind, Group, Pool, Risk string }](t,
			d.Ask(t, tenant, "tools.get", map[string]string{"name": "crm.find"}, ""))
		if def.Kind != "remote" || def.Group != "remote" || def.Pool != "default" || def.Risk != "medium" {
			t.Errorf("the definition is %+v", def)
		}
		if slices.Contains(system.ToolNames(t, d, system.NewTenant(), nil), "crm.find") {
			t.Error("another tenant sees the tool")
		}
		system.WantError(t, system.UseTool(t, d, tenant, "crm.find", `{"n": "x"}`), "validation_error", "n")
		system.WantResult(t, system.UseTool(t, d, tenant, "use_tool", `{"tool_name": "crm.find", "arguments": {}}`),
			`{"n":12345678901234567890.10}`)
		for _, was := range []bool{true, false} {
			r := d.Ask(t, tenant, "remote.unregister", nil, `{"instance": "billing-1"}`)
			if want := fmt.Sprintf(`{"instance":"billing-1","unregistered":%v}`, was); r.Status != 200 || strings.TrimSpace(string(r.Body)) != want {
				t.Errorf("remote.unregister = %d %s, want %s", r.Status, r.Body, want)
			}
		}
		system.Eventually(t, "nobody is offered it", func() bool {
			return !slices.Contains(system.ToolNames(t, shared.HTTP(0), tenant, nil), "crm.find") &&
				!slices.Contains(system.ToolNames(t, shared.HTTP(1), tenant, nil), "crm.find")
		})
		system.WantError(t, system.UseTool(t, d, tenant, "crm.find", `{}`), "tool_not_available", "no process")
	})
}

// TestRemoteRefused: an invalid registration is refused as a whole, in a sentence.
func TestRemoteRefused(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		tenant := system.NewTenant()
		p := shared.RemoteProcess(t, tenant, "p1")
		for says, defs := range map[string]string{
			"1 to 100":         ``,
			"tools[0]: ":       `5`,
			"name":             system.ReadingTool("1st", ""),
			"description":      `{"name": "x"}`,
			"parameters":       `{"name": "x", "description": "d", "parameters": {"properties": {"q": {"$ref": "file:///etc/passwd"}}}}`,
			"risk":             system.ReadingTool("x", `, "risk": "none"`),
			"webFetch":         system.ReadingTool("x", `, "group": "web_fetch"`),
			"scopes":           system.ReadingTool("x", `, "scopes": {"hosts": [""]}`),
			"permission":       system.ReadingTool("x", `, "required_permissions": ["root"]`),
			"timeout_seconds":  `{"name": "x", "description": "d", "timeout_seconds": 7200}`,
			"dots and":         system.ReadingTool("a.b", "") + "," + system.ReadingTool("a_b", ""),
			"tools[1] (other)": system.ReadingTool("x", "") + "," + system.ReadingTool("other", `, "pool": "a b"`),
		} {
			r := p.TryRegister(d, system.LongTTL, defs)
			system.WantProblem(t, says, r, 400, "bad_request")
			if !strings.Contains(string(r.Body), says) {
				t.Errorf("remote.register = %s, want it to say %q", r.Body, says)
			}
		}
		for _, ttl := range []int{-1, 0, 999, 300001} {
			system.WantProblem(t, fmt.Sprint("ttl ", ttl), p.TryRegister(d, ttl, system.ReadingTool("x", "")), 400, "bad_request")
		}
		system.WantProblem(t, "large",
			p.TryRegister(d, system.LongTTL, system.ReadingTool("x", fmt.Sprintf(`, "tags": [%q]`, strings.Repeat("x", 1<<16)))), 413, "too_large")
		system.WantProblem(t, "instance", (&system.RemoteProcess{
			T:      t,
			Conn:   p.Conn,
			Tenant: tenant,
			ID:     "a.b",
		}).TryRegister(d, system.LongTTL, system.ReadingTool("x", "")), 400, "bad_request")
		system.WantProblem(t, "unregister", d.Ask(t, tenant, "remote.unregister", nil, `{"instance": ""}`), 400, "bad_request")
		for _, name := range system.ToolNames(t, d, tenant, nil) {
			if name == "x" || name == "other" {
				t.Errorf("%s is listed although it was refused", name)
			}
		}
	})
}

// TestRemoteConflict: a name belongs to the process that registered it.
func TestRemoteConflict(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	first, second := shared.RemoteProcess(t, tenant, "p1"), shared.RemoteProcess(t, tenant, "p2")
	first.Register(d, system.LongTTL, system.ReadingTool("mine.one", ""))
	for _, name := range []string{"read_file", "files.read_text", "files_read_text"} {
		system.WantProblem(t, name, second.TryRegister(d, system.LongTTL, system.ReadingTool(name, "")), 409, "conflict")
	}
	for _, other := range []string{system.ReadingTool("mine.one", `, "risk": "medium"`), system.ReadingTool("mine_one", "")} {
		for at := range 2 { // also at a dispatcher that has not received the first
			r := second.TryRegister(shared.HTTP(at), system.LongTTL, other)
			system.WantProblem(t, other, r, 409, "conflict")
			if !strings.Contains(string(r.Body), "p1") {
				t.Errorf("%s does not say who has the name", r.Body)
			}
		}
	}
	if r := shared.HTTP(1).Ask(t, system.NewTenant(), "remote.register", nil,
		`{"instance": "p2", "ttl_ms": 300000, "tools": [`+system.ReadingTool("mine_one", "")+`]}`); r.Status != 200 {
		t.Errorf("another tenant was answered %d %s, want 200", r.Status, r.Body)
	}
	// The same definition, in another notation, is the same.
	second.Register(d, system.LongTTL, `{"timeout_seconds": 6e1, "mutates": false, "description": "Looks something up.", "name": "mine.one",
		"args_schema": {"properties": {"n": {"default": 7, "type": "number"}}, "type": "object"}}`)
	// The only owner of a name may change its definition, and release it.
	d.Ask(t, tenant, "remote.unregister", nil, `{"instance": "p2"}`)
	first.Register(shared.HTTP(1), system.LongTTL, system.ReadingTool("mine.one", `, "risk": "high"`))
	first.Register(d, system.LongTTL, system.ReadingTool("another", ""))
	second.Register(d, system.LongTTL, system.ReadingTool("mine_one", ""))
	second.Always("mine_one", `{"status": "success", "result": 2}`)
	system.WantResult(t, system.UseTool(t, d, tenant, "mine_one", `{}`), "2")
	if e := system.Execute(t, d, tenant,
		system.AsUser(30000, system.CustomTool{Name: "another", Code: "return 1"}.CreateCall(t))).Results[0]; e.ErrorType != "validation_error" {
		t.Errorf("create_tool of a name that a process has = %v, want it refused", e)
	}
}
