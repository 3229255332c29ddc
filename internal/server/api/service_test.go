package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// calls is a Calls whose Execute answers by a function; the other methods tell
// what they were asked.
type calls struct {
	Calls

	execute func(dispatch.Request) (dispatch.Response, error)
}

func (c calls) Execute(_ context.Context, req dispatch.Request) (dispatch.Response, error) {
	return c.execute(req)
}

func (c calls) Get(_ context.Context, tenant, callID string) (json.RawMessage, error) {
	if callID == "gone" {
		return nil, NotFound("no call %q", callID)
	}
	return json.RawMessage(`{"get":"` + tenant + "/" + callID + `"}`), nil
}

func (c calls) Cancel(_ context.Context, tenant, callID string) (json.RawMessage, error) {
	return json.RawMessage(`{"cancel":"` + tenant + "/" + callID + `"}`), nil
}

// agents is an AgentStore in memory.
type agents struct{ catalog.Agents }

func (a *agents) List(_ context.Context, tenant string) ([]protocol.Agent, error) {
	return a.Agents.List(tenant), nil
}

func (a *agents) Get(_ context.Context, tenant, name string) (protocol.Agent, bool, error) {
	if name == "broken" {
		return protocol.Agent{}, false, io.ErrUnexpectedEOF
	}
	rules := a.Rules(tenant, name)
	if rules == nil {
		return protocol.Agent{}, false, nil
	}
	return rules.Of(name), true, nil
}

func (a *agents) Put(_ context.Context, tenant string, record protocol.Agent) error {
	a.Agents.Put(tenant, record.Name, record.Rules())
	return nil
}

func (a *agents) Delete(_ context.Context, tenant, name string) (bool, error) {
	found := a.Rules(tenant, name) != nil
	a.Remove(tenant, name)
	return found, nil
}

func service(t *testing.T, execute func(dispatch.Request) (dispatch.Response, error)) (*Service, *observer.ObservedLogs) {
	t.Helper()
	cat := catalog.New()
	if err := cat.Put(
		tool.Definition{
			Name:        "read_file",
			Group:       "filesystem",
			Category:    "File System",
			Description: "Reads <a> file.",
			Aliases:     []string{"open_file"},
			Parameters:  json.RawMessage(`{"type":"object"}`),
			Enabled:     true,
		},
		tool.Definition{
			Name:       "debug.echo",
			Group:      catalog.Diagnostics,
			Category:   "Diagnostics",
			Parameters: json.RawMessage(`{"type":"object"}`),
			Enabled:    true,
		},
	); err != nil {
		t.Fatal(err)
	}
	core, logs := observer.New(zapcore.DebugLevel)
	return New(Parts{Calls: calls{execute: execute}, Catalog: catalog.NewTenants(cat), Agents: &agents{}, Log: zap.New(core)}), logs
}

// do asks for an operation, as anyone if the input does not say as whom.
func do(s *Service, name string, in Input) (Reply, error) {
	if in.By.Tenant == "" {
		in.By = identity.Anyone(cmp.Or(in.Tenant, DefaultTenant))
	}
	i := slices.IndexFunc(operations, func(op Operation) bool { return op.Name == name })
	return s.Do(context.Background(), operations[i], in)
}

// failure returns "type: part of the message" of a request error.
func failure(t *testing.T, err error, kind string, status int, part string) {
	t.Helper()
	e, ok := errors.AsType[*RequestError](err)
	if !ok || e.Type != kind || e.Status != status || !strings.Contains(e.Msg, part) {
		t.Errorf("error %#v, want %s %d with %q", err, kind, status, part)
	}
}

func TestExecute(t *testing.T) {
	var got dispatch.Request
	s, _ := service(t, func(req dispatch.Request) (dispatch.Response, error) {
		got = req
		return dispatch.Response{
			TraceID:    someTrace,
			Results:    []json.RawMessage{[]byte(`{"n":1.10}`), []byte(`{ }`)},
			RetryAfter: time.Second,
		}, nil
	})
	reply, err := do(s, Execute, Input{Body: []byte(typical), Traceparent: "00-" + someTrace + "-00f067aa0ba902b7-01"})
	if want := `{"trace_id":"` + someTrace + `","results":[{"n":1.10},{ }]}`; err != nil || string(reply.Body) != want ||
		reply.RetryAfter != time.Second {
		t.Errorf("execute = %s, %v, %v, want %s", reply.Body, reply.RetryAfter, err, want)
	}
	want := parse(t, typical)
	want.Tenant, want.Traceparent = "default", "00-"+someTrace+"-00f067aa0ba902b7-01"
	if diff := gocmp.Diff(want, got, cmpopts.IgnoreUnexported(dispatch.Call{})); diff != "" {
		t.Errorf("the request (-want +got):\n%s", diff)
	}
}

func TestExecuteTrace(t *testing.T) {
	const other = "ffffffffffffffffffffffffffffffff"
	var got dispatch.Request
	s, _ := service(t, func(req dispatch.Request) (dispatch.Response, error) {
		got = req
		return dispatch.Response{}, nil
	})
	for _, tt := range []struct{ body, header, trace, parent string }{
		{`{` + aCall + `}`, "", "", ""},
		{`{` + aCall + `}`, "00-" + other + "-00f067aa0ba902b7-01", other, "00-" + other + "-00f067aa0ba902b7-01"},
		{`{` + aCall + `}`, "cc-" + other + "-00f067aa0ba902b7-01-new", other, "cc-" + other + "-00f067aa0ba902b7-01-new"},
		{`{` + aCall + `}`, "00-" + other + "-00f067aa0ba902b7-01-new", "", ""},
		{`{` + aCall + `}`, "ff-" + other + "-00f067aa0ba902b7-01", "", ""},
		{`{` + aCall + `}`, "00-" + other + "-0000000000000000-01", "", ""},
		{`{` + aCall + `}`, "00-" + strings.ToUpper(other) + "-00f067aa0ba902b7-01", "", ""},
		{`{` + aCall + `}`, "00-" + other, "", ""},
		{`{` + aCall + `}`, "garbage", "", ""},
		{`{"trace_id":"` + someTrace + `",` + aCall + `}`, "00-" + other + "-00f067aa0ba902b7-01", someTrace, ""},
	} {
		if _, err := do(s, Execute, Input{Body: []byte(tt.body), Traceparent: tt.header}); err != nil {
			t.Fatal(err)
		}
		if got.TraceID != tt.trace || got.Traceparent != tt.parent {
			t.Errorf("traceparent %q with %s: trace %q, parent %q", tt.header, tt.body, got.TraceID, got.Traceparent)
		}
	}
}

func TestDoFailures(t *testing.T) {
	fail := error(nil)
	s, logs := service(t, func(dispatch.Request) (dispatch.Response, error) {
		if fail == nil {
			panic("secret of the stack")
		}
		return dispatch.Response{}, fail
	})
	body := []byte(`{` + aCall + `}`)

	_, err := do(s, Execute, Input{Body: body})
	failure(t, err, "unavailable", http.StatusInternalServerError, "internal error")
	if entries := logs.TakeAll(); len(entries) != 1 || entries[0].ContextMap()["panic"] != "secret of the stack" {
		t.Errorf("a panic logs %v", entries)
	}

	fail = errors.New("secret of the operator")
	_, err = do(s, Execute, Input{Body: body})
	failure(t, err, "unavailable", http.StatusServiceUnavailable, "try again")
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("the caller sees %v", err)
	}
	if entries := logs.TakeAll(); len(entries) != 1 || entries[0].ContextMap()["error"] != "secret of the operator" {
		t.Errorf("an unexpected error logs %v", entries)
	}

	fail = &RequestError{Type: "overloaded", Status: 503, Msg: "full", RetryAfter: time.Minute}
	if _, err = do(s, Execute, Input{Body: body}); !errors.Is(err, fail) {
		t.Errorf("error %v, want %v", err, fail)
	}
	if entries := logs.TakeAll(); len(entries) != 0 {
		t.Errorf("an error for the caller logs %v", entries)
	}

	_, err = do(s, Execute, Input{Body: body, Tenant: "a.b"})
	failure(t, err, "bad_request", 400, `the tenant must match [A-Za-z0-9_-]{1,64}, but it is "a.b"`)
	_, err = do(s, "agents.put", Input{Params: map[string]string{"agent": "a"}, Body: make([]byte, 8<<20+1)})
	failure(t, err, "too_large", 413, "larger than 8388608 bytes")
}

func TestCalls(t *testing.T) {
	s, _ := service(t, nil)
	for op, want := range map[string]string{"calls.get": `{"get":"t1/c1"}`, "calls.cancel": `{"cancel":"t1/c1"}`} {
		reply, err := do(s, op, Input{Tenant: "t1", Params: map[string]string{"call_id": "c1"}})
		if err != nil || string(reply.Body) != want {
			t.Errorf("%s = %s, %v, want %s", op, reply.Body, err, want)
		}
		for _, id := range []string{"", "a.b", "*", strings.Repeat("a", 129)} {
			_, err = do(s, op, Input{Params: map[string]string{"call_id": id}})
			failure(t, err, "bad_request", 400, "call_id must match")
		}
	}
	_, err := do(s, "calls.get", Input{Params: map[string]string{"call_id": "gone"}})
	failure(t, err, "not_found", 404, "gone")

	_, err = do(s, Events, Input{Params: map[string]string{"trace_id": someTrace}})
	failure(t, err, "bad_request", 400, "subscribe to event."+someTrace+".>")
	_, err = do(s, Events, Input{})
	failure(t, err, "bad_request", 400, "trace_id must be")
}
