package connect

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/accounts/oauth"
	"github.com/helve-dev/helve/internal/accounts/oauth/oauthtest"
	"github.com/helve-dev/helve/internal/accounts/services"
	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/protocol"
)

func TestMain(m *testing.M) { queuetest.Verify(m) }

// world is dispatchers that connect accounts, over a real NATS server and a provider.
type world struct {
	t        *testing.T
	services []*Service
	provider *oauthtest.Provider
	store    *services.Store
	entries  *natsio.Bucket
	keys     *vault.Keys
	text     string // of the master key

	mu    sync.Mutex
	trail []string
}

func newWorld(t *testing.T, dispatchers int, b oauthtest.Behaviour) *world {
	t.Helper()
	w := &world{t: t, provider: oauthtest.New(t, b)}
	var err error
	if w.text, err = vault.Generate(); err != nil {
		t.Fatal(err)
	}
	if w.keys, err = vault.Parse(w.text); err != nil {
		t.Fatal(err)
	}
	server := queuetest.Server(t)
	for range dispatchers {
		w.services = append(w.services, w.dispatcher(server))
	}
	w.store = w.services[0].Store
	return w
}

func (w *world) dispatcher(server *embedded.Server) *Service {
	w.t.Helper()
	q := queuetest.Connect(w.t, server)
	bucket := func(name string) *natsio.Bucket {
		k, err := q.Conn.Bucket(queuetest.Context(w.t), name)
		if err != nil {
			w.t.Fatal(err)
		}
		return k
	}
	registry, err := services.NewRegistry(nil, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	transport := &http.Transport{}
	w.t.Cleanup(transport.CloseIdleConnections)
	w.entries = bucket(streams.BucketServices)
	return New(Options{
		Store: &services.Store{Bucket: w.entries, Keys: w.keys, Registry: registry}, Bucket: bucket(streams.BucketConnects),
		Client: func([]string) (*http.Client, func(), error) {
			return oauth.Client(transport.RoundTrip, 5*time.Second), func() {}, nil
		},
		Public: "http://127.0.0.1:8080", Trail: w, Log: zap.NewNop(),
	})
}

// Write implements the trail.
func (w *world) Write(_ context.Context, r *protocol.AuditRecord) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.trail = append(w.trail, r.Tool+": "+r.Detail)
	return nil
}

// recorded reports whether the trail has a record with a text.
func (w *world) recorded(text string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.trail, func(line string) bool { return strings.Contains(line, text) })
}

// register sets the registration.
func (w *world) register(fields map[string]string) {
	w.t.Helper()
	set := protocol.ServiceSet{Type: "oauth2", Fields: map[string]json.RawMessage{}}
	for name, value := range fields {
		text, err := json.Marshal(value)
		if err != nil {
			w.t.Fatal(err)
		}
		set.Fields[name] = text
	}
	if _, err := w.store.Set(w.t.Context(), vault.Place{Tenant: "acme", Service: "cloud", Label: "default"}, set, "root",
		func([]string) error { return nil }); err != nil {
		w.t.Fatal(err)
	}
}

// start starts an attempt of a person, and returns the provider's answer and the cookie.
func (w *world) start(s *Service, user string) (Answer, string) {
	w.t.Helper()
	page, cookie, err := s.Start(w.t.Context(), Target{Tenant: "acme", User: user, Service: "cloud"})
	if err != nil {
		w.t.Fatal(err)
	}
	return w.agree(page), cookie.Value
}

// agree lets a person agree at the provider.
func (w *world) agree(page string) Answer {
	w.t.Helper()
	client, end, err := w.services[0].Client(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	defer end()
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, page, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	_ = resp.Body.Close()
	back, err := url.Parse(resp.Header.Get("Location"))
	if err != nil || !strings.HasPrefix(back.String(), "http://127.0.0.1:8080/v1/connect/callback?") {
		w.t.Fatalf("the provider answers %d %v", resp.StatusCode, resp.Header)
	}
	q := back.Query()
	return Answer{State: q.Get("state"), Code: q.Get("code"), Issuer: q.Get("iss"), Error: q.Get("error")}
}

// connect connects the account of a person.
func (w *world) connect(user string) {
	w.t.Helper()
	answer, cookie := w.start(w.services[0], user)
	if _, err := w.services[0].Finish(w.t.Context(), answer, Bringer{Cookie: cookie}); err != nil {
		w.t.Fatal(err)
	}
}

// account returns the stored account of a person.
func (w *world) account(user string) *services.Account {
	w.t.Helper()
	a, _, err := w.store.Account(w.t.Context(), "acme", user, "cloud")
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

func ask(user, refused string) peer.AccountRequest {
	return peer.AccountRequest{Tenant: "acme", User: user, Service: "cloud", Refused: refused}
}
