package apitools

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/internal/ports/netguard"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// world is an API on loopback and what a call of its tools gets.
type world struct {
	t      *testing.T
	server *httptest.Server
	guard  *netguard.Guard
	files  tooltest.Files
	// entries are those of the config center, by service.
	entries map[string][]tool.ServiceEntry
	user    string
	api     API
	offers  map[string]*offer // by operationId

	mu       sync.Mutex
	received []received
	respond  http.HandlerFunc // nil answers with an empty object
}

// received is a request as the API got it.
type received struct {
	method, path, query string
	header              http.Header
	body                string
}

// newWorld offers the operations of a document whose paths these are, in YAML.
func newWorld(t *testing.T, paths string, set func(*API)) *world {
	t.Helper()
	w := &world{t: t, files: tooltest.Files{}, entries: map[string][]tool.ServiceEntry{}, user: "ann", offers: map[string]*offer{}}
	w.server = httptest.NewServer(http.HandlerFunc(w.serve))
	t.Cleanup(w.server.Close)
	var err error
	if w.guard, err = netguard.New(netguard.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.guard.Close)
	w.api = API{Name: "pets", Document: "pets.yaml", BaseURL: w.server.URL + "/v1"}
	if set != nil {
		set(&w.api)
	}
	d := document{api: w.api}
	if err := d.fill([]byte("openapi: 3.0.3\ninfo: {title: T, version: '1'}\npaths:\n"+paths), "default"); err != nil {
		t.Fatal(err)
	}
	for _, p := range d.problems {
		t.Errorf("problem: %s", p.Reason)
	}
	for _, o := range d.offers {
		w.offers[o.op.ID] = o
	}
	return w
}

func (w *world) serve(rw http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.mu.Lock()
	w.received = append(w.received, received{r.Method, r.URL.EscapedPath(), r.URL.RawQuery, r.Header, string(body)})
	respond := w.respond
	w.mu.Unlock()
	if respond != nil {
		respond(rw, r)
		return
	}
	rw.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(rw, `{}`)
}

// Entries implements [tool.Secrets].
func (w *world) Entries(_ context.Context, service string) ([]tool.ServiceEntry, error) {
	return w.entries[service], nil
}

// Now implements [tool.Clock].
func (w *world) Now() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

// entry sets the entry of a service.
func (w *world) entry(service string, data map[string]string) {
	w.entries[service] = []tool.ServiceEntry{{Label: "default", Active: true, Data: data}}
}

// call runs an operation with arguments, which its schema must accept.
func (w *world) call(id, args string) (tool.Result, error) {
	w.t.Helper()
	o := w.offers[id]
	if o == nil {
		w.t.Fatalf("there is no operation %s", id)
	}
	compiled, err := schema.Compile(o.def.Parameters)
	if err != nil {
		w.t.Fatalf("the schema of %s: %v\n%s", id, err, o.def.Parameters)
	}
	p, err := compiled.Prepare([]byte(args))
	if err != nil {
		w.t.Fatalf("the arguments %s do not fit %s: %v", args, o.def.Parameters, err)
	}
	if len(p.Ignored) > 0 {
		w.t.Errorf("%s does not take %v", id, p.Ignored)
	}
	call := &tool.Call{ID: "call-1", Tool: o.def.Name, Tenant: "acme", User: w.user, HTTP: w.guard.Within(o.def.Scopes), Secrets: w, Clock: w}
	if o.files() {
		call.Files = w.files
	}
	if err := o.check(w.t.Context(), call); err != nil {
		return tool.Result{}, err
	}
	return o.call(w.t.Context(), call, p.Args)
}

// sent runs an operation and returns the request that the API got.
func (w *world) sent(id, args string) received {
	w.t.Helper()
	if _, err := w.call(id, args); err != nil {
		w.t.Fatalf("%s %s: %v", id, args, err)
	}
	return w.last()
}

func (w *world) last() received {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.received[len(w.received)-1]
}

func (w *world) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.received)
}

// answers makes the API answer so.
func (w *world) answers(status int, contentType, body string, headers ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.respond = func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", contentType)
		for i := 0; i+1 < len(headers); i += 2 {
			rw.Header().Set(headers[i], headers[i+1])
		}
		rw.WriteHeader(status)
		_, _ = io.WriteString(rw, body)
	}
}

// wantError holds an error against a kind and parts of its message.
func wantError(t *testing.T, what string, err error, kind tool.Kind, parts ...string) {
	t.Helper()
	e := tool.AsError(err)
	if e == nil || e.Kind != kind {
		t.Errorf("%s: %v, want %s", what, err, kind)
		return
	}
	for _, part := range parts {
		if !strings.Contains(e.Msg, part) {
			t.Errorf("%s: %q does not have %q", what, e.Msg, part)
		}
	}
}

// value decodes the result of a call.
func value(t *testing.T, res tool.Result) result {
	t.Helper()
	var r result
	if err := json.Unmarshal(res.Value, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// parameters returns the properties and the required names of a tool's schema.
func (w *world) parameters(id string) (properties map[string]map[string]any, required string) {
	w.t.Helper()
	var s struct {
		Properties map[string]map[string]any
		Required   []string
	}
	if err := json.Unmarshal(w.offers[id].def.Parameters, &s); err != nil {
		w.t.Fatal(err)
	}
	return s.Properties, fmt.Sprint(s.Required)
}
