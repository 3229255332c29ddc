package people

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/e2e/system/mcpclient"
	"github.com/helve-dev/helve/internal/test/testtime"
)

// keyedDoor is the NATS door of a caller with an API key.
type keyedDoor struct {
	nc  *nats.Conn
	key string
}

func (d keyedDoor) Ask(t testing.TB, tenant, operation string, params map[string]string, body string) system.Reply {
	t.Helper()
	if len(params) > 0 {
		body = system.WithFields(t, body, params)
	}
	m := &nats.Msg{
		Subject: "helve.v1." + tenant + ".api." + operation,
		Data:    []byte(body),
		Header:  nats.Header{"Authorization": {"Bearer " + d.key}},
	}
	msg, err := d.nc.RequestMsg(m, testtime.Patience())
	if err != nil {
		t.Fatalf("%s: %v", operation, err)
	}
	r := system.Reply{Status: 200, Header: http.Header(msg.Header), Body: msg.Data}
	if code := msg.Header.Get("Nats-Service-Error-Code"); code != "" {
		_, _ = fmt.Sscan(code, &r.Status)
	}
	return r
}

// foreigners is a system with the keys of two persons, an agent of ann, an admin and an
// auditor.
type foreigners struct {
	*system.System
	ann, bob, bobsNATS, annsAgent, admin, auditor system.Door
	web                                           map[string]system.HTTPDoor
}

func newForeigners(t *testing.T) *foreigners {
	t.Helper()
	file, keys := system.KeysFile(t,
		identity.Entry{User: "ann", Roles: []string{"user", "agent"}}, identity.Entry{User: "bob", Roles: []string{"user", "agent"}},
		identity.Entry{User: "ann", Agent: "other", Roles: []string{"agent"}},
		identity.Entry{User: "root", Roles: []string{"admin"}}, identity.Entry{User: "eve", Roles: []string{"auditor"}})
	f := &foreigners{
		System: system.Launch(t, system.Plan{Dispatchers: 2, Config: func(c *config.Config) { c.Auth.KeysFile = file }}),
		web:    map[string]system.HTTPDoor{},
	}
	for i, name := range []string{"ann", "bob", "agent", "admin", "auditor"} {
		f.web[name] = system.HTTPDoor{Client: mcpclient.Web(t, f.System, map[string]string{"Authorization": "Bearer " + keys[i]}), URL: f.URLs[0]}
	}
	f.ann, f.bob, f.annsAgent, f.admin, f.auditor = f.web["ann"], f.web["bob"], f.web["agent"], f.web["admin"], f.web["auditor"]
	f.bobsNATS = keyedDoor{f.Conn, keys[1]}
	return f
}

// TestForeignCalls uses every operation on another person's calls, in each state that a
// call can have.
func TestForeignCalls(t *testing.T) {
	t.Parallel()
	f, trace := newForeigners(t), system.NewTrace()
	large := strings.Repeat("x", 2<<20)
	calls := map[string]string{
		"done":    `{"call_id": "done", "tool": "debug.echo", "arguments": {"value": "secret"}}`,
		"failed":  `{"call_id": "failed", "tool": "debug.fail", "arguments": {"how": "error"}}`,
		"large":   `{"call_id": "large", "tool": "debug.blob", "arguments": {"bytes": 2097152}}`,
		"running": `{"call_id": "running", "tool": "debug.sleep", "arguments": {"ms": 600000}}`,
		"parked":  `{"call_id": "parked", "tool": "debug.guarded", "arguments": {"key": "k"}}`,
	}
	var consent string
	for id, call := range calls {
		wait := 30000
		if id == "running" {
			wait = 0
		}
		r := system.Execute(t, f.ann, "default", fmt.Sprintf(`{"trace_id": %q, "wait_ms": %d, "calls": [%s]}`, trace, wait, call)).Results[0]
		if id == "parked" {
			consent = r.ConsentID
		}
	}
	made := system.Execute(t, f.ann, "default", `{"calls": [{"tool": "debug.echo", "arguments": {"value": "secret"}}]}`).Results[0].CallID
	ids := []string{made}
	for id := range calls {
		ids = append(ids, id)
	}

	for name, d := range map[string]system.Door{"http": f.bob, "nats": f.bobsNATS, "another agent": f.annsAgent} {
		for _, operation := range []string{"calls.get", "calls.cancel"} {
			unknown := d.Ask(t, "default", operation, map[string]string{"call_id": "nobodys"}, "{}")
			for _, id := range ids {
				got := d.Ask(t, "default", operation, map[string]string{"call_id": id}, "{}")
				if got.Status != 404 || string(got.Body) != string(unknown.Body) {
					t.Errorf("%s: %s of the call %s = %d %s, want what an unknown one gives: %s", name, operation, id, got.Status, got.Body, unknown.Body)
				}
			}
		}
		if d == f.annsAgent { // it may not use the tools
			continue
		}
		for id, call := range calls {
			r := system.Execute(t, d, "default", `{"wait_ms": 0, "calls": [`+call+`]}`).Results[0]
			if r.ErrorType != "validation_error" || !strings.Contains(r.Message, "already used") || r.State == "running" {
				t.Errorf("%s: the call %s sent again = %+v, want a validation error", name, id, r)
			}
		}
		r := system.Execute(t, d, "default",
			`{"calls": [{"call_id": "`+made+`", "tool": "debug.echo", "arguments": {"value": "secret"}}]}`).Results[0]
		if r.ErrorType != "validation_error" {
			t.Errorf("%s: a call whose id was made here sent again = %+v, want a validation error", name, r)
		}
	}
	bob := f.web["bob"]
	none := bob.Send(t, "GET", "/v1/calls/nobodys/result", "", nil)
	for _, id := range ids {
		if got := bob.Send(t, "GET", "/v1/calls/"+id+"/result", "", nil); got.Status != 404 || string(got.Body) != string(none.Body) {
			t.Errorf("the result of %s = %d %.200s, want what an unknown one gives: %s", id, got.Status, got.Body, none.Body)
		}
	}
	for name, d := range map[string]system.Door{"http": f.bob, "nats": f.bobsNATS} {
		for operation, body := range map[string]string{"consent.get": "{}", "consent.decide": `{"decision": "grant"}`} {
			unknown := d.Ask(t, "default", operation, map[string]string{"consent_id": "c-none"}, body)
			if got := d.Ask(t, "default", operation, map[string]string{"consent_id": consent}, body); got.Status != 404 ||
				string(got.Body) != string(unknown.Body) {
				t.Errorf("%s: %s = %d %s, want what an unknown one gives: %s", name, operation, got.Status, got.Body, unknown.Body)
			}
		}
		if got := d.Ask(t, "default", "consent.list", nil, "{}"); got.Status != 200 || strings.Contains(string(got.Body), consent) {
			t.Errorf("%s: consent.list = %d %s, want none of ann's", name, got.Status, got.Body)
		}
		if got := d.Ask(t, "default", "execute", nil,
			`{"context": {"user": "ann"}, "calls": [{"tool": "debug.echo", "arguments": {"value": 1}}]}`); got.Status != 403 {
			t.Errorf("%s: a call in ann's name = %d %s, want 403", name, got.Status, got.Body)
		}
	}
	if got := f.NATS().Ask(t, "default", "calls.get", map[string]string{"call_id": "done", "user": "ann"},
		`{"context": {"user": "ann"}}`); got.Status != 401 {
		t.Errorf("calls.get over NATS without a credential = %d %s, want 401", got.Status, got.Body)
	}

	// The calls are unaffected, and their owner sees them.
	for id, state := range map[string]string{
		"done": "done", "failed": "done", "large": "done", "running": "running", "parked": "awaiting_consent",
	} {
		system.Eventually(t, id+" is "+state, func() bool {
			r := f.ann.Ask(t, "default", "calls.get", map[string]string{"call_id": id}, "{}")
			return r.Status == 200 && system.Decode[system.Element](t, r).State == state
		})
	}
	if r := f.web["ann"].Send(t, "GET", "/v1/calls/large/result", "", nil); r.Status != 200 ||
		string(r.Body) != `"`+large+`"` && len(r.Body) < len(large) {
		t.Errorf("ann's own result = %d, %d bytes", r.Status, len(r.Body))
	}
	f.overseen(t)
}

// overseen checks the rights of an auditor and an admin, and that their use is recorded.
func (f *foreigners) overseen(t *testing.T) {
	t.Helper()
	if r := f.auditor.Ask(t, "default", "calls.get", map[string]string{"call_id": "done"}, "{}"); r.Status != 200 ||
		!strings.Contains(string(r.Body), "secret") {
		t.Errorf("calls.get of an auditor = %d %s", r.Status, r.Body)
	}
	if r := f.auditor.Ask(t, "default", "calls.cancel", map[string]string{"call_id": "running"}, "{}"); r.Status != 403 {
		t.Errorf("calls.cancel of an auditor = %d %s, want 403", r.Status, r.Body)
	}
	if r := f.admin.Ask(t, "default", "calls.cancel", map[string]string{"call_id": "running"}, "{}"); r.Status != 200 {
		t.Errorf("calls.cancel of an admin = %d %s", r.Status, r.Body)
	}
	views := func() string {
		var all []string
		r := f.admin.Ask(t, "default", "audit.query", map[string]string{"phase": "call_viewed"}, "")
		for _, v := range system.Decode[struct {
			Records []struct {
				system.Record
				Detail string `json:"detail"`
			} `json:"records"`
		}](t, r).Records {
			all = append(all, v.By+" "+v.Detail+" "+v.CallID+" of "+v.User)
		}
		return strings.Join(all, ", ")
	}
	const want = "eve calls.get done of ann, root calls.cancel running of ann"
	system.Eventually(t, "the views are on record: "+want, func() bool { return views() == want })
}

// TestForeignEvents: a stream has only the events of the caller's calls, even if two
// persons use one trace.
func TestForeignEvents(t *testing.T) {
	t.Parallel()
	f, trace := newForeigners(t), system.NewTrace()
	body := `{"trace_id": %q, "calls": [{"call_id": %q, "tool": "debug.echo", "arguments": {"value": 1}}]}`
	live := f.web["bob"].Follow(t, "default", trace, "")
	system.Execute(t, f.ann, "default", fmt.Sprintf(body, trace, "anns"))
	system.Execute(t, f.bob, "default", fmt.Sprintf(body, trace, "bobs"))
	late := f.web["bob"].Follow(t, "default", trace, "")
	for name, s := range map[string]*system.EventStream{"live": live, "late": late} {
		for _, e := range s.Until("done") {
			if e.CallID != "bobs" {
				t.Errorf("%s: bob receives %+v", name, e)
			}
		}
	}
	heard := map[string]bool{}
	audit := f.web["auditor"].Follow(t, "default", trace, "")
	for !heard["anns"] || !heard["bobs"] {
		heard[audit.Next().CallID] = true
	}
	system.Eventually(t, "the auditor's look is on record", func() bool {
		r := f.admin.Ask(t, "default", "audit.query", map[string]string{"phase": "call_viewed", "trace_id": trace}, "")
		return len(system.Decode[struct {
			Records []json.RawMessage `json:"records"`
		}](t, r).Records) == 2
	})
}

// TestForeignTasks: another person's task looks as if it did not exist.
func TestForeignTasks(t *testing.T) {
	t.Parallel()
	f := newForeigners(t)
	client := func(who string) mcpclient.TaskClient {
		return mcpclient.TaskClient{T: t, Tenant: "default", Send: func(method, name, params string) mcpclient.Posted {
			head := map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name}
			return mcpclient.Post(t, f.web[who].Client, head, `{"jsonrpc":"2.0","id":1,"method":"`+method+
				`","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}},"elicitation":{"form":{}}}},`+params+`}}`)
		}}
	}
	ann, bob := client("ann"), client("bob")
	id := ann.Ask("tools/call", "debug.sleep", `"name":"debug.sleep","arguments":{"ms":600000}`).Result.TaskID
	if id == "" {
		t.Fatal("ann's call is no task")
	}
	unknown := system.Execute(t, f.ann, "default", `{"calls": [{"tool": "debug.echo", "arguments": {"value": 1}}]}`).Results[0].CallID
	unknown = unknown[:len(unknown)-1] + "x"
	for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
		got, want := bob.Send(method, id, `"taskId":"`+id+`"`), bob.Send(method, unknown, `"taskId":"`+unknown+`"`)
		if got.Status != want.Status || strings.ReplaceAll(got.Body, id, "ID") != strings.ReplaceAll(want.Body, unknown, "ID") ||
			!strings.Contains(got.Body, "no task") {
			t.Errorf("%s = %d %s, want what an unknown task gives: %d %s", method, got.Status, got.Body, want.Status, want.Body)
		}
	}
	if state := ann.Ask("tasks/get", id, `"taskId":"`+id+`"`); state.Result.Status != "working" {
		t.Errorf("ann's task is %+v, want it to work on", state)
	}
	ann.Ask("tasks/cancel", id, `"taskId":"`+id+`"`)
	ann.Becomes(id, "cancelled")
}
