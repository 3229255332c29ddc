package natsapi

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/api"
	"github.com/helve-dev/helve/internal/catalog"
	"github.com/helve-dev/helve/internal/dispatcher"
	"github.com/helve-dev/helve/tool"
)

const trace = "0123456789abcdef0123456789abcdef"

type calls struct {
	api.Calls

	got dispatcher.Request
}

func (c *calls) Execute(_ context.Context, req dispatcher.Request) (dispatcher.Response, error) {
	c.got = req
	return dispatcher.Response{TraceID: trace, Results: []json.RawMessage{[]byte(`{"n":1.0}`)}, RetryAfter: 1}, nil
}

func (c *calls) Get(_ context.Context, tenant, callID string) (json.RawMessage, error) {
	return json.RawMessage(`"` + tenant + "/" + callID + `"`), nil
}

type agents struct{ api.AgentStore }

func (agents) Get(context.Context, string, string) (catalog.Agent, bool, error) {
	return catalog.Agent{}, false, nil
}

func (agents) Put(context.Context, string, catalog.Agent) error { return nil }

func ask(t *testing.T, c *calls, operation, tenant, body string) ([]byte, error) {
	t.Helper()
	cat := catalog.New()
	if err := cat.Put(tool.Definition{Name: "read_file", Group: "filesystem", Parameters: json.RawMessage(`{}`), Enabled: true}); err != nil {
		t.Fatal(err)
	}
	handle := Handlers(api.New(c, cat, agents{}, api.Limits{Body: 300}, zap.NewNop()))[operation]
	if handle == nil {
		t.Fatalf("no handler for %q", operation)
	}
	return handle(context.Background(), tenant, []byte(body), func(key string) string {
		return map[string]string{"traceparent": "00-" + trace + "-00f067aa0ba902b7-01"}[key]
	})
}

func TestEveryOperationHasAHandler(t *testing.T) {
	handlers := Handlers(api.New(nil, nil, nil, api.Limits{}, zap.NewNop()))
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
		{"tools.list", `{"format":null,"group":"none","other":{"a":[1]}}`, `{"tools":[]}`},
		{"tools.get", `{"name":"read_file"}`, `{"name":"read_file"`},
		{"calls.get", `{"call_id":"c1"}`, `"t1/c1"`},
		{"agents.put", `{"agent":"a1","tools":["x"]}`, `{"agent":"a1","tools":["x"],"groups":[],"deny":[]}`},
		{"groups.list", ``, `{"groups":[{"name":"filesystem"`},
	} {
		got, err := ask(t, &calls{}, tt.operation, "t1", tt.body)
		if err != nil || !strings.HasPrefix(string(got), tt.want) {
			t.Errorf("%s %s = %s, %v, want %s", tt.operation, tt.body, got, err, tt.want)
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
		e, ok := errors.AsType[*dispatcher.RequestError](err)
		if !ok || e.Type != tt.kind || e.Status != tt.status || !strings.Contains(e.Msg, tt.want) {
			t.Errorf("%s %.50s = %v, want %s %d with %q", tt.operation, tt.body, err, tt.kind, tt.status, tt.want)
		}
	}
}
