package consent_test

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/consent/store"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// rig is a worker's and a dispatcher's side of consent on one server.
type rig struct {
	parker  *consent.Parker
	service *consent.Service
	key     ed25519.PrivateKey // the service's
	ring    *token.Keyring
	nc      *nats.Conn  // somebody who may publish anything
	resumed chan string // the calls that came back onto the queue
	metrics *telemetry.Metrics
	parked  int
}

func newRig(b testing.TB) *rig {
	b.Helper()
	srv, ctx := queuetest.Server(b), b.Context()
	// A benchmark may go on for longer than its calls would wait.
	patient := func(o *queue.Options) { o.ConsentTTL = time.Hour }
	onWorker, onDispatcher := queuetest.Connect(b, srv, patient), queuetest.Connect(b, srv, patient)
	metrics := telemetry.NewMetrics()
	asks, err := onWorker.Conn.Bucket(ctx, streams.BucketAsks)
	if err != nil {
		b.Fatal(err)
	}
	public, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		b.Fatal(err)
	}
	ring := &token.Keyring{}
	if err := ring.Put(token.KeyID(public), public); err != nil {
		b.Fatal(err)
	}
	nc, err := nats.Connect(srv.URL())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(nc.Close)
	r := &rig{
		nc: nc,
		parker: &consent.Parker{
			Queue: onWorker,
			Asks:  asks,
			Ring:  ring,
			Trail: trail.Writer{Queue: onWorker, Metrics: metrics, Log: zap.NewNop()},
		},
		key: key, ring: ring, metrics: metrics,
		resumed: make(chan string, 1024),
	}
	r.service, err = consent.Open(ctx, consent.Options{
		Queue: onDispatcher, Signer: token.NewSigner(key), Ring: ring,
		Trail: trail.Writer{Queue: onDispatcher, Metrics: metrics, Log: zap.NewNop()}, Metrics: metrics, Log: zap.NewNop(),
		QueueTTL: time.Minute, TokenTTL: time.Hour,
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := onWorker.Calls.EnsurePool(ctx, "default"); err != nil {
		b.Fatal(err)
	}
	pool, err := onWorker.Calls.Consume("default", 16, func(d *queue.Delivery) {
		d.Release()
		d.Ack()
		r.resumed <- d.ID
	}, func() { b.Error("a call could not be read") })
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	return r
}

// next returns another call of the default tenant; a hundred of them belong to one
// user, the maximum.
func (r *rig) next() (*call.Call, consent.Ask) {
	user := fmt.Sprint("u", r.parked/100)
	r.parked++
	e := &call.Call{
		ID: fmt.Sprint("c", r.parked), TraceID: strings.Repeat("a", 32), Tool: "debug.guarded", Origin: "d-1", User: user,
		Arguments: []byte(`{"key":"k"}`), Tenant: "default", Pool: "default", AcceptedMS: time.Now().UnixMilli(),
	}
	return e, consent.Ask{TTL: time.Hour, Request: protocol.Consent{
		Call: protocol.ConsentCall{CallID: e.ID, TraceID: e.TraceID}, Tool: e.Tool, Risk: tool.Medium, Reason: "A medium risk needs a yes.",
		ForTool: true, Tenant: e.Tenant, User: user, Permissions: []string{}, Arguments: []byte(`{"key":"k"}`), Preview: "key: k",
		ArgsHash: "sha256:" + strings.Repeat("0", 64), Scopes: tool.Scopes{Paths: []string{"workspace"}},
	}}
}

// park parks one more call and returns its id.
func (r *rig) park(b *testing.B) string {
	b.Helper()
	e, ask := r.next()
	if err := r.parker.Park(b.Context(), e, ask); err != nil {
		b.Fatal(err)
	}
	return e.ID
}

// BenchmarkPark measures a worker's cost of a call that needs a person.
func BenchmarkPark(b *testing.B) {
	r := newRig(b)
	for b.Loop() {
		r.park(b)
	}
}

// BenchmarkRoundTrip is the way from a person's yes to the call being with a
// worker again.
func BenchmarkRoundTrip(b *testing.B) {
	r := newRig(b)
	person := identity.Principal{Tenant: "default", Name: "local", Roles: identity.Roles(), Open: true}
	for b.Loop() {
		b.StopTimer()
		call := r.park(b)
		id := r.consentOf(b, call)
		b.StartTimer()
		if _, err := r.service.Decide(b.Context(), "default", id, consent.Decision{Grant: true}, person); err != nil {
			b.Fatal(err)
		}
		if back := queuetest.Receive(b, r.resumed, "granted call"); back != call {
			b.Fatalf("call %s came back in place of %s", back, call)
		}
	}
}

func (r *rig) consentOf(b testing.TB, call string) string {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), queuetest.Patience)
	defer cancel()
	p, err := store.On(r.parker.Queue).ByCall(ctx, "default", call)
	if err != nil || p == nil {
		b.Fatal(p, err)
	}
	return p.ConsentID
}
