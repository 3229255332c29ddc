package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/server/api"
)

func getCall(tenant, id string) (json.RawMessage, error) {
	if id == "gone" {
		return nil, api.NotFound("no such call")
	}
	return json.RawMessage(`{"call_id":"` + tenant + "/" + id + `"}`), nil
}

func TestRoutes(t *testing.T) {
	s := serve(t, &calls{execute: echo, get: getCall}, Options{})
	const rules = `{"tools":["a*"],"groups":[],"deny":[]}`
	const agent = `{"agent":"a1","tools":["a*"],"groups":[],"deny":[]}`
	for _, tt := range []struct {
		method, path, body, header, want string
	}{
		{"POST", "/v1/execute",
			`{"trace_id":"` + trace + `","calls":[{"tool":"b","arguments":{"n":12345678901234567890.10}},{"tool":"a","arguments":{}}]}`, "",
			`{"trace_id":"` + trace +
				`","results":[{"tool":"b","status":"success","result":{"n":12345678901234567890.10}},{"tool":"a","status":"success","result":{}}]}`},
		{"GET", "/v1/tools?group=none", "", "", `{"tools":[],"load_errors":[]}`},
		{"GET", "/v1/tools?format=native&agent=x&group=filesystem&category=File+System&q=read", "", "", `{"tools":[{"name":"read_file",`},
		{"GET", "/v1/tools/read_file", "", "", `{"name":"read_file",`},
		{"GET", "/v1/tools/read%5Ffile", "", "", `{"name":"read_file",`},
		{"GET", "/v1/calls/c1", "", "", `{"call_id":"default/c1"}`},
		{"GET", "/v1/calls/c1?call_id=c2", "", "Helve-Tenant: t1", `{"call_id":"t1/c1"}`},
		{"POST", "/v1/calls/c1/cancel", "", "", `{"call_id":"default/c1-cancelled"}`},
		{"POST", "/v1/calls/c1/cancel", "ignored", "Content-Type: text/plain", `{"call_id":"default/c1-cancelled"}`},
		{"PUT", "/v1/agents/a1", rules, "", agent},
		{"GET", "/v1/agents/a1", "", "", agent},
		{"GET", "/v1/agents", "", "", `{"agents":[` + agent + `]}`},
		{"GET", "/v1/agents", "", "Helve-Tenant: other", `{"agents":[]}`},
		{"DELETE", "/v1/agents/a1", "", "", `{}`},
		{
			"GET", "/v1/groups?tool=read_file", "", "",
			`{"groups":[{"name":"filesystem","title":"Files","description":"Reading, writing, finding and moving files of the workspace.","category":"File System","enabled":true,"default_enabled":true,"switched_off":false,"depends_on":[],"tools":["read_file"]}],"stats":{"total_groups":39,"total_tools":1,"enabled_tools":1,"enabled_by_default":25,"disabled_by_default":14,"switched_off_tools":0}}`,
		},
	} {
		r := s.send(tt.method, tt.path, tt.body, tt.header)
		if r.status != http.StatusOK || !strings.HasPrefix(r.body, tt.want) || !strings.HasSuffix(r.body, "}\n") {
			t.Errorf("%s %s = %d %s, want %s", tt.method, tt.path, r.status, r.body, tt.want)
		}
		if r.header.Get("Content-Type") != "application/json" || r.header.Get("Content-Length") != strconv.Itoa(len(r.body)) {
			t.Errorf("%s %s has the headers %v", tt.method, tt.path, r.header)
		}
		if origin := r.header.Get("Access-Control-Allow-Origin"); origin != "" {
			t.Errorf("%s %s allows the origin %q", tt.method, tt.path, origin)
		}
	}

	head := s.send("HEAD", "/v1/tools/read_file", "")
	if head.status != 200 || head.body != "" || head.header.Get("Content-Type") != "application/json" {
		t.Errorf("HEAD = %+v", head)
	}
}

func TestProblems(t *testing.T) {
	s := serve(t, &calls{execute: echo, get: getCall}, Options{})
	for _, tt := range []struct {
		method, path, body, header string
		status                     int
		errorType, detail          string
	}{
		{"POST", "/v1/execute", `{"calls":5}`, "", 400, "bad_request", "calls must be an array, not a number"},
		{"POST", "/v1/execute", "", "", 400, "bad_request", "not JSON"},
		{"POST", "/v1/execute", "{\"calls\":[{\"tool\":\"\xff\"}]}", "", 400, "bad_request", "not UTF-8"},
		{"POST", "/v1/execute", `{}`, "Content-Type: text/plain", 400, "bad_request", `must be application/json, not "text/plain"`},
		{"POST", "/v1/execute", `{}`, "Content-Type: ;", 400, "bad_request", "must be application/json"},
		{"POST", "/v1/execute", `{}`, "Helve-Tenant: a.b", 400, "bad_request", "the tenant must match"},
		{"GET", "/v1/tools?format=grok", "", "", 400, "bad_request", `format "grok" is not known; use one of native`},
		{"GET", "/v1/tools?q=%zz", "", "", 400, "bad_request", "the query string is malformed"},
		{"GET", "/v1/tools/nope", "", "", 404, "not_found", `no tool "nope"`},
		{"GET", "/v1/tools/a%2Fb", "", "", 404, "not_found", `no tool "a/b"`},
		{"GET", "/v1/calls/gone", "", "", 404, "not_found", "no such call"},
		{"GET", "/v1/calls/a.b", "", "", 400, "bad_request", "call_id must match"},
		{"GET", "/v1/calls/a.b/result", "", "", 400, "bad_request", "call_id must match"},
		{"PUT", "/v1/agents/a1", `{"tools":["a b"]}`, "", 400, "bad_request", "is not a name"},
		{"PUT", "/v1/agents/a.b", `{}`, "", 400, "bad_request", "agent must match"},
		{"DELETE", "/v1/agents/none", "", "", 404, "not_found", "has no record"},
		{"GET", "/v1/events", "", "", 400, "bad_request", "trace_id must be"},
		{"GET", "/v1/events?trace_id=XYZ", "", "", 400, "bad_request", "trace_id must be"},
		{"GET", "/v1/events?trace_id=" + trace, "", "Helve-Tenant: a b", 400, "bad_request", "the tenant must match"},
		{"GET", "/v1/events?trace_id=" + trace, "", "Last-Event-ID: " + strings.Repeat("1", 257), 400, "bad_request", "longer than 256"},
		{"GET", "/v1", "", "", 404, "not_found", "nothing at"},
		{"GET", "/", "", "", 404, "not_found", "nothing at"},
		{"POST", "/v1/execute/more", "{}", "", 404, "not_found", "nothing at"},
		{"GET", "/v1/agents/", "", "", 404, "not_found", "nothing at"},
	} {
		s.wantProblem(s.send(tt.method, tt.path, tt.body, tt.header), tt.status, tt.errorType, tt.detail)
	}
}

func TestMethods(t *testing.T) {
	s := serve(t, &calls{}, Options{})
	for path, want := range map[string]string{
		"/v1/execute":         "POST",
		"/v1/tools":           "GET, HEAD",
		"/v1/calls/c1/cancel": "POST",
		"/v1/calls/c1/result": "GET, HEAD",
		"/v1/agents/a1":       "DELETE, GET, HEAD, PUT",
	} {
		for _, method := range []string{"PATCH", "OPTIONS", "PURGE"} {
			r := s.send(method, path, "")
			s.wantProblem(r, 405, "bad_request", "use "+want)
			if got := r.header.Get("Allow"); got != want {
				t.Errorf("%s %s has Allow %q, want %q", method, path, got, want)
			}
		}
	}
}

func TestUnavailable(t *testing.T) {
	var err error
	s := serve(t, &calls{execute: func(context.Context, dispatch.Request) (dispatch.Response, error) {
		return dispatch.Response{}, err
	}}, Options{})
	const body = `{"calls":[{"tool":"a"}]}`

	err = errors.New("the secret cause")
	r := s.send("POST", "/v1/execute", body)
	s.wantProblem(r, 503, "unavailable", "try again")
	if strings.Contains(r.body, "secret") || s.logs.FilterFieldKey("error").Len() != 1 {
		t.Errorf("the client sees %s, the log %v", r.body, s.logs.All())
	}

	err = &api.RequestError{Type: "unavailable", Status: 503, Msg: "not ready"}
	s.wantProblem(s.send("POST", "/v1/execute", body), 503, "unavailable", "not ready")

	err = &api.RequestError{Type: "overloaded", Status: 503, Msg: "full", RetryAfter: 1500e6}
	r = s.send("POST", "/v1/execute", body)
	s.wantProblem(r, 503, "overloaded", "full")
	if got := r.header.Get("Retry-After"); got != "2" {
		t.Errorf("Retry-After of 1.5 s is %q, want 2", got)
	}
}

func TestOverloadedHoldsTheResults(t *testing.T) {
	s := serve(t, &calls{execute: func(context.Context, dispatch.Request) (dispatch.Response, error) {
		return dispatch.Response{TraceID: trace, Results: []json.RawMessage{[]byte(`{"n":1.0}`), []byte(`{}`)}, RetryAfter: 1}, nil
	}}, Options{})
	r := s.send("POST", "/v1/execute", `{"calls":[{"tool":"a"}]}`)
	s.wantProblem(r, 503, "overloaded", "none of these was accepted")
	if want := `"error_type":"overloaded","trace_id":"` + trace + `","results":[{"n":1.0},{}]}` + "\n"; !strings.HasSuffix(r.body, want) {
		t.Errorf("the problem is %s, want %s at its end", r.body, want)
	}
	if got := r.header.Get("Retry-After"); got != "1" {
		t.Errorf("Retry-After of 1 ns is %q, want 1", got)
	}
}

func TestPanics(t *testing.T) {
	s := serve(t, &calls{}, Options{}) // every call of a missing function panics
	for _, path := range []string{"/v1/calls/c1", "/v1/calls/c1/result"} {
		r := s.send("GET", path, "")
		s.wantProblem(r, 500, "unavailable", "internal error")
		if strings.Contains(r.body, "nil pointer") || strings.Contains(r.body, "goroutine") {
			t.Errorf("%s shows its panic: %s", path, r.body)
		}
	}
	if got := s.logs.FilterMessage("a request crashed").Len(); got != 2 {
		t.Errorf("%d panics were logged, want 2", got)
	}

	resp, err := http.Get(s.URL + "/v1/events?trace_id=" + trace)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadAll(resp.Body); err == nil {
		t.Error("a stream that crashed looks complete")
	}
}
