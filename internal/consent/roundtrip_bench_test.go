package consent_test

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/token"
	"github.com/helve-dev/helve/internal/trail"
	"github.com/helve-dev/helve/tool"
)

// rig is a worker's and a dispatcher's side of consent on one server.
type rig struct {
	parker  *consent.Parker
	desk    *consent.Desk
	resumed chan string // the calls that came back onto the queue
	parked  int
}

func newRig(b testing.TB) *rig {
	b.Helper()
	srv, ctx := bustest.Server(b), b.Context()
	// A benchmark may go on for longer than its calls would wait.
	patient := func(o *bus.Options) { o.ConsentTTL = time.Hour }
	onWorker, onDispatcher := bustest.Connect(b, srv, patient), bustest.Connect(b, srv, patient)
	metrics := telemetry.NewMetrics()
	asks, err := onWorker.Bucket(ctx, bus.BucketAsks)
	if err != nil {
		b.Fatal(err)
	}
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		b.Fatal(err)
	}
	r := &rig{
		parker:  &consent.Parker{Bus: onWorker, Asks: asks, Trail: trail.Trail{Bus: onWorker, Metrics: metrics, Log: zap.NewNop()}},
		resumed: make(chan string, 1024),
	}
	r.desk, err = consent.Open(ctx, consent.Options{
		Bus: onDispatcher, Signer: token.NewSigner(key), Trail: trail.Trail{Bus: onDispatcher, Metrics: metrics, Log: zap.NewNop()},
		Metrics: metrics, Log: zap.NewNop(), QueueTTL: time.Minute,
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := onWorker.EnsurePool(ctx, "default"); err != nil {
		b.Fatal(err)
	}
	pool, err := onWorker.Consume("default", 16, func(d *bus.Delivery) {
		d.Release()
		d.Ack()
		r.resumed <- d.CallID
	}, func() { b.Error("a call could not be read") })
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	return r
}

// next is one more call of the default tenant; a hundred of them are one user's,
// who may have no more.
func (r *rig) next() (*bus.Envelope, consent.Ask) {
	user := fmt.Sprint("u", r.parked/100)
	r.parked++
	e := &bus.Envelope{
		CallID: fmt.Sprint("c", r.parked), TraceID: strings.Repeat("a", 32), Tool: "debug.guarded", Origin: "d-1", User: user,
		Arguments: []byte(`{"key":"k"}`), Tenant: "default", Pool: "default", AcceptedMS: time.Now().UnixMilli(),
	}
	return e, consent.Ask{TTL: time.Hour, Request: consent.Request{
		Call: consent.Call{CallID: e.CallID, TraceID: e.TraceID}, Tool: e.Tool, Risk: tool.Medium, Reason: "A medium risk needs a yes.",
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
	return e.CallID
}

// BenchmarkPark is what a call that needs a person costs its worker.
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
		if _, err := r.desk.Decide(b.Context(), "default", id, consent.Decision{Grant: true}, person); err != nil {
			b.Fatal(err)
		}
		if back := bustest.Receive(b, r.resumed, "granted call"); back != call {
			b.Fatalf("call %s came back in place of %s", back, call)
		}
	}
}

func (r *rig) consentOf(b testing.TB, call string) string {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), bustest.Patience)
	defer cancel()
	p, err := r.parker.Bus.ParkedCall(ctx, "default", call)
	if err != nil || p == nil {
		b.Fatal(p, err)
	}
	return p.ConsentID
}
