package dispatch

import (
	"cmp"
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/dispatch/place"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/fleet/affinity"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

func TestMain(m *testing.M) { queuetest.Verify(m) }

// world is a dispatcher and a worker of the pool default on one server. The worker
// answers calls of echo with their arguments, fails those of fail, and leaves those of
// hold to the test.
type world struct {
	d      *Dispatcher
	srv    *embedded.Server
	worker *queue.Queue
	fleet  *fleet.Fleet
	parked *parkedCalls
	held   chan *queue.Delivery
	trail  trail.Writer // the worker's
	work   sync.WaitGroup
}

// parkedCalls holds the verdicts about parked calls and which of the calls were cancelled.
type parkedCalls struct {
	mu        sync.Mutex
	waiting   map[string]bool
	verdicts  map[string]*protocol.Verdict
	cancelled []string
}

func (p *parkedCalls) Cancel(_ context.Context, _, callID, _ string) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cancelled = append(p.cancelled, callID)
	return p.waiting[callID], nil
}

func (p *parkedCalls) Verdict(_ context.Context, _, consentID string) (*protocol.Verdict, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.verdicts[consentID], nil
}

func (p *parkedCalls) decide(consentID string, v *protocol.Verdict) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.verdicts[consentID] = v
}

// definitions returns the tools of the catalogue. No worker has away.
func definitions() []tool.Definition {
	defs := []tool.Definition{
		{Name: "echo"}, {Name: "hold"}, {Name: "fail"}, {Name: "away", Pool: "nobody"}, {Name: "lacking"},
		{Name: "outside", Kind: tool.KindRemote}, {Name: "withheld", Kind: tool.KindMCP}, {Name: catalog.UseTool},
	}
	for i := range defs {
		d := &defs[i]
		d.Enabled = d.Kind == ""
		d.Pool, d.Kind = cmp.Or(d.Pool, "default"), cmp.Or(d.Kind, tool.KindBuiltin)
		d.Version, d.Parameters, d.TimeoutSeconds = "1", json.RawMessage(`{"type":"object"}`), 1
	}
	return defs
}

// newWorld starts both processes; each tune may change the dispatcher's options.
func newWorld(t *testing.T, tune ...func(*Options)) *world {
	t.Helper()
	w := &world{
		srv: queuetest.Server(t), fleet: fleet.New(), held: make(chan *queue.Delivery, 100),
		parked: &parkedCalls{waiting: map[string]bool{}, verdicts: map[string]*protocol.Verdict{}},
	}
	w.worker = queuetest.Connect(t, w.srv)
	w.trail = trail.Writer{Queue: w.worker, Metrics: telemetry.NewMetrics(), Log: zap.NewNop()}
	if err := w.worker.Calls.EnsurePool(t.Context(), "default"); err != nil {
		t.Fatal(err)
	}
	pool, err := w.worker.Calls.Consume("default", 16, func(d *queue.Delivery) { w.run(t, d) }, func() { t.Error("a call could not be read") })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	t.Cleanup(w.work.Wait) // an answer comes before the worker has the acknowledgement
	w.announce(t, "echo", "hold", "fail", catalog.UseTool)
	w.d = w.dispatcher(t, tune...)
	return w
}

// dispatcher starts another dispatcher.
func (w *world) dispatcher(t *testing.T, tune ...func(*Options)) *Dispatcher {
	t.Helper()
	q := queuetest.Connect(t, w.srv)
	metrics, shared := telemetry.NewMetrics(), catalog.New()
	if err := shared.Put(definitions()...); err != nil {
		t.Fatal(err)
	}
	bindings, err := affinity.Open(t.Context(), q, w.fleet)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{
		Queue: q, Catalog: catalog.NewTenants(shared), Agents: &catalog.Agents{}, Placer: &place.Placer{Workers: w.fleet, Bindings: bindings}, Metrics: metrics,
		Log:    zap.NewNop(),
		Parked: w.parked, Trail: trail.Writer{Queue: q, Metrics: metrics, Log: zap.NewNop()},
		MaxBacklog: 1000, QuickUser: 16, QuickTenant: 100, Quota: Quota{User: 1000, Tenant: 1000},
		QueueTTL:    time.Minute,
		DirectUnder: 100 * time.Millisecond, DirectWait: 250 * time.Millisecond,
	}
	for _, change := range tune {
		change(&o)
	}
	d, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// announce sets the tools of the worker.
func (w *world) announce(t *testing.T, names ...string) {
	t.Helper()
	w.fleet.Set(fleet.Live{"default": {liveWorker(t, names...)}})
}

// liveWorker returns the announcement of a worker with tools.
func liveWorker(t *testing.T, names ...string) fleet.Worker {
	t.Helper()
	defs := make([]tool.Definition, len(names))
	for i, name := range names {
		defs[i] = tool.Definition{Name: name, Version: "1"}
	}
	kind, err := fleet.NewKind(defs)
	if err != nil {
		t.Fatal(err)
	}
	return fleet.Worker{ID: "w1", Workspace: "A", Slots: 16, Kind: kind.Hash, Tools: kind}
}

func (w *world) run(t *testing.T, d *queue.Delivery) {
	switch d.Tool {
	case "hold":
		w.held <- d
	case "fail":
		w.finish(t, d, &protocol.Result{Status: protocol.StatusError, ErrorType: tool.FileNotFound, Message: "there is none"})
	default:
		if err := d.LoadArguments(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
		w.finish(t, d, &protocol.Result{Status: protocol.StatusSuccess, Result: json.RawMessage(d.Arguments)})
	}
}

// finish stores the result of a call and ends its delivery.
func (w *world) finish(t *testing.T, d *queue.Delivery, el *protocol.Result) {
	w.work.Add(1)
	defer w.work.Done()
	el.CallID, el.ToolCallID, el.TraceID, el.Tool, el.State, el.Attempt, el.Owner = d.ID, d.ToolCallID, d.TraceID, d.Tool,
		protocol.StateDone, d.Attempt, d.Owner()
	data, err := call.EncodeResult(el)
	if err == nil {
		r := &protocol.AuditRecord{
			ID:      "f-" + d.ID + "-1",
			Phase:   protocol.AuditFinished,
			CallID:  d.ID,
			TraceID: d.TraceID,
			Tenant:  d.Tenant,
			User:    d.User,
			Tool:    d.Tool,
		}
		err = w.trail.End(context.WithoutCancel(t.Context()), d.Pool, d.Origin, data, r)
	}
	if err != nil {
		t.Errorf("the result of %s is not stored: %v", d.ID, err)
	}
	d.Release()
	d.Ack()
}

// local returns a context of a caller without credentials.
func local(t *testing.T) context.Context {
	t.Helper()
	return identity.With(queuetest.Context(t), identity.Anyone("acme"))
}

// as returns a context of a person with roles.
func as(t *testing.T, user string, roles ...identity.Role) context.Context {
	t.Helper()
	return identity.With(queuetest.Context(t), identity.Principal{Tenant: "acme", User: user, Name: user, Roles: append(roles, identity.User)})
}

// sent returns a call as a caller sends it; an empty id means that one is made.
func sent(id, tool, args string) Call {
	c := Call{Call: call.Call{ID: id, Tool: tool}}
	if args != "" {
		c.Arguments = []byte(args)
	}
	return c
}

// request returns a request of ann that waits for its results.
func request(calls ...Call) Request {
	return Request{Tenant: "acme", User: "ann", Agent: "bot", Calls: calls, Wait: queuetest.Patience}
}

// execute runs a request and returns its elements.
func (w *world) execute(ctx context.Context, t *testing.T, d *Dispatcher, req Request) []protocol.Result {
	t.Helper()
	res, err := d.Execute(ctx, req)
	if err != nil {
		t.Fatalf("Execute: %v", err)
	}
	return elements(t, res.Results...)
}

func elements(t *testing.T, all ...json.RawMessage) []protocol.Result {
	t.Helper()
	list := make([]protocol.Result, len(all))
	for i, data := range all {
		el, err := call.DecodeResult(data)
		if err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		list[i] = *el
	}
	return list
}
