package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// patience bounds everything a test waits for; nothing that works needs it.
const patience = 60 * time.Second

// reply is an answer, whatever way it came.
type reply struct {
	status int // HTTP status, or Nats-Service-Error-Code, or 200
	header http.Header
	body   []byte
}

// door is a way to ask for an operation. Params are the operation's
// parameters, body is the JSON body it takes, if any.
type door interface {
	ask(t testing.TB, tenant, operation string, params map[string]string, body string) reply
}

// everyDoor runs test over HTTP and over NATS.
func everyDoor(t *testing.T, s *system, test func(t *testing.T, d door)) {
	t.Run("http", func(t *testing.T) { t.Parallel(); test(t, s.http(0)) })
	t.Run("nats", func(t *testing.T) { t.Parallel(); test(t, s.nats()) })
}

// route is the HTTP form of an operation.
type route struct{ method, path string }

var routes = map[string]route{
	"execute":       {"POST", "/v1/execute"},
	"tools.list":    {"GET", "/v1/tools"},
	"tools.get":     {"GET", "/v1/tools/{name}"},
	"calls.get":     {"GET", "/v1/calls/{call_id}"},
	"calls.cancel":  {"POST", "/v1/calls/{call_id}/cancel"},
	"agents.list":   {"GET", "/v1/agents"},
	"agents.get":    {"GET", "/v1/agents/{agent}"},
	"agents.put":    {"PUT", "/v1/agents/{agent}"},
	"agents.delete": {"DELETE", "/v1/agents/{agent}"},
	"groups.list":   {"GET", "/v1/groups"},

	"consent.list":     {"GET", "/v1/consents"},
	"consent.get":      {"GET", "/v1/consents/{consent_id}"},
	"consent.decide":   {"POST", "/v1/consents/{consent_id}/decision"},
	"tokens.mint":      {"POST", "/v1/tokens"},
	"grants.list":      {"GET", "/v1/grants"},
	"grants.revoke":    {"DELETE", "/v1/grants/{grant_id}"},
	"audit.query":      {"GET", "/v1/audit"},
	"audit.verify":     {"GET", "/v1/audit/verify"},
	"audit.export":     {"GET", "/v1/audit/export"},
	"audit.public_key": {"GET", "/v1/audit/public-key"},

	"remote.register":   {"POST", "/v1/remote/register"},
	"remote.unregister": {"POST", "/v1/remote/unregister"},

	"upstream.list":   {"GET", "/v1/upstream"},
	"upstream.accept": {"POST", "/v1/upstream/{name}/accept"},
}

type httpDoor struct {
	client *http.Client
	url    string
}

// http is the door of the dispatcher with that index.
func (s *system) http(dispatcher int) httpDoor { return httpDoor{s.client, s.urls[dispatcher]} }

func (d httpDoor) ask(t testing.TB, tenant, operation string, params map[string]string, body string) reply {
	t.Helper()
	r, ok := routes[operation]
	if !ok {
		t.Fatalf("the tests know no HTTP form of %s", operation)
	}
	path, query := r.path, url.Values{}
	for name, value := range params {
		if in := strings.Replace(path, "{"+name+"}", url.PathEscape(value), 1); in != path {
			path = in
		} else {
			query.Set(name, value)
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	got := d.send(t, r.method, path, body, http.Header{"Helve-Tenant": {tenant}})
	wantDescribed(t, r, got)
	return got
}

func (d httpDoor) send(t testing.TB, method, path, body string, header http.Header) reply {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, d.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(req.Header, header)
	res, err := d.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{res.StatusCode, res.Header, data}
}

type natsDoor struct{ nc *nats.Conn }

func (s *system) nats() natsDoor { return natsDoor{s.nc} }

func (d natsDoor) ask(t testing.TB, tenant, operation string, params map[string]string, body string) reply {
	t.Helper()
	if len(params) > 0 {
		body = withFields(t, body, params)
	}
	msg, err := d.nc.Request(fmt.Sprintf("helve.v1.%s.api.%s", tenant, operation), []byte(body), patience)
	if err != nil {
		t.Fatalf("%s: %v", operation, err)
	}
	r := reply{200, http.Header(msg.Header), msg.Data}
	if code := msg.Header.Get("Nats-Service-Error-Code"); code != "" {
		if r.status, err = strconv.Atoi(code); err != nil {
			t.Fatalf("Nats-Service-Error-Code = %q, want a number", code)
		}
	}
	return r
}

// withFields adds the parameters to a JSON object, as fields.
func withFields(t testing.TB, body string, params map[string]string) string {
	t.Helper()
	fields := map[string]any{}
	if body != "" {
		if err := json.Unmarshal([]byte(body), &fields); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range params {
		fields[name] = value
	}
	var w bytes.Buffer
	if err := json.NewEncoder(&w).Encode(fields); err != nil {
		t.Fatal(err)
	}
	return w.String()
}
