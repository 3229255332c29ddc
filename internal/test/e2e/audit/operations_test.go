package audit

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestEveryOperationIsAsDescribed uses every operation over HTTP; the door compares each
// answer with /openapi.json.
func TestEveryOperationIsAsDescribed(t *testing.T) {
	t.Parallel()
	d, tenant, trace := shared.HTTP(0), system.NewTenant(), system.NewTrace()
	// Covered by TestEventIsAsDescribed, and TestUpstream, which has an MCP server.
	asked := map[string]bool{"events": true, "upstream.list": true, "upstream.accept": true}
	ask := func(operation string, params map[string]string, body string) system.Reply {
		t.Helper()
		asked[operation] = true
		if body != "" {
			if err := describedBody(t, system.Routes[operation], body); err != nil {
				t.Errorf("%s takes %s, which is not what is described: %v", operation, body, err)
			}
		}
		r := d.Ask(t, tenant, operation, params, body)
		if r.Status != 200 {
			t.Errorf("%s = %d %.300s, want 200", operation, r.Status, r.Body)
		}
		return r
	}
	by := func(name, value string) map[string]string { return map[string]string{name: value} }

	ask("execute", nil,
		`{"trace_id": "`+trace+`", "context": {"user": "u1", "conversation": "c1"}, "consent": "return", "wait_ms": 30000, "calls": [
		{"call_id": "c1", "tool_call_id": "call_1", "tool": "debug.echo", "arguments": {"value": 12345678901234567890.10}, "timeout_ms": 5000},
		{"tool": "calculate", "arguments": "{\"expression\":\"6*7\"}"}, {"tool": "nope"}, {"call_id": "c2", "tool": "debug.guarded", "arguments": {"key": "k"}}]}`)
	ask("execute", nil, `{"format": "openai", "call_id_prefix": "m", "message": {"role": "assistant", "content": null,
		"tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "debug_echo", "arguments": "{}"}}]}}`)
	for _, format := range []string{"native", "openai", "openai_responses", "anthropic", "gemini", "mcp"} {
		ask("tools.list", map[string]string{"format": format, "group": "core"}, "")
	}
	ask("tools.list", nil, "")
	ask("tools.get", by("name", "delete_file"), "")
	ask("groups.list", nil, "")
	ask("me", nil, "")
	ask("workers.list", nil, "")
	operate(t, asked)
	ask("calls.get", by("call_id", "c1"), "")
	ask("calls.get", by("call_id", "c2"), "")
	ask("calls.cancel", by("call_id", "c1"), "")
	ask("execute", nil, `{"context": {"user": "u1"}, "wait_ms": 30000, "calls": [{"call_id": "p1", "tool": "run_program", "arguments": {"input": {"a": 1},
		"code": "program.log(1); await program.sleep(1); await tools.debug.echo({value: 1}); await tools['no' + 'pe']({})"}}]}`)
	ask("programs.get", by("call_id", "p1"), "")
	ask("programs.retry", by("call_id", "p1"), "")
	ask("programs.list", map[string]string{"status": "error", "user": "u1", "limit": "1"}, "")
	ask("programs.list", by("trace_id", trace), "")

	list := system.Decode[struct {
		Consents []struct {
			ID string `json:"consent_id"`
		} `json:"consents"`
	}](t, ask("consent.list", map[string]string{"status": "pending", "user": "u1", "limit": "1"}, ""))
	id := list.Consents[0].ID
	ask("consent.get", by("consent_id", id), "")
	ask("consent.decide", by("consent_id", id), `{"decision": "grant", "remember": "always", "comment": "ok", "by": "u1"}`)
	system.Settled(t, d, tenant, "c2")
	ask("tokens.mint", nil, `{"user": "u1", "trace_id": "`+trace+
		`", "tools": ["debug.guarded"], "scopes": {"paths": ["workspace"], "hosts": [], "apps": []}, "ttl_seconds": 60, "reusable": true}`)
	grants := system.Decode[struct {
		Grants []struct {
			ID string `json:"grant_id"`
		} `json:"grants"`
	}](t, ask("grants.list", by("user", "u1"), ""))
	if len(grants.Grants) == 0 {
		t.Fatal("a lasting yes left no grant")
	}
	ask("grants.revoke", map[string]string{"grant_id": grants.Grants[0].ID, "by": "u1"}, "")

	device := `{"endpoint": "https://push.example/1", "user": "u1", "keys": {"auth": "BTBZMqHH6r4Tts7J_aSIgg", ` +
		`"p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"}}`
	ask("push.key", nil, "")
	ask("push.subscribe", nil, device)
	ask("push.list", by("user", "u1"), "")
	ask("push.unsubscribe", map[string]string{"endpoint": "https://push.example/1", "user": "u1"}, "")
	ask("system.counts", nil, "")

	ask("agents.put", by("agent", "a1"), `{"tools": ["read_*"]}`)
	ask("agents.get", by("agent", "a1"), "")
	ask("agents.list", nil, "")
	ask("agents.delete", by("agent", "a1"), "")
	ask("audit.query", map[string]string{"limit": "1000"}, "")
	ask("audit.query", map[string]string{"text": "described", "newest": "true", "limit": "1"}, "")
	ask("audit.verify", nil, "")
	ask("audit.verify", map[string]string{"from_seq": "1", "to_seq": "1"}, "")
	ask("audit.rebuild", nil, "")
	ask("audit.export", nil, "")
	ask("audit.public_key", nil, "")
	ask("remote.register", nil, `{"instance": "i1", "ttl_ms": 60000, "tools": [{"name": "described_tool", "description": "Is there.", "parameters": {"type": "object"}, "mutates": false}]}`)
	ask("remote.list", nil, "")
	ask("remote.unregister", nil, `{"instance": "i1"}`)

	system.CreateTool(t, shared, tenant, system.CustomTool{Name: "described", Code: "return 1"})
	ask("custom.list", by("owner", "u1"), "")
	ask("custom.get", by("name", "described"), "")
	ask("custom.get", map[string]string{"name": "described", "version": "1"}, "")
	ask("custom.versions", by("name", "described"), "")
	ask("custom.share", by("name", "described"), `{"owner": "u1", "version": 1}`)
	ask("custom.get", map[string]string{"name": "described", "owner": "somebody"}, "")
	ask("custom.toggle", by("name", "described"), `{"owner": "u1", "enabled": false}`)
	ask("custom.unshare", by("name", "described"), "")
	ask("custom.delete", map[string]string{"name": "described", "owner": "u1"}, "")

	ask("services.list", nil, "")
	ask("services.set", map[string]string{"service": "exchange_rates", "label": "default"},
		`{"fields": {"base_url": "http://127.0.0.1:1"}, "user": "u1"}`)
	ask("services.get", map[string]string{"service": "exchange_rates", "user": "u1"}, "")
	ask("services.test", map[string]string{"service": "exchange_rates", "label": "default", "user": "u1"}, "")
	ask("services.delete", map[string]string{"service": "exchange_rates", "label": "default", "user": "u1"}, "")
	ask("services.set", map[string]string{"service": "github", "label": "default"}, `{"fields": {"client_id": "helve", "client_secret": "x"}}`)
	connection := system.Decode[struct {
		ID string `json:"connection_id"`
	}](t, ask("services.connect", map[string]string{"service": "github", "label": "default", "user": "u1", "browser": "true"}, ""))
	ask("services.connection", map[string]string{"service": "github", "label": "default", "user": "u1", "connection_id": connection.ID}, "")
	d.Ask(t, "default", "services.rotate", nil, "")
	asked["services.rotate"] = true

	ask("data.import", nil, `{"user": "u1", "format": "jsonl", "data": "{\"collection\": \"scheduled_tasks\", \"id\": \"described\", \"doc\": {\"name\": \"x\", \"schedule\": \"@daily\", \"timezone\": \"UTC\", \"type\": \"tool\", \"toolName\": \"debug.echo\", \"history\": [{\"callId\": \"s-described-1\", \"status\": \"success\", \"due\": \"2026-11-23T09:00:00Z\", \"startedAt\": \"2026-11-23T09:00:00Z\"}]}}"}`)
	ask("data.summary", by("user", "u1"), "")
	ask("data.export", map[string]string{"user": "u1", "format": "jsonl"}, "")
	ask("schedules.list", map[string]string{"user": "u1", "limit": "10"}, "")
	ask("schedules.get", by("id", "described"), "")
	ask("schedules.delete", map[string]string{"id": "described", "user": "u1"}, "")
	transfer(t, asked)
	ask("files.list", map[string]string{"user": "u1", "limit": "10"}, "")
	ask("data.delete", by("user", "u1"), "")

	for _, op := range api.Operations() {
		if !asked[op.Name] {
			t.Errorf("%s was not asked for", op.Name)
		}
	}
}

// TestDescribedFailures: problems are described, too.
func TestDescribedFailures(t *testing.T) {
	t.Parallel()
	d, tenant := shared.HTTP(0), system.NewTenant()
	for _, tt := range []struct {
		operation string
		params    map[string]string
		body      string
		status    int
	}{
		{"execute", nil, `{}`, 400},
		{"calls.get", map[string]string{"call_id": "nobody"}, "", 404},
		{"consent.decide", map[string]string{"consent_id": "nobody"}, `{"decision": "grant"}`, 404},
		{"agents.put", map[string]string{"agent": "a1"}, `{"tools": ["a b"]}`, 400},
		{"execute", nil, strings.Repeat(" ", 9<<20), 413},
	} {
		if r := d.Ask(t, tenant, tt.operation, tt.params, tt.body); r.Status != tt.status {
			t.Errorf("%s = %d %.200s, want %d", tt.operation, r.Status, r.Body, tt.status)
		}
	}
	r := d.Send(t, "POST", "/v1/execute", "x", map[string][]string{"Content-Encoding": {"br"}})
	if r.Status != 415 {
		t.Errorf("an unknown coding = %d %s, want 415", r.Status, r.Body)
	}
	system.WantDescribed(t, system.Routes["execute"], r)
}

// TestExamplesWork: the examples of requests are accepted, and without one of their fields
// they are accepted if and only if the schema allows that.
func TestExamplesWork(t *testing.T) {
	t.Parallel()
	tenant, d, tried := system.NewTenant(), shared.HTTP(0), 0
	parked := system.Park(t, d, tenant, `{"call_id": "c1", "tool": "debug.guarded", "arguments": {"key": "k"}}`)
	eachExample(t, func(operation, name string, example map[string]any) {
		tried++
		for _, without := range append(slices.Sorted(maps.Keys(example)), "") {
			if (operation == "data.import" || operation == "push.subscribe") && without == "user" {
				continue // without authentication a request must name the person
			}
			if strings.HasPrefix(operation, "custom.") || operation == "dead.requeue" {
				continue // custom_owner_test.go has tools to share and to switch, operate_test.go a dead letter
			}
			if operation == "tokens.mint" && without == "user" {
				continue // the credential may name one, but none is configured here
			}
			if operation == "tokens.mint" && without == "trace_id" {
				continue // a token for a program has the trace of that
			}
			less := maps.Clone(example)
			delete(less, without)
			body, err := json.Marshal(less)
			if err != nil {
				t.Fatal(err)
			}
			want := describedBody(t, system.Routes[operation], string(body)) == nil
			got := d.Ask(t, tenant, operation, map[string]string{"agent": "a1", "consent_id": parked.ConsentID, "service": name, "label": "default"},
				string(body))
			decided := operation == "consent.decide" && got.Status == 409 // by the one before
			if taken := got.Status == 200 || decided; taken != want {
				t.Errorf("the example %s of %s without %q = %d %s, want it taken: %v", name, operation, without, got.Status, got.Body, want)
			}
		}
	})
	if tried < 7 {
		t.Errorf("%d examples were tried, want all of them", tried)
	}
}

// eachExample calls do with every example of a request.
func eachExample(t *testing.T, do func(operation, name string, example map[string]any)) {
	t.Helper()
	about, err := system.Description()
	if err != nil {
		t.Fatal(err)
	}
	for _, operation := range slices.Sorted(maps.Keys(system.Routes)) {
		r := system.Routes[operation]
		media := about.Find("/paths/" + system.EscapePointer(r.Path) + "/" + strings.ToLower(r.Method) + "/requestBody/content/application~1json")
		examples, _ := media["examples"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(examples)) {
			example, _ := examples[name].(map[string]any)
			body, _ := example["value"].(map[string]any)
			do(operation, name, body)
		}
	}
}

// TestEventIsAsDescribed: events match the document.
func TestEventIsAsDescribed(t *testing.T) {
	t.Parallel()
	about, err := system.Description()
	if err != nil {
		t.Fatal(err)
	}
	schema, err := about.Response(system.Route{Method: "GET", Path: "/v1/events"}, 200, "text/event-stream")
	if err != nil {
		t.Fatal(err)
	}
	tenant := system.NewTenant()
	events := shared.Listen(t, tenant)
	system.One(t, shared.HTTP(0), tenant, `{"call_id": "c1", "tool": "contract_steps", "arguments": {"n": 1}}`)
	events.Raw = func(data []byte) {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err == nil {
			err = schema.Validate(value)
		}
		if err != nil {
			t.Errorf("the event %s is not what is described: %v", data, err)
		}
	}
	events.Until("done", "c1")
}

// describedBody returns the difference of a body from the document.
func describedBody(t *testing.T, r system.Route, body string) error {
	t.Helper()
	about, err := system.Description()
	if err != nil {
		t.Fatal(err)
	}
	schema, err := about.RequestBody(r)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// transfer requests the operations on files, whose bodies are not JSON, and checks that the
// statuses of the answers are described.
func transfer(t *testing.T, asked map[string]bool) {
	t.Helper()
	doc, err := system.Description()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		operation, header, value string
		status                   int
	}{
		{"files.put", "If-None-Match", "*", 201}, {"files.put", "If-Match", "*", 204}, {"files.put", "If-None-Match", "*", 412},
		{"files.get", "Accept", "*/*", 200}, {"files.get", "Range", "bytes=0-1", 206}, {"files.get", "If-None-Match", "*", 304},
		{"files.get", "Range", "bytes=99-", 416},
		{"files.delete", "Accept", "*/*", 204}, {"files.delete", "Accept", "*/*", 404},
	} {
		asked[tt.operation] = true
		r := system.Routes[tt.operation]
		got := shared.HTTP(0).Send(t, r.Method, "/v1/files/described.txt", "contents", http.Header{tt.header: {tt.value}})
		at := "/paths/" + system.EscapePointer(r.Path) + "/" + strings.ToLower(r.Method) + "/responses/" + strconv.Itoa(tt.status)
		if got.Status != tt.status || doc.Find(at) == nil {
			t.Errorf("%s with %s: %d %.200s, want %d, and its description", tt.operation, tt.header, got.Status, got.Body, tt.status)
		}
	}
}
