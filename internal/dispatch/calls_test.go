package dispatch

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/consent/store"
	"github.com/helve-dev/helve/internal/dispatch/results"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// queued returns a queued call of a user and an agent.
func (w *world) queued(user, agent string) *call.Call {
	now := time.Now()
	return &call.Call{
		ID: "c1", TraceID: "00000000000000000000000000000001", Tool: "hold", Origin: "d-1", User: user, Agent: agent, Tenant: "acme",
		Pool: "default", Arguments: []byte(`{}`), AcceptedMS: now.UnixMilli(), StartByMS: now.Add(time.Minute).UnixMilli(),
	}
}

// start queues a call of ann for the tool hold and returns it once the worker has it.
func (w *world) start(t *testing.T, id string) *queue.Delivery {
	t.Helper()
	req := request(sent(id, "hold", ""))
	req.Wait, req.Via = 0, "mcp"
	if el := w.execute(local(t), t, w.d, req)[0]; el.Status != protocol.StatusPending || el.State != protocol.StateQueued ||
		el.Origin != "mcp" {
		t.Fatalf("the call = %+v, want it queued, of the origin mcp", el)
	}
	return queuetest.Receive(t, w.held, "call")
}

// runs makes the worker answer that it runs a call.
func (w *world) runs(t *testing.T, d *queue.Delivery) {
	t.Helper()
	held := func(tenant, callID string) *call.Owner {
		if tenant != d.Tenant || callID != d.ID {
			return nil
		}
		return &call.Owner{State: protocol.StateRunning, Origin: d.Origin, Tool: d.Tool, Pool: d.Pool, By: "w1", Owner: d.Owner()}
	}
	if err := errors.Join(w.worker.Owners.ServeProbe(held), w.worker.Owners.ServeCancel(held), w.worker.Conn.Flush(t.Context())); err != nil {
		t.Fatal(err)
	}
}

func wantKind(t *testing.T, what string, err error, want Kind) {
	t.Helper()
	if e, ok := errors.AsType[*Error](err); !ok || e.Kind != want {
		t.Errorf("%s: %v, want %s", what, err, want)
	}
}

// TestGet: a call is queued, runs and has its result; nobody else's call exists.
func TestGet(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.start(t, "c1")
	get := func(ctx context.Context) protocol.Result {
		t.Helper()
		data, err := w.d.Get(ctx, "acme", "c1")
		if err != nil {
			t.Fatalf("Get: %v", err)
		}
		return elements(t, data)[0]
	}
	if el := get(as(t, "ann")); el.Status != protocol.StatusPending || el.State != protocol.StateQueued || el.Tool != "hold" {
		t.Errorf("before a worker answers: %+v, want queued", el)
	}
	w.runs(t, d)
	queuetest.Until(t, "it runs", func() bool { return get(as(t, "ann")).State == protocol.StateRunning }) // an answer may be late
	_, err := w.d.Get(as(t, "bob"), "acme", "c1")
	wantKind(t, "a call of somebody else", err, NotFound)
	_, err = w.d.Get(local(t), "acme", "c-unknown")
	wantKind(t, "an unknown call", err, NotFound)
	if el := get(as(t, "eve", identity.Auditor)); el.Status != protocol.StatusPending || el.Tool != "hold" {
		t.Errorf("for an auditor: %+v", el)
	}
	w.finish(t, d, &protocol.Result{Status: protocol.StatusSuccess, Result: json.RawMessage(`7`)})
	if el := get(as(t, "ann")); el.Status != protocol.StatusSuccess || string(el.Result) != `7` {
		t.Errorf("when it is done: %+v", el)
	}
	_, err = w.d.Get(as(t, "bob"), "acme", "c1")
	wantKind(t, "a result of somebody else", err, NotFound)
}

// TestGetParked: a parked call awaits consent, and after the verdict it is queued.
func TestGetParked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	e := w.queued("ann", "bot")
	consentID := store.ConsentOf("acme", e.ID)
	if err := store.On(w.worker).Park(t.Context(), &store.Parked{ConsentID: consentID, Call: e, Request: []byte(`{}`)}); err != nil {
		t.Fatal(err)
	}
	data, err := w.d.Get(as(t, "ann"), "acme", "c1")
	if err != nil {
		t.Fatal(err)
	}
	if el := elements(t, data)[0]; el.State != protocol.StateAwaitingConsent || el.ConsentID != consentID {
		t.Errorf("a parked call = %+v", el)
	}
	_, err = w.d.Get(as(t, "bob"), "acme", "c1")
	wantKind(t, "a parked call of somebody else", err, NotFound)
	waits, err := w.d.waitsStill(t.Context(), "acme", "c1")
	if !waits || err != nil {
		t.Errorf("before the verdict it waits: %v, %v", waits, err)
	}
	w.parked.decide(consentID, &protocol.Verdict{Status: protocol.GrantedConsent, At: time.Now()})
	if st := w.d.stateOf(t.Context(), "acme", "c1", nil); st.state != protocol.StateQueued {
		t.Errorf("after the verdict its state is %+v, want queued", st)
	}
	if waits, err = w.d.waitsStill(t.Context(), "acme", "c1"); !waits || err != nil {
		t.Errorf("after a grant it waits for a worker: %v, %v", waits, err)
	}
	w.parked.decide(consentID, &protocol.Verdict{Status: protocol.GrantedConsent, At: time.Now().Add(-time.Hour)})
	if waits, err = w.d.waitsStill(t.Context(), "acme", "c1"); waits || err != nil {
		t.Errorf("an hour after a grant it waits: %v, %v", waits, err)
	}
}

// TestCancelQueued: a call that no worker has ends in cancelled, and does not start later.
func TestCancelQueued(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.start(t, "c1")
	_, err := w.d.Cancel(as(t, "bob"), "acme", "c1")
	wantKind(t, "a call of somebody else", err, NotFound)
	_, err = w.d.Cancel(as(t, "eve", identity.Auditor), "acme", "c1")
	wantKind(t, "as an auditor", err, Forbidden)
	data, err := w.d.Cancel(as(t, "ann"), "acme", "c1")
	if err != nil {
		t.Fatal(err)
	}
	if el := elements(t, data)[0]; el.ErrorType != tool.Cancelled || el.Origin != "mcp" {
		t.Errorf("the cancelled call = %+v", el)
	}
	if fence, err := w.worker.Calls.Fenced(t.Context(), "acme", "c1"); err != nil || fence == nil || fence.Ended != string(tool.Cancelled) {
		t.Errorf("the fence is %+v, %v, want the end of the call", fence, err)
	}
	again, err := w.d.Cancel(as(t, "ann"), "acme", "c1")
	if err != nil || string(again) != string(data) {
		t.Errorf("cancelled again = %s, %v, want %s", again, err, data)
	}
	_, err = w.d.Cancel(as(t, "ann"), "acme", "c-unknown")
	wantKind(t, "an unknown call", err, NotFound)
	d.Release()
	d.Ack()
}

// TestEndKeepsOrigin: the record of a call that a dispatcher ends names the way in which it
// was made.
func TestEndKeepsOrigin(t *testing.T) {
	t.Parallel()
	r := endRecord(t.Context(), ref{Ref: results.Named("acme", "c1"), via: "schedule"}, tool.Fail(tool.Timeout, "it waited too long"))
	if r.Origin != "schedule" {
		t.Errorf("the origin is %q, want schedule", r.Origin)
	}
}

// TestCancelRunning: a call that runs is told to stop, and its own outcome counts.
func TestCancelRunning(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.start(t, "c1")
	w.fence(t, d.ID)
	w.finishOnCancel(t, d)
	data, err := w.d.Cancel(as(t, "ann"), "acme", "c1")
	if err != nil {
		t.Fatal(err)
	}
	if el := elements(t, data)[0]; el.Status != protocol.StatusSuccess || string(el.Result) != `"stopped"` {
		t.Errorf("the cancelled call = %+v, want its own outcome", el)
	}
}

// fence stores that a worker has begun a call: an answer of the worker that comes too late
// does not end the call then.
func (w *world) fence(t *testing.T, callID string) {
	t.Helper()
	if _, err := w.worker.Calls.Fence(t.Context(), "acme", callID, call.Fence{By: "w1", AtMS: 1}); err != nil {
		t.Fatal(err)
	}
}

// finishOnCancel finishes a call when a cancellation reaches the worker.
func (w *world) finishOnCancel(t *testing.T, d *queue.Delivery) {
	t.Helper()
	var once sync.Once
	if err := w.worker.Owners.ServeCancel(func(_, callID string) *call.Owner {
		if callID == d.ID {
			once.Do(func() {
				go w.finish(t, d, &protocol.Result{Status: protocol.StatusSuccess, Result: json.RawMessage(`"stopped"`)})
			})
		}
		return &call.Owner{State: protocol.StateRunning, Tool: d.Tool, By: "w1", Owner: d.Owner()}
	}); err != nil {
		t.Fatal(err)
	}
	if err := w.worker.Conn.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}
