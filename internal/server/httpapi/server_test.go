package httpapi

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

const trace = "0123456789abcdef0123456789abcdef"

// calls is an api.Calls made of functions; a missing function panics.
type calls struct {
	execute func(context.Context, dispatch.Request) (dispatch.Response, error)
	get     func(tenant, callID string) (json.RawMessage, error)
	result  func(tenant, callID string) (io.ReadCloser, int64, error)
	events  func(ctx context.Context, tenant, traceID, after string, yield func(dispatch.Event) error) error
}

func (c *calls) Execute(ctx context.Context, req dispatch.Request) (dispatch.Response, error) {
	return c.execute(ctx, req)
}

func (c *calls) Get(_ context.Context, tenant, callID string) (json.RawMessage, error) {
	return c.get(tenant, callID)
}

func (c *calls) Arguments(_ context.Context, _, callID string) (json.RawMessage, error) {
	return json.RawMessage(`{"of":"` + callID + `"}`), nil
}

func (c *calls) AcceptedAt(context.Context, string, string) (time.Time, error) {
	return time.UnixMilli(1), nil
}

func (c *calls) Cancel(ctx context.Context, tenant, callID string) (json.RawMessage, error) {
	return c.get(tenant, callID+"-cancelled")
}

func (c *calls) Result(_ context.Context, tenant, callID string) (io.ReadCloser, int64, error) {
	return c.result(tenant, callID)
}

func (c *calls) Events(ctx context.Context, tenant, traceID, after string, yield func(dispatch.Event) error) error {
	return c.events(ctx, tenant, traceID, after, yield)
}

// agents is an api.AgentStore in memory.
type agents struct{ catalog.Agents }

func (a *agents) List(_ context.Context, tenant string) ([]protocol.Agent, error) {
	return a.Agents.List(tenant), nil
}

func (a *agents) Get(_ context.Context, tenant, name string) (protocol.Agent, bool, error) {
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

// server is the handler on a real socket.
type server struct {
	*httptest.Server

	t    *testing.T
	logs *observer.ObservedLogs
}

func serve(t *testing.T, c *calls, o Options) server {
	t.Helper()
	cat := catalog.New()
	if err := cat.Put(tool.Definition{
		Name:       "read_file",
		Group:      "filesystem",
		Category:   "File System",
		Parameters: json.RawMessage(`{"type":"object"}`),
		Enabled:    true,
	}); err != nil {
		t.Fatal(err)
	}
	core, logs := observer.New(zapcore.DebugLevel)
	o.Log = zap.New(core)
	srv := httptest.NewServer(Handler(api.New(api.Parts{Calls: c, Catalog: catalog.NewTenants(cat), Agents: &agents{}, Log: o.Log}), o))
	t.Cleanup(srv.Close)
	return server{srv, t, logs}
}

// reply is an answer read to its end.
type reply struct {
	status int
	header http.Header
	body   string
}

// send makes a request with headers given as "Name: value"; Host is one too. It
// may be used in any goroutine: without an answer it gives the zero reply.
func (s server) send(method, path, body string, headers ...string) reply {
	s.t.Helper()
	req, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Errorf("%s %s: %v", method, path, err)
		return reply{}
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, given := strings.Cut(h, ": ")
		if !given {
			continue
		}
		if name == "Host" {
			req.Host = value
		}
		req.Header.Set(name, value)
	}
	resp, err := s.Client().Do(req)
	if err != nil {
		s.t.Errorf("%s %s: %v", method, path, err)
		return reply{}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Errorf("%s %s: %v", method, path, err)
		return reply{}
	}
	return reply{resp.StatusCode, resp.Header, string(text)}
}

// wantProblem checks that the answer is a whole RFC 9457 problem.
func (s server) wantProblem(r reply, status int, errorType, detail string) {
	s.t.Helper()
	var p problem
	err := json.Unmarshal([]byte(r.body), &p)
	if err != nil || r.status != status || r.header.Get("Content-Type") != "application/problem+json" || !strings.HasSuffix(r.body, "}\n") ||
		p.Type != "about:blank" || p.Status != status || p.Title != http.StatusText(status) || p.ErrorType != errorType ||
		!strings.Contains(p.Detail, detail) {
		s.t.Errorf("answer %d %v %s, want a problem %d %s with %q", r.status, r.header, r.body, status, errorType, detail)
	}
	if retry := r.header.Get("Retry-After"); (retry != "") != (status == http.StatusServiceUnavailable) {
		s.t.Errorf("answer %d has Retry-After %q", status, retry)
	}
}

// echo answers each call with its arguments or its problem.
func echo(_ context.Context, req dispatch.Request) (dispatch.Response, error) {
	resp := dispatch.Response{TraceID: req.TraceID}
	for _, c := range req.Calls {
		element := json.RawMessage(`{"tool":"` + c.Tool + `","status":"success","result":` + string(c.Arguments) + `}`)
		if c.Problem != nil {
			element = json.RawMessage(`{"status":"error","error_type":"` + string(c.Problem.Kind) + `"}`)
		}
		resp.Results = append(resp.Results, element)
	}
	return resp, nil
}
