package natsapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

const trace = "0123456789abcdef0123456789abcdef"

type calls struct {
	api.Calls

	got dispatch.Request
}

func (c *calls) Execute(_ context.Context, req dispatch.Request) (dispatch.Response, error) {
	c.got = req
	return dispatch.Response{TraceID: trace, Results: []json.RawMessage{[]byte(`{"n":1.0}`)}, RetryAfter: 1}, nil
}

func (c *calls) Get(_ context.Context, tenant, callID string) (json.RawMessage, error) {
	return json.RawMessage(`"` + tenant + "/" + callID + `"`), nil
}

type agents struct{ api.AgentStore }

func (agents) Get(context.Context, string, string) (protocol.Agent, bool, error) {
	return protocol.Agent{}, false, nil
}

func (agents) Put(context.Context, string, protocol.Agent) error { return nil }

func ask(t *testing.T, c *calls, operation, tenant, body string) ([]byte, error) {
	t.Helper()
	return asking(t, c, operation, Asker{Tenant: tenant}, body)
}

func askAs(t *testing.T, c *calls, from Asker, body string) ([]byte, error) {
	t.Helper()
	return asking(t, c, api.Execute, from, body)
}

func asking(t *testing.T, c *calls, operation string, from Asker, body string) ([]byte, error) {
	t.Helper()
	cat := catalog.New()
	if err := cat.Put(tool.Definition{Name: "read_file", Group: "filesystem", Parameters: json.RawMessage(`{}`), Enabled: true}); err != nil {
		t.Fatal(err)
	}
	handle := Handlers(api.New(api.Parts{
		Calls: c, Catalog: catalog.NewTenants(cat), Agents: agents{}, Limits: api.Limits{Body: 300}, Log: zap.NewNop(),
	}), Options{})[operation]
	if handle == nil {
		t.Fatalf("no handler for %q", operation)
	}
	return handle(context.Background(), from, []byte(body), func(key string) string {
		return map[string]string{"traceparent": "00-" + trace + "-00f067aa0ba902b7-01"}[key]
	})
}

func TestEveryOperationHasAHandler(t *testing.T) {
	handlers := Handlers(api.New(api.Parts{Log: zap.NewNop()}), Options{})
	for _, op := range api.Operations() {
		if handlers[op.Name] == nil {
			t.Errorf("no handler for %s", op.Name)
		}
	}
	if len(handlers) != len(api.Operations()) {
		t.Errorf("%d handlers for %d operations", len(handlers), len(api.Operations()))
	}
}

func TestHandlers(t *testing.T) {
	for _, tt := range []struct{ operation, body, want string }{
		{"execute", `{"calls":[{"tool":"a"}]}`, `{"trace_id":"` + trace + `","results":[{"n":1.0}]}`},
		{"tools.list", ``, `{"tools":[{"name":"read_file"`},
		{"tools.list", `{"format":null,"group":"none","other":{"a":[1]}}`, `{"tools":[],"load_errors":[]}`},
		{"tools.get", `{"name":"read_file"}`, `{"name":"read_file"`},
		{"calls.get", `{"call_id":"c1"}`, `"t1/c1"`},
		{"agents.put", `{"agent":"a1","tools":["x"]}`, `{"agent":"a1","tools":["x"],"groups":[],"deny":[]}`},
		{"groups.list", `{"tool":"read_file"}`, `{"groups":[{"name":"filesystem"`},
	} {
		got, err := ask(t, &calls{}, tt.operation, "t1", tt.body)
		if err != nil || !strings.HasPrefix(string(got), tt.want) {
			t.Errorf("%s %s = %s, %v, want %s", tt.operation, tt.body, got, err, tt.want)
		}
	}
}

// trail is an api.Audit that answers with what it was asked.
type trail struct{ api.Audit }

func (trail) Query(_ context.Context, q audit.Query) (audit.Page, error) {
	return audit.Page{Next: fmt.Sprint(q.Tenant, " ", q.Limit, " ", q.From.Unix())}, nil
}

func (trail) PublicKey(context.Context) ([]byte, error) { return []byte("PEM"), nil }

// inbox is an api.Consents with one consent of ada that records the person who decided it.
type inbox struct{ api.Consents }

func (inbox) Get(_ context.Context, tenant, id string) (protocol.Consent, error) {
	return protocol.Consent{ID: id, Tenant: tenant, User: "ada", Agent: "notes"}, nil
}

func (inbox) Decide(_ context.Context, tenant, id string, _ consent.Decision, by identity.Principal) (protocol.Consent, error) {
	return protocol.Consent{ID: id, Verdict: &protocol.Verdict{By: by.Tenant + "/" + by.User + "/" + by.Agent + "/" + by.Name}}, nil
}

// TestGate shows that parameters may be numbers where they are, and that the
// caller is whom the body names.
func TestGate(t *testing.T) {
	gate := api.Gate{Consents: inbox{}, Audit: trail{}}
	handlers := Handlers(api.New(api.Parts{Gate: gate, Log: zap.NewNop()}), Options{})
	for _, tt := range []struct{ operation, body, want string }{
		{"audit.query", `{"limit":7,"from":1795000000}`, `"next":"t1 7 1795000000"`},
		{"audit.query", `{"limit":"7","from":"2026-11-20T00:00:00Z"}`, `"next":"t1 7 1795132800"`},
		{"audit.query", `{"limit":7.5}`, `bad_request: limit must be 1 to 1000, but it is "7.5"`},
		{"audit.query", `{"limit":[7]}`, `bad_request: limit must be a number`},
		{"audit.query", `{"tool":7}`, `bad_request: tool must be a string`},
		{"audit.public_key", ``, `{"pem":"PEM"}`},
		{"consent.decide", `{"consent_id":"c1","decision":"deny"}`, `"by":"t1///local"`},
		{"consent.decide", `{"consent_id":"c1","decision":"deny","context":{"user":"ada","agent":"other"}}`, `"by":"t1/ada/other/local"`},
		{
			"consent.decide", `{"consent_id":"c1","decision":"grant","context":{"user":"ada","agent":"notes"}}`,
			`forbidden: the agent that asked cannot approve`,
		},
		{"tokens.mint", `{}`, `unavailable: this dispatcher has no key`},
	} {
		got, err := handlers[tt.operation](t.Context(), Asker{Tenant: "t1"}, []byte(tt.body), func(string) string { return "" })
		if err != nil {
			got = []byte(err.Error())
		}
		if !strings.Contains(string(got), tt.want) {
			t.Errorf("%s %s = %s, want %s", tt.operation, tt.body, got, tt.want)
		}
	}
}

func TestExecuteContext(t *testing.T) {
	var c calls
	if _, err := ask(t, &c, "execute", "t1", `{"calls":[{"tool":"a"}]}`); err != nil {
		t.Fatal(err)
	}
	if c.got.Tenant != "t1" || c.got.TraceID != trace || c.got.Traceparent == "" {
		t.Errorf("the request is %+v", c.got)
	}
}

func TestFailures(t *testing.T) {
	for _, tt := range []struct {
		operation, tenant, body, kind string
		status                        int
		want                          string
	}{
		{"execute", "t1", ``, "bad_request", 400, "calls is missing"},
		{"execute", "t.1", `{"calls":[{"tool":"a"}]}`, "bad_request", 400, "the tenant must match"},
		{"execute", "t1", strings.Repeat(" ", 301), "too_large", 413, "larger than 300 bytes"},
		{"tools.get", "t1", strings.Repeat(" ", 301), "too_large", 413, "larger than 300 bytes"},
		{"tools.get", "t1", `{"name":"nope"}`, "not_found", 404, `no tool "nope"`},
		{"tools.get", "t1", `{"name":5}`, "bad_request", 400, "name must be a string"},
		{"tools.get", "t1", `[]`, "bad_request", 400, "one JSON object"},
		{"tools.get", "t1", `null`, "bad_request", 400, "one JSON object"},
		{"tools.get", "t1", `{"name":"a"} x`, "bad_request", 400, "one JSON object"},
		{"tools.get", "t1", "{\"name\":\"\xff\"}", "bad_request", 400, "one JSON object"},
		{"calls.cancel", "t1", ``, "bad_request", 400, "call_id must match"},
		{"agents.get", "t1", `{"agent":"a1"}`, "not_found", 404, "has no record"},
		{"events", "t1", `{"trace_id":"` + trace + `"}`, "bad_request", 400, "subscribe to event." + trace + ".>"},
		{"events", "t1", ``, "bad_request", 400, "trace_id must be"},
	} {
		_, err := ask(t, &calls{}, tt.operation, tt.tenant, tt.body)
		e, ok := errors.AsType[*api.RequestError](err)
		if !ok || e.Type != tt.kind || e.Status != tt.status || !strings.Contains(e.Msg, tt.want) {
			t.Errorf("%s %.50s = %v, want %s %d with %q", tt.operation, tt.body, err, tt.kind, tt.status, tt.want)
		}
	}
}

// TestAnswerTooLong: an answer that no message can hold is an error that names what to do.
func TestAnswerTooLong(t *testing.T) {
	t.Parallel()
	cat := catalog.New()
	for _, name := range []string{"read_file", "write_file"} {
		if err := cat.Put(tool.Definition{Name: name, Group: "filesystem", Parameters: json.RawMessage(`{}`), Enabled: true}); err != nil {
			t.Fatal(err)
		}
	}
	var statuses []int
	handlers := Handlers(api.New(api.Parts{
		Calls: &calls{}, Catalog: catalog.NewTenants(cat), Agents: agents{}, Limits: api.Limits{Body: 300}, Log: zap.NewNop(),
	}), Options{
		Longest: func() int64 { return 700 }, Answered: func(_ string, status int) { statuses = append(statuses, status) },
	})
	ask := func(operation, body string) ([]byte, error) {
		return handlers[operation](t.Context(), Asker{Tenant: "acme"}, []byte(body), func(string) string { return "" })
	}
	_, err := ask("tools.list", `{}`)
	failure, ok := errors.AsType[*api.RequestError](err)
	if !ok || failure.Status != 413 || failure.Type != "too_large" ||
		!strings.Contains(failure.Msg, "at most 700; request a page of it with limit, and the next one with cursor") {
		t.Errorf("tools.list: %v", err)
	}
	if body, err := ask("tools.list", `{"limit":1}`); err != nil || !strings.Contains(string(body), `"next":"read_file"`) {
		t.Errorf("a page: %s, %v", body, err)
	}
	if len(statuses) != 2 || statuses[0] != 413 || statuses[1] != 200 {
		t.Errorf("counted are %v", statuses)
	}
}
