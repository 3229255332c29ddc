package e2e

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/helve-dev/helve/internal/api"
)

// TestEveryOperationIsAsDescribed asks for every operation over HTTP; the door holds
// each answer against /openapi.json.
func TestEveryOperationIsAsDescribed(t *testing.T) {
	t.Parallel()
	d, tenant, trace := shared.http(0), newTenant(), newTrace()
	// TestEventIsAsDescribed, and TestUpstream, which has an MCP server.
	asked := map[string]bool{"events": true, "upstream.list": true, "upstream.accept": true}
	ask := func(operation string, params map[string]string, body string) reply {
		t.Helper()
		asked[operation] = true
		if body != "" {
			if err := describedBody(t, routes[operation], body); err != nil {
				t.Errorf("%s takes %s, which is not what is described: %v", operation, body, err)
			}
		}
		r := d.ask(t, tenant, operation, params, body)
		if r.status != 200 {
			t.Errorf("%s = %d %.300s, want 200", operation, r.status, r.body)
		}
		return r
	}
	by := func(name, value string) map[string]string { return map[string]string{name: value} }

	ask("execute", nil, `{"trace_id": "`+trace+`", "context": {"user": "u1", "conversation": "c1"}, "consent": "return", "wait_ms": 30000, "calls": [
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
	ask("calls.get", by("call_id", "c1"), "")
	ask("calls.get", by("call_id", "c2"), "")
	ask("calls.cancel", by("call_id", "c1"), "")

	list := decode[struct {
		Consents []struct {
			ID string `json:"consent_id"`
		} `json:"consents"`
	}](t, ask("consent.list", map[string]string{"status": "pending", "user": "u1", "limit": "1"}, ""))
	id := list.Consents[0].ID
	ask("consent.get", by("consent_id", id), "")
	ask("consent.decide", by("consent_id", id), `{"decision": "grant", "remember": "always", "comment": "ok", "by": "u1"}`)
	settled(t, d, tenant, "c2")
	ask("tokens.mint", nil, `{"user": "u1", "trace_id": "`+trace+`", "tools": ["debug.guarded"], "scopes": {"paths": ["workspace"], "hosts": [], "apps": []}, "ttl_seconds": 60, "reusable": true}`)
	grants := decode[struct {
		Grants []struct {
			ID string `json:"grant_id"`
		} `json:"grants"`
	}](t, ask("grants.list", by("user", "u1"), ""))
	if len(grants.Grants) == 0 {
		t.Fatal("a lasting yes left no grant")
	}
	ask("grants.revoke", map[string]string{"grant_id": grants.Grants[0].ID, "by": "u1"}, "")

	ask("agents.put", by("agent", "a1"), `{"tools": ["read_*"]}`)
	ask("agents.get", by("agent", "a1"), "")
	ask("agents.list", nil, "")
	ask("agents.delete", by("agent", "a1"), "")
	ask("audit.query", map[string]string{"limit": "1000"}, "")
	ask("audit.verify", nil, "")
	ask("audit.export", nil, "")
	ask("audit.public_key", nil, "")
	ask("remote.register", nil, `{"instance": "i1", "ttl_ms": 60000, "tools": [{"name": "described_tool", "description": "Is there.", "parameters": {"type": "object"}, "mutates": false}]}`)
	ask("remote.unregister", nil, `{"instance": "i1"}`)

	for _, op := range api.Operations() {
		if !asked[op.Name] {
			t.Errorf("%s was not asked for", op.Name)
		}
	}
}

// TestDescribedFailures: problems are described, too.
func TestDescribedFailures(t *testing.T) {
	t.Parallel()
	d, tenant := shared.http(0), newTenant()
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
		if r := d.ask(t, tenant, tt.operation, tt.params, tt.body); r.status != tt.status {
			t.Errorf("%s = %d %.200s, want %d", tt.operation, r.status, r.body, tt.status)
		}
	}
	r := d.send(t, "POST", "/v1/execute", "x", map[string][]string{"Content-Encoding": {"br"}})
	if r.status != 415 {
		t.Errorf("an unknown coding = %d %s, want 415", r.status, r.body)
	}
	wantDescribed(t, routes["execute"], r)
}

// TestExamplesWork: what the document shows as a request is taken as one, and so is
// what is left of it without a field, if and only if the schema allows that.
func TestExamplesWork(t *testing.T) {
	t.Parallel()
	tenant, d, tried := newTenant(), shared.http(0), 0
	parked := park(t, d, tenant, `{"call_id": "c1", "tool": "debug.guarded", "arguments": {"key": "k"}}`)
	eachExample(t, func(operation, name string, example map[string]any) {
		tried++
		for _, without := range append(slices.Sorted(maps.Keys(example)), "") {
			if operation == "tokens.mint" && without == "user" {
				continue // the credential may name one, and there is none here
			}
			less := maps.Clone(example)
			delete(less, without)
			body, err := json.Marshal(less)
			if err != nil {
				t.Fatal(err)
			}
			want := describedBody(t, routes[operation], string(body)) == nil
			got := d.ask(t, tenant, operation, map[string]string{"agent": "a1", "consent_id": parked.ConsentID}, string(body))
			decided := operation == "consent.decide" && got.status == 409 // by the one before
			if taken := got.status == 200 || decided; taken != want {
				t.Errorf("the example %s of %s without %q = %d %s, want it taken: %v", name, operation, without, got.status, got.body, want)
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
	about, err := description()
	if err != nil {
		t.Fatal(err)
	}
	for _, operation := range slices.Sorted(maps.Keys(routes)) {
		r := routes[operation]
		media := about.find("/paths/" + escaped(r.path) + "/" + strings.ToLower(r.method) + "/requestBody/content/application~1json")
		examples, _ := media["examples"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(examples)) {
			example, _ := examples[name].(map[string]any)
			body, _ := example["value"].(map[string]any)
			do(operation, name, body)
		}
	}
}

// TestEventIsAsDescribed: so are events.
func TestEventIsAsDescribed(t *testing.T) {
	t.Parallel()
	about, err := description()
	if err != nil {
		t.Fatal(err)
	}
	schema, err := about.of(route{"GET", "/v1/events"}, 200, "text/event-stream")
	if err != nil {
		t.Fatal(err)
	}
	tenant := newTenant()
	events := shared.listen(t, tenant)
	one(t, shared.http(0), tenant, `{"call_id": "c1", "tool": "contract_steps", "arguments": {"n": 1}}`)
	events.raw = func(data []byte) {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err == nil {
			err = schema.Validate(value)
		}
		if err != nil {
			t.Errorf("the event %s is not what is described: %v", data, err)
		}
	}
	events.until("done", "c1")
}

// describedBody is what is wrong with a body according to the document.
func describedBody(t *testing.T, r route, body string) error {
	t.Helper()
	about, err := description()
	if err != nil {
		t.Fatal(err)
	}
	schema, err := about.body(r)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}
