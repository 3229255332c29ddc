package client

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/embedded"
)

// asked is a request as a server of the protocol sees it, whatever its transport:
// path and query parameters are fields of the body.
type asked struct {
	op, tenant string
	body       map[string]any
	raw        string
}

// reply is an answer; status 0 means 200.
type reply struct {
	status     int
	body       string
	retryAfter string
}

// far is the other side of a client: it implements the protocol and returns the answers
// that a test sets.
type far struct {
	url    string
	answer func(asked) reply
	nc     *nats.Conn

	mu   sync.Mutex
	seen []asked
}

func (f *far) handle(a asked) reply {
	f.mu.Lock()
	f.seen = append(f.seen, a)
	f.mu.Unlock()
	return f.answer(a)
}

func (f *far) last() asked {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen[len(f.seen)-1]
}

func (f *far) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.seen)
}

// routes is the table of operations.
var routes = map[string]string{
	"POST /v1/execute":                "execute",
	"GET /v1/tools":                   "tools.list",
	"GET /v1/tools/{name}":            "tools.get",
	"GET /v1/calls/{call_id}":         "calls.get",
	"POST /v1/calls/{call_id}/cancel": "calls.cancel",
	"GET /v1/agents":                  "agents.list",
	"GET /v1/files/{path...}":         "files.list",
	"GET /v1/agents/{agent}":          "agents.get",
	"PUT /v1/agents/{agent}":          "agents.put",
	"DELETE /v1/agents/{agent}":       "agents.delete",
	"GET /v1/groups":                  "groups.list",

	"GET /v1/consents":                        "consent.list",
	"GET /v1/consents/{consent_id}":           "consent.get",
	"POST /v1/consents/{consent_id}/decision": "consent.decide",
	"POST /v1/tokens":                         "tokens.mint",
	"GET /v1/grants":                          "grants.list",
	"DELETE /v1/grants/{grant_id}":            "grants.revoke",
	"GET /v1/audit":                           "audit.query",
	"GET /v1/audit/verify":                    "audit.verify",
	"GET /v1/audit/export":                    "audit.export",
	"GET /v1/audit/public-key":                "audit.public_key",
	"GET /v1/custom-tools":                    "custom.list", "GET /v1/custom-tools/{name}": "custom.get",
	"GET /v1/custom-tools/{name}/versions": "custom.versions", "DELETE /v1/custom-tools/{name}": "custom.delete",
	"POST /v1/custom-tools/{name}/share": "custom.share", "DELETE /v1/custom-tools/{name}/share": "custom.unshare",
	"POST /v1/custom-tools/{name}/toggle": "custom.toggle",
	"GET /v1/upstream":                    "upstream.list",
	"POST /v1/upstream/{name}/accept":     "upstream.accept",
	"GET /v1/workers":                     "workers.list",

	"GET /v1/services": "services.list", "GET /v1/services/{service}": "services.get", "PUT /v1/services/{service}/{label}": "services.set",
	"DELETE /v1/services/{service}/{label}":    "services.delete",
	"POST /v1/services/{service}/{label}/test": "services.test", "POST /v1/services/rotate": "services.rotate",
	"GET /v1/data":                    "data.summary",
	"GET /v1/data/export":             "data.export",
	"POST /v1/data/import":            "data.import",
	"DELETE /v1/data":                 "data.delete",
	"GET /v1/schedules":               "schedules.list",
	"GET /v1/schedules/{id}":          "schedules.get",
	"DELETE /v1/schedules/{id}":       "schedules.delete",
	"POST /v1/workers/{worker}/pause": "workers.pause", "POST /v1/workers/{worker}/resume": "workers.resume",
	"POST /v1/workers/{worker}/drain": "workers.drain",
	"GET /v1/remote":                  "remote.list", "GET /v1/calls": "calls.list", "GET /v1/check": "system.check",
	"GET /v1/programs": "programs.list", "GET /v1/programs/{call_id}": "programs.get",
	"GET /v1/dead":       "dead.list",
	"GET /v1/dead/{seq}": "dead.get", "POST /v1/dead/{seq}/requeue": "dead.requeue", "DELETE /v1/dead/{seq}": "dead.drop",
	"GET /v1/pools": "pools.list", "POST /v1/pools/{pool}/pause": "pools.pause", "POST /v1/pools/{pool}/resume": "pools.resume",
	"POST /v1/pools/{pool}/drain": "pools.drain",
}

func (f *far) mux() *http.ServeMux {
	mux := http.NewServeMux()
	for pattern, op := range routes {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			raw, _ := io.ReadAll(r.Body)
			body := map[string]any{}
			json.Unmarshal(raw, &body)
			for key, values := range r.URL.Query() {
				body[key] = values[0]
			}
			for _, key := range []string{"name", "call_id", "agent", "consent_id", "grant_id", "worker", "pool", "id", "seq", "service", "label"} {
				if value := r.PathValue(key); value != "" {
					body[key] = value
				}
			}
			got := f.handle(asked{op, r.Header.Get("Helve-Tenant"), body, string(raw)})
			if got.retryAfter != "" {
				w.Header().Set("Retry-After", got.retryAfter)
			}
			if got.status != 0 {
				w.Header().Set("Content-Type", "application/problem+json")
				w.WriteHeader(got.status)
			}
			io.WriteString(w, got.body)
		})
	}
	return mux
}

func farHTTP(t *testing.T, answer func(asked) reply) *far {
	t.Helper()
	f := &far{answer: answer}
	srv := httptest.NewServer(f.mux())
	t.Cleanup(srv.Close)
	f.url = srv.URL
	return f
}

func farNATS(t *testing.T, answer func(asked) reply) *far {
	t.Helper()
	f := &far{answer: answer}
	srv, err := embedded.Start(embedded.Options{Addr: "127.0.0.1:0", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Stop)
	f.url = srv.URL()
	if f.nc, err = nats.Connect(f.url); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.nc.Close)
	f.nc.Subscribe("helve.v1.*.api.>", func(msg *nats.Msg) {
		go func() {
			tokens := strings.SplitN(msg.Subject, ".", 5)
			body := map[string]any{}
			json.Unmarshal(msg.Data, &body)
			got := f.handle(asked{tokens[4], tokens[2], body, string(msg.Data)})
			out := &nats.Msg{Data: []byte(got.body), Header: nats.Header{}}
			if got.status != 0 {
				out.Header.Set("Nats-Service-Error-Code", strconv.Itoa(got.status))
				out.Header.Set("Nats-Service-Error", http.StatusText(got.status))
			}
			if got.retryAfter != "" {
				out.Header.Set("Retry-After", got.retryAfter)
			}
			msg.RespondMsg(out)
		}()
	})
	f.nc.Flush()
	return f
}

// transports starts the other side of each transport, by name.
var transports = map[string]func(*testing.T, func(asked) reply) *far{"http": farHTTP, "nats": farNATS}

func connect(t *testing.T, f *far, opts ...Option) *Client {
	t.Helper()
	c, err := New(f.url, opts...)
	if err != nil {
		t.Fatalf("New(%s): %v", f.url, err)
	}
	t.Cleanup(c.Close)
	return c
}

func always(body string) func(asked) reply {
	return func(asked) reply { return reply{body: body} }
}
