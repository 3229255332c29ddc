package queue_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/call"
)

// direct returns an inbox that may send direct calls.
func direct(t *testing.T, q *queue.Queue) *queue.Inbox {
	t.Helper()
	in := openInbox(t, q)
	queuetest.Until(t, "direct calls may be published", in.MaySendDirect)
	return in
}

// subscribed waits until the server knows the subscriptions of a worker.
func subscribed(t *testing.T, w *queue.Queue) {
	t.Helper()
	if err := w.Conn.Flush(queuetest.Context(t)); err != nil {
		t.Fatal(err)
	}
}

// hand sends a direct call and returns the channels for its result and its refusal.
func hand(t *testing.T, in *queue.Inbox, e *call.Call) (got chan []byte, refused chan error) {
	t.Helper()
	got, refused = make(chan []byte, 2), make(chan error, 1)
	in.Expect(e.Tenant, e.ID, e.Tool, e.Pool, e.Owner(), got, nil)
	if err := in.SendDirect(e, got, refused); err != nil {
		t.Fatal(err)
	}
	return got, refused
}

// taken hands a direct call until a worker takes it: on a busy machine one may be declined because it
// comes late.
func taken(t *testing.T, in *queue.Inbox, to <-chan *queue.Delivery, id string) (x *queue.Delivery, refused chan error) {
	t.Helper()
	queuetest.Until(t, id+" is taken", func() bool {
		_, refused = hand(t, in, newCall(id))
		select {
		case x = <-to:
		case <-refused:
		}
		return x != nil
	})
	return x, refused
}

// queued returns the number of calls that were ever queued.
func queued(t *testing.T, q *queue.Queue) uint64 {
	t.Helper()
	s, err := q.Conn.JetStream().Stream(queuetest.Context(t), streams.Calls)
	if err != nil {
		t.Fatal(err)
	}
	return s.CachedInfo().State.LastSeq
}

// TestDirectCall: a worker with a free slot runs a call that was never queued, like one of
// the queue: with its lane, its slot and its result.
func TestDirectCall(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	d, w := queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	c, taken := consume(t, w, 8)
	defer c.Close()
	subscribed(t, w)
	in := direct(t, d)
	for _, lane := range []string{queue.Quick, "3"} {
		e := newCall("c" + lane)
		e.Origin, e.Lane, e.Traceparent = d.Conn.ID(), lane, "00-"+e.TraceID+"-00f067aa0ba902b7-01"
		got, _ := hand(t, in, e)
		x := queuetest.Receive(t, taken, "direct call")
		if !x.Direct() || x.ID != e.ID || x.Tenant != "acme" || x.Pool != "default" || x.Lane != lane || x.Attempt != 1 ||
			x.Redelivered() || x.Traceparent != e.Traceparent {
			t.Errorf("the worker received %+v, attempt %d", x.Call, x.Attempt)
		}
		if c.Busy() != 1 {
			t.Errorf("%d slots are busy, want 1", c.Busy())
		}
		if err := w.Results.FinishWait(queuetest.Context(t), x.Tenant, x.Pool, x.Origin, x.ID, []byte("done"), nil); err != nil {
			t.Fatal(err)
		}
		settled(x)
		if string(queuetest.Receive(t, got, "answer")) != "done" {
			t.Error("the answer is not the result")
		}
	}
	if c.Busy() != 0 || queued(t, d) != 0 {
		t.Errorf("%d slots are busy and %d calls were queued, want none", c.Busy(), queued(t, d))
	}
	if err := c.Drain(queuetest.Context(t)); err != nil {
		t.Errorf("Drain = %v, want nil: nothing is held", err)
	}
}

// TestDirectCallDeclined: a dispatcher is notified, once, if a worker does not run a call
// immediately or returns it.
func TestDirectCallDeclined(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	d, w := queuetest.Connect(t, srv), queuetest.Connect(t, srv, ackWait(never))
	in := direct(t, d)

	_, refused := hand(t, in, newCall("nobody"))
	if why := queuetest.Receive(t, refused, "refusal"); why != queue.Unheard {
		t.Errorf("without a worker the refusal is %v, want Unheard", why)
	}

	c, came := consume(t, w, 1)
	defer c.Close()
	subscribed(t, w)
	old := newCall("old")
	old.AcceptedMS = time.Now().Add(-time.Second).UnixMilli()
	if _, refused = hand(t, in, old); queuetest.Receive(t, refused, "refusal") != queue.Busy {
		t.Error("an old call is not declined as Busy")
	}

	runs, refused := taken(t, in, came, "runs")
	_, second := hand(t, in, newCall("second"))
	if why := queuetest.Receive(t, second, "refusal"); why != queue.Busy {
		t.Errorf("without a free slot the refusal is %v, want Busy", why)
	}
	runs.Release()
	runs.Retry(time.Hour)
	if why := queuetest.Receive(t, refused, "refusal"); why != queue.Unfit {
		t.Errorf("a call that is returned is refused as %v, want Unfit", why)
	}

	moves, refused := taken(t, in, came, "moves")
	moved := make(chan error, 1)
	moves.Release()
	moves.Move("1", func(err error) { moved <- err })
	if why, err := queuetest.Receive(t, refused, "refusal"), queuetest.Receive(t, moved, "end of the move"); why != queue.Unfit || err != nil {
		t.Errorf("a call that is moved is refused as %v, %v, want Unfit", why, err)
	}
	if queued(t, d) != 0 {
		t.Errorf("workers queued %d calls, want 0: their dispatcher does", queued(t, d))
	}

	drains, _ := taken(t, in, came, "drains")
	ended := make(chan error, 1)
	go func() { ended <- c.Drain(queuetest.Context(t)) }()
	settled(drains)
	if err := queuetest.Receive(t, ended, "end of the drain"); err != nil {
		t.Errorf("Drain = %v, want nil", err)
	}
	_, refused = hand(t, in, newCall("late"))
	queuetest.Receive(t, refused, "refusal of a worker that drains")
}

// TestDirectCallOvertakesNobody: while a call of the queue waits for a slot, direct calls
// are declined, even if a reserved slot is free.
func TestDirectCallOvertakesNobody(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	d, w := queuetest.Connect(t, srv), queuetest.Connect(t, srv, ackWait(never))
	in := direct(t, d)
	const slots = 8 // one of them is reserved
	for i := range slots {
		e := newCall("s" + string(rune('0'+i)))
		e.Lane = "2"
		if err := submit(t, d, e); err != nil {
			t.Fatal(err)
		}
	}
	c, taken := consume(t, w, slots)
	defer c.Close()
	subscribed(t, w)
	var held []*queue.Delivery
	for range slots - 1 {
		held = append(held, queuetest.Receive(t, taken, "call"))
	}
	queuetest.Until(t, "a call waits", func() bool { return c.Waiting() == 1 })
	other := newCall("other")
	other.User = "another"
	_, refused := hand(t, in, other)
	if why := queuetest.Receive(t, refused, "refusal"); why != queue.Busy {
		t.Errorf("the refusal is %v, want Busy", why)
	}
	for _, x := range held {
		settled(x)
	}
	settled(queuetest.Receive(t, taken, "call that waited"))
	spilled := newCall("spilled")
	spilled.Lane = "2"
	var more []*queue.Delivery
	for i := range slots - 1 {
		e := newCall("d" + string(rune('0'+i)))
		e.Lane = "2"
		hand(t, in, e)
		more = append(more, queuetest.Receive(t, taken, "direct call"))
	}
	if _, refused = hand(t, in, spilled); queuetest.Receive(t, refused, "refusal") != queue.Busy {
		t.Error("a direct call of a spill lane got a slot of the reserve")
	}
	quiet := newCall("quiet")
	quiet.User = "quiet"
	hand(t, in, quiet)
	for _, x := range append(more, queuetest.Receive(t, taken, "direct call of another user, on the reserve")) {
		settled(x)
	}
}

// TestForgedDirectCall: a message that JetStream was made to publish, or that does not
// match its subject, runs nothing.
func TestForgedDirectCall(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	d, w := queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	c, taken := consume(t, w, 8)
	defer c.Close()
	subscribed(t, w)
	in := direct(t, d)
	nc, _ := raw(t, srv.URL())
	body := []byte(`{"call_id":"f","trace_id":"t","tool":"echo","origin":"d-1","accepted_ms":` + unixMS() + `,"start_by_ms":` + unixMS() + `}`)
	for _, m := range []*nats.Msg{
		{Subject: "helve.v1.acme.direct.default.quick.echo", Data: body},
		{Subject: "helve.v1.acme.direct.default.quick.other", Reply: "r", Data: body},
		{Subject: "helve.v1.acme.direct.default.quick", Reply: "r", Data: body},
		{Subject: "helve.v1.acme.direct.default.quick.echo", Reply: "r", Data: []byte("{")},
	} {
		if err := nc.PublishMsg(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	hand(t, in, newCall("good"))
	if x := queuetest.Receive(t, taken, "direct call"); x.ID != "good" || len(taken) != 0 {
		t.Errorf("the worker runs %s and %d more", x.ID, len(taken))
	} else {
		settled(x)
	}
}

// unixMS returns the time now in the form of an envelope.
func unixMS() string { return strconv.FormatInt(time.Now().UnixMilli(), 10) }
