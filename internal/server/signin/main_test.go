package signin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/helve-dev/helve/internal/accounts/oauth"
	"github.com/helve-dev/helve/internal/accounts/oauth/oauthtest"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/test/testtime"
)

func TestMain(m *testing.M) { queuetest.Verify(m) }

// world is two dispatchers that sign people in, over a real NATS server and an issuer.
type world struct {
	t        *testing.T
	a, b     *Service
	provider *oauthtest.Provider
	path     string // of the key file
	logs     *observer.ObservedLogs

	mu     sync.Mutex
	now    time.Time
	events []string
}

const redirect = "http://127.0.0.1:8080/login/callback"

func newWorld(t *testing.T, behaviour oauthtest.Behaviour) *world {
	t.Helper()
	w := &world{t: t, provider: oauthtest.New(t, behaviour), path: filepath.Join(t.TempDir(), "keys.yaml"), now: time.Now()}
	w.write("[]")
	var core zapcore.Core
	core, w.logs = observer.New(zapcore.DebugLevel)
	server := queuetest.Server(t)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	open := func() *Service {
		q := queuetest.Connect(t, server)
		bucket, err := q.Conn.Bucket(queuetest.Context(t), streams.BucketSessions)
		if err != nil {
			t.Fatal(err)
		}
		client := &http.Client{Transport: transport}
		auth, err := identity.New(t.Context(), identity.Options{
			KeysFile: w.path, Issuer: w.provider.URL, Audience: "helve", TenantClaim: "tenant", UserClaim: "sub", RolesClaim: "roles", HTTP: client,
		})
		if err != nil {
			t.Fatal(err)
		}
		return New(Options{
			Auth: auth, Bucket: bucket, Idle: time.Hour, Life: 4 * time.Hour, Log: zap.New(core), Now: w.clock, Record: w.record,
			Issuer: &Issuer{
				URL: w.provider.URL, ClientID: oauthtest.ClientID, Secret: oauthtest.ClientSecret, Scopes: []string{"openid"}, Redirect: redirect,
				HTTP: oauth.Client(transport.RoundTrip, 5*time.Second),
			},
		})
	}
	w.a, w.b = open(), open()
	return w
}

func (w *world) record(_ context.Context, by identity.Principal, e Event) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, fmt.Sprint(by.Called(), " ", e.Begins, " ", e.Way))
	return nil
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

func (w *world) write(text string) {
	w.t.Helper()
	if err := os.WriteFile(w.path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// entry returns a key, and the text of the file that has only this one.
func entry(user string, more string) (key, id, text string) {
	key, id, hash := identity.NewKey()
	return key, id, fmt.Sprintf("[{id: %s, hash: %q, tenant: acme, user: %q, %s}]", id, hash, user, more)
}

// until waits until both dispatchers accept or refuse a key, as they have read the file.
func (w *world) until(what string, done func(*Service) bool) {
	w.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	late := time.After(testtime.Patience())
	for !done(w.a) || !done(w.b) {
		select {
		case <-tick.C:
		case <-late:
			w.t.Fatalf("not yet: %s", what)
		}
	}
}

// key adds a key for a person and returns it when both dispatchers have it.
func (w *world) key(user, more string) (key, id string) {
	w.t.Helper()
	key, id, text := entry(user, more)
	w.write(text)
	w.until("the key is known", func(s *Service) bool {
		_, _, err := s.Auth.Key(key)
		return err == nil
	})
	return key, id
}

// over reports whether an error is that of a session that is over.
func over(err error) bool {
	var failure *identity.Failure
	return errors.As(err, &failure) && failure.Status == http.StatusUnauthorized
}

// page is the secret of the pages of a browser.
var page = strings.Repeat("p", 43)

// wantOver checks that no dispatcher has the session.
func (w *world) wantOver(what string, b Browser) {
	w.t.Helper()
	for _, s := range []*Service{w.a, w.b} {
		if by, err := s.Identify(w.t.Context(), b); !over(err) || by.Tenant != "" {
			w.t.Errorf("%s: %+v, %v, want that the session is over", what, by, err)
		}
	}
}

// stored returns everything in the bucket.
func stored(t *testing.T, b *natsio.Bucket) string {
	t.Helper()
	var all strings.Builder
	if err := b.Load(t.Context(), func(key string, value []byte) { fmt.Fprintln(&all, key, string(value)) }); err != nil {
		t.Fatal(err)
	}
	return all.String()
}

func (w *world) read() string {
	w.t.Helper()
	text, err := os.ReadFile(w.path)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}
