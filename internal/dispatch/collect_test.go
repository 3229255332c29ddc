package dispatch

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/consent/store"
	"github.com/helve-dev/helve/internal/dispatch/results"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// TestNobodyTakesIt: a call that no worker takes in its time ends in a timeout, with a
// final record and a fence.
func TestNobodyTakesIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.QueueTTL = time.Millisecond })
	answer := make(chan []protocol.Result, 1)
	go func() { answer <- w.execute(local(t), t, w.d, request(sent("c1", "hold", ""))) }()
	if el := queuetest.Receive(t, answer, "answer")[0]; el.ErrorType != tool.Timeout || !strings.Contains(el.Message, "waited too long") {
		t.Errorf("the call = %+v, want a timeout", el)
	}
	if fence, err := w.worker.Calls.Fenced(t.Context(), "acme", "c1"); err != nil || fence == nil || fence.Ended != string(tool.Timeout) {
		t.Errorf("the fence is %+v, %v, want the end of the call", fence, err)
	}
}

// TestOverdueCallRuns: a call past its time that a worker runs is not ended.
func TestOverdueCallRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.start(t, "c1")
	w.runs(t, d)
	w.fence(t, "c1")
	rec, err := w.d.Queue.Calls.Accepted(t.Context(), "acme", "c1")
	if err != nil {
		t.Fatal(err)
	}
	if element, err := w.d.expire(local(t), refOf("acme", "c1", rec)); element != nil || err != nil {
		t.Errorf("expire = %s, %v, want the call left to its worker", element, err)
	}
	// A fence that a worker has stored keeps the call too.
	w.fence(t, "c2")
	if element, err := w.d.end(local(t), ref{Ref: results.Named("acme", "c2").In("default")}, tool.Fail(tool.Cancelled, "x")); element != nil ||
		err != nil {
		t.Errorf("end of a fenced call = %s, %v, want nothing", element, err)
	}
	w.finish(t, d, &protocol.Result{Status: protocol.StatusSuccess})
}

// TestEndedOnce: the first reason to end a call counts.
func TestEndedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := ref{Ref: results.Named("acme", "c1").In("default"), origin: "d-1", tool: "hold"}
	first, err := w.d.end(local(t), r, tool.Fail(tool.Cancelled, "cancelled"))
	if err != nil || elements(t, first)[0].ErrorType != tool.Cancelled {
		t.Fatalf("end = %s, %v", first, err)
	}
	second, err := w.dispatcher(t).end(local(t), r, tool.Fail(tool.Timeout, "late"))
	if err != nil || string(second) != string(first) {
		t.Errorf("ended again = %s, %v, want %s", second, err, first)
	}
}

// TestAwaitsConsent: a request that does not wait for consent is answered as soon as the
// call is parked; a request that waits has the result.
func TestAwaitsConsent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	req := request(sent("c1", "hold", ""))
	answer, patient := make(chan []protocol.Result, 1), make(chan []protocol.Result, 1)
	go func() { answer <- w.execute(local(t), t, w.d, req) }()
	d := queuetest.Receive(t, w.held, "call")
	id := store.ConsentOf("acme", "c1")
	if err := store.On(w.worker).Park(t.Context(), &store.Parked{ConsentID: id, Call: d.Call, Request: []byte(`{}`)}); err != nil {
		t.Fatal(err)
	}
	if err := w.worker.Owners.TellAwaits("acme", d.Origin, "c1", id); err != nil {
		t.Fatal(err)
	}
	if el := queuetest.Receive(t, answer, "answer")[0]; el.State != protocol.StateAwaitingConsent || el.ConsentID != id {
		t.Errorf("the answer = %+v, want it to await consent", el)
	}
	req.ConsentWait = true
	go func() { patient <- w.execute(local(t), t, w.dispatcher(t), req) }()
	w.finish(t, d, &protocol.Result{Status: protocol.StatusSuccess, Result: json.RawMessage(`1`)})
	if el := queuetest.Receive(t, patient, "answer")[0]; el.Status != protocol.StatusSuccess {
		t.Errorf("the patient answer = %+v, want the result", el)
	}
}

// TestRepair: a call that was accepted and never queued, because its dispatcher died, is
// queued by the request that joins it.
func TestRepair(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	req := request(sent("c1", "echo", `{}`))
	ticket, _ := w.d.shares.take("default", person{"acme", "ann"}, "", true)
	def, _ := w.d.Catalog.Of("acme", "ann").Lookup("echo")
	e := w.d.message(&req, &req.Calls[0], def, ticket)
	e.AcceptedMS = time.Now().Add(-2 * joinGrace).UnixMilli()
	rec := acceptance(e, results.Named("acme", e.ID), "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a") // {}
	if _, err := w.d.Queue.Calls.Accept(t.Context(), "acme", "c1", rec); err != nil {
		t.Fatal(err)
	}
	if el := w.execute(local(t), t, w.dispatcher(t), req)[0]; el.Status != protocol.StatusSuccess {
		t.Errorf("the joined call = %+v, want it run", el)
	}
}

// TestRepairKeepsOrigin: the request that queues such a call again does not change the way in
// which it was made, which rules judge it by.
func TestRepairKeepsOrigin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	req := request(sent("c1", "hold", `{}`))
	req.Via = "schedule"
	ticket, _ := w.d.shares.take("default", person{"acme", "ann"}, "", true)
	def, _ := w.d.Catalog.Of("acme", "ann").Lookup("hold")
	e := w.d.message(&req, &req.Calls[0], def, ticket)
	e.AcceptedMS = time.Now().Add(-2 * joinGrace).UnixMilli()
	rec := acceptance(e, results.Named("acme", e.ID), "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a") // {}
	if _, err := w.d.Queue.Calls.Accept(t.Context(), "acme", "c1", rec); err != nil {
		t.Fatal(err)
	}
	req.Via, req.Wait = "", 0
	if el := w.execute(local(t), t, w.dispatcher(t), req)[0]; el.Status != protocol.StatusPending || el.Origin != "schedule" {
		t.Errorf("the joined call = %+v, want it pending, of the origin schedule", el)
	}
	d := queuetest.Receive(t, w.held, "call")
	if d.Via != "schedule" {
		t.Errorf("the call is queued again with the origin %q", d.Via)
	}
	d.Release()
	d.Ack()
}

// TestUnended: an error of a cancellation names the full store.
func TestUnended(t *testing.T) {
	t.Parallel()
	if e := cancelError(fmt.Errorf("x: %w", natsio.ErrFull)); e.Kind != Unavailable || !strings.Contains(e.Msg, "results_max_bytes") {
		t.Errorf("a full store: %v", e)
	}
	if e := cancelError(natsio.ErrUnavailable); e.Kind != Unavailable || !strings.Contains(e.Error(), "unavailable: NATS cannot be reached") {
		t.Errorf("NATS is away: %v", e)
	}
	if e := confirmError(natsio.ErrUnavailable); e.Kind != tool.Internal || !errors.Is(e, natsio.ErrUnavailable) {
		t.Errorf("a call that may be accepted: %v", e)
	}
}

// TestRelease: a call that found no room can be sent again with the same call_id.
func TestRelease(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	req := request(sent("c1", "echo", ""))
	req.Began = time.Now()
	rec, err := w.d.Queue.Calls.Accept(t.Context(), "acme", "c1", queue.Acceptance{Tool: "hold", ArgsHash: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if out := w.d.release(local(t), &req, &req.Calls[0], rec, natsio.ErrFull); !errors.Is(out.err, natsio.ErrFull) {
		t.Errorf("release = %v, want the reason", out.err)
	}
	if el := w.execute(local(t), t, w.d,
		request(sent("c1", "echo", `{}`)))[0]; el.Status != protocol.StatusSuccess {
		t.Errorf("sent again = %+v, want it run", el)
	}
}
