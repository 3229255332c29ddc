package callback

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/helve-dev/helve/internal/bus/callbacks"
	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/ports/netguard"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/protocol"
)

// bench is a sender with a receiver, on a NATS server of its own.
type bench struct {
	*Sender
	t      *testing.T
	server *embedded.Server
	q      *queue.Queue
	logs   *observer.ObservedLogs
	hook   *httptest.Server
	// results are the elements of calls that have ended.
	results sync.Map
	records trailOf
}

// trailOf keeps records.
type trailOf struct {
	mu  sync.Mutex
	all []*protocol.AuditRecord
}

func (t *trailOf) Write(_ context.Context, r *protocol.AuditRecord) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = append(t.all, r)
	return nil
}

func newBench(t *testing.T, receive http.HandlerFunc, tune ...func(*queue.Options)) *bench {
	t.Helper()
	srv := queuetest.Server(t)
	b := &bench{
		t:      t,
		server: srv,
		q:      queuetest.Connect(t, srv, append(tune, func(o *queue.Options) { o.Accepts = true })...),
		hook:   httptest.NewServer(whole(receive)),
	}
	t.Cleanup(b.hook.Close)
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	guard, err := netguard.New(netguard.Options{}) // the operator lists the host in callbacks.allowed_hosts only
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(guard.Close)
	core, logs := observer.New(zap.DebugLevel)
	b.logs = logs
	b.Sender = &Sender{
		Service: &Service{Store: callbacks.On(b.q), Hosts: []string{host(b.hook)}, Keys: newKeys(t), MaxWaiting: 1000},
		Outcome: func(_ context.Context, tenant, callID string, _ queue.Acceptance) ([]byte, error) {
			if element, ok := b.results.Load(tenant + "/" + callID); ok {
				return []byte(element.(string)), nil
			}
			return nil, nil
		},
		HTTP: guard, Key: key, Trail: &b.records, Metrics: telemetry.NewMetrics(), Log: zap.New(core),
		RetryFor: time.Hour, Timeout: 30 * time.Second, Dials: b.q.Conn.Dials,
	}
	return b
}

// whole reads the body of a request first: a server notices only then that its client is
// gone.
func whole(receive http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		if _, err := io.Copy(io.Discard, req.Body); err == nil {
			receive(w, req)
		}
	}
}

func host(s *httptest.Server) string { return strings.TrimPrefix(s.URL, "http://") }

// start runs the sender until the returned function is called.
func (b *bench) start() (stop func()) {
	ctx, cancel := context.WithCancel(b.t.Context())
	done := make(chan error, 1)
	go func() { done <- b.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := queuetest.Receive(b.t, done, "end of the sender"); !errors.Is(err, context.Canceled) {
			b.t.Errorf("Run = %v, want the end of its context", err)
		}
	})
	b.t.Cleanup(stop)
	return stop
}

// accept stores the callback of a call to a URL.
func (b *bench) accept(callID, url string) callbacks.Key {
	b.t.Helper()
	return b.acceptAs("acme", callID, url, time.Now())
}

func (b *bench) acceptAs(tenant, callID, url string, at time.Time) callbacks.Key {
	b.t.Helper()
	call := queue.Acceptance{Tool: "echo", User: "ann", AcceptedMS: at.UnixMilli(), StartByMS: at.Add(time.Hour).UnixMilli()}
	err := b.Await(queuetest.Context(b.t), &protocol.Callback{URL: url, Headers: map[string]string{"Authorization": "canary-" + callID}},
		tenant, callID, call)
	if err != nil {
		b.t.Fatal(err)
	}
	return key(tenant, callID, url)
}

// finish makes the result of a call.
func (b *bench) finish(callID string) { b.results.Store("acme/"+callID, element(callID)) }

func element(callID string) string { return fmt.Sprintf(`{"call_id":%q,"tool":"echo"}`, callID) }

// ended waits until a callback has ended, and returns its outcome.
func (b *bench) ended(k callbacks.Key) (outcome string) {
	b.t.Helper()
	queuetest.Until(b.t, "the callback of "+k.CallID+" has ended", func() bool {
		c, _, err := b.Store.Read(queuetest.Context(b.t), k)
		if err != nil || c == nil || c.State != callbacks.Ended {
			return false
		}
		if c.URL != "" || c.Headers != nil {
			b.t.Errorf("an ended callback keeps %s and %d bytes of headers", c.URL, len(c.Headers))
		}
		outcome = c.Outcome
		return true
	})
	return outcome
}

// silent fails if something was logged that is secret.
func (b *bench) silent() {
	b.t.Helper()
	for _, line := range b.logs.All() {
		if text := fmt.Sprint(line.Message, line.ContextMap()); strings.Contains(text, "canary") {
			b.t.Errorf("logged: %s", text)
		}
	}
}
