package queue_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/call"
)

func TestDeliveryIsTheCallThatWasSubmitted(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t), ackWait(never))
	c, taken := consume(t, q, 1)
	defer c.Close()
	want := newCall("c")
	want.Tool, want.Traceparent, want.ConfirmToken = "files.read", "00-aa-bb-01", "token"
	if err := submit(t, q, want); err != nil {
		t.Fatal(err)
	}
	got := queuetest.Receive(t, taken, "call")
	if diff := cmp.Diff(want, got.Call); diff != "" {
		t.Errorf("call changed on its way (-sent +got):\n%s", diff)
	}
	settled(got)
}

func TestRetryDeliversAgain(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t), ackWait(never)) // only Retry makes it come again
	c, taken := consume(t, q, 1)
	defer c.Close()
	if err := submit(t, q, newCall("c")); err != nil {
		t.Fatal(err)
	}
	for attempt := 1; attempt <= 3; attempt++ {
		d := queuetest.Receive(t, taken, "delivery")
		if d.Attempt != attempt || d.Redelivered() != (attempt > 1) {
			t.Errorf("attempt %d, redelivered %v, want %d", d.Attempt, d.Redelivered(), attempt)
		}
		d.Release()
		if attempt < 3 {
			d.Retry(20 * time.Millisecond)
			continue
		}
		d.Ack()
	}
	emptied(t, q)
}

func TestACopyCountsAsRedelivered(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t), ackWait(never))
	c, taken := consume(t, q, 1)
	defer c.Close()
	e := newCall("c")
	e.Copy = true
	if err := submit(t, q, e); err != nil {
		t.Fatal(err)
	}
	d := queuetest.Receive(t, taken, "call")
	if d.Attempt != 1 || !d.Redelivered() {
		t.Errorf("attempt %d, redelivered %v, want 1, true: an earlier copy may have started", d.Attempt, d.Redelivered())
	}
	settled(d)
}

func TestReleaseFreesASlotOnce(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t), ackWait(never))
	c, taken := consume(t, q, 2)
	defer c.Close()
	submitAll(t, q, 2)
	one, two := queuetest.Receive(t, taken, "call"), queuetest.Receive(t, taken, "call")
	one.Release()
	one.Release()
	if c.Busy() != 1 {
		t.Errorf("Busy() = %d after one call was released twice, want 1", c.Busy())
	}
	one.Ack()
	settled(two)
	if c.Busy() != 0 {
		t.Errorf("Busy() = %d, want 0", c.Busy())
	}
}

// TestPoison: an unreadable message has no caller to notify; it must neither block the
// calls behind it nor disappear.
func TestPoison(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t), ackWait(never))
	ctx := queuetest.Context(t)
	const subject = "helve.v1.acme.call.default.echo"
	poison := []struct{ subject, data, reason string }{
		{subject, "", "not a call"},
		{subject, "no json at all", "not a call"},
		{subject, `{"call_id":"c","origin":"d","tool":"echo"`, "not a call"},
		{subject, `{"call_id":7,"origin":"d","tool":"echo"}`, "not a call"},
		{subject, `{"origin":"d","tool":"echo"}`, "call_id, origin and tool are required"},
		{subject, `[` + strings.Repeat("[", 20_000), "not a call"},
		{subject, "{\"call_id\":\"\xff\",\"origin\":\"d\",\"tool\":\"echo\"}", "not a call"},
		{subject, `{"call_id":"c","origin":"d","tool":"shell.run"}`, "another tool"},
		{subject + ".more", `{"call_id":"c","origin":"d","tool":"echo"}`, "another tool"},
	}
	for _, p := range poison {
		if _, err := q.Conn.JetStream().Publish(ctx, p.subject, []byte(p.data)); err != nil {
			t.Fatal(err)
		}
	}
	if err := submit(t, q, newCall("good")); err != nil {
		t.Fatal(err)
	}
	if err := q.Calls.EnsurePool(ctx, "default"); err != nil {
		t.Fatal(err)
	}
	dead, taken := make(chan struct{}, 100), make(chan *queue.Delivery, 100)
	c, err := q.Calls.Consume("default", 2, func(d *queue.Delivery) { taken <- d }, func() { dead <- struct{}{} })
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	good := queuetest.Receive(t, taken, "good call behind the poison")
	if good.ID != "good" {
		t.Errorf("%q was delivered, want the good call only", good.ID)
	}
	settled(good)
	for range poison {
		queuetest.Receive(t, dead, "count of a dead letter")
	}
	emptied(t, q)
	if len(taken)+len(dead) != 0 || c.Busy() != 0 {
		t.Errorf("%d calls and %d dead letters more, %d slots busy, want none", len(taken), len(dead), c.Busy())
	}

	stream, err := q.Conn.JetStream().Stream(ctx, streams.Dead)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range poison {
		m, err := stream.GetMsg(ctx, uint64(i+1))
		if err != nil {
			t.Fatalf("dead letter %d: %v", i, err)
		}
		if m.Subject != "helve.v1.acme.dead.default" || m.Header.Get("Helve-Subject") != p.subject || string(m.Data) != p.data {
			t.Errorf("dead letter %d lies on %s as of %s with %.40q, want it as it came", i, m.Subject, m.Header.Get("Helve-Subject"), m.Data)
		}
		if reason := m.Header.Get("Helve-Reason"); !strings.Contains(reason, p.reason) {
			t.Errorf("dead letter %d: reason %q, want one with %q", i, reason, p.reason)
		}
	}
}

func TestLargeArgumentsTravelThroughTheObjectStore(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t), ackWait(never))
	c, taken := consume(t, q, 1)
	defer c.Close()
	text, err := json.Marshal(string(bytes.Repeat([]byte("x"), 4*queue.InlineLimit)))
	if err != nil {
		t.Fatal(err)
	}
	e := newCall("c")
	e.Arguments = jsontext.Value(text)
	if err := q.Calls.StoreArguments(queuetest.Context(t), e); err != nil {
		t.Fatal(err)
	}
	if err := submit(t, q, e); err != nil {
		t.Fatal(err)
	}
	d := queuetest.Receive(t, taken, "call")
	if err := d.LoadArguments(queuetest.Context(t)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(d.Arguments, text) {
		t.Errorf("%d bytes of arguments arrived, want the %d that were sent", len(d.Arguments), len(text))
	}
	e.Arguments = text
	if diff := cmp.Diff(e, d.Call, cmpopts.IgnoreFields(call.Call{}, "Arguments")); diff != "" {
		t.Errorf("the rest of the call changed (-sent +got):\n%s", diff)
	}
	settled(d)
}

func TestLoadArgumentsThatAreGone(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t), ackWait(never))
	c, taken := consume(t, q, 1)
	defer c.Close()
	e := newCall("c")
	e.ArgumentsRef = e.Tenant + "/" + e.ID // without any stored arguments
	if err := submit(t, q, e); err != nil {
		t.Fatal(err)
	}
	d := queuetest.Receive(t, taken, "call")
	if err := d.LoadArguments(queuetest.Context(t)); !errors.Is(err, natsio.ErrNoObject) {
		t.Errorf("LoadArguments of nothing = %v, want ErrNoObject: the call must end with a result", err)
	}
	settled(d)
}

// TestLeaveLetsTheOtherDeliveryKeepTheCall: Leave counts no attempt, and the call is
// delivered again if the other delivery's heartbeats end.
func TestLeaveLetsTheOtherDeliveryKeepTheCall(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t), ackWait(300*time.Millisecond))
	c, taken := consume(t, q, 1)
	defer c.Close()
	if err := submit(t, q, newCall("c")); err != nil {
		t.Fatal(err)
	}
	first := queuetest.Receive(t, taken, "call")
	first.Leave()
	first.Release()
	again := queuetest.Receive(t, taken, "call that nobody kept alive")
	if again.ID != "c" || again.Attempt != 2 {
		t.Errorf("got %s, attempt %d, want c again as attempt 2", again.ID, again.Attempt)
	}
	settled(again)
}

func TestAConsumerThatWasDeletedIsMadeAgain(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	q := queuetest.Connect(t, srv, ackWait(never))
	c, taken := consume(t, q, 1)
	defer c.Close()
	if err := q.Conn.JetStream().DeleteConsumer(queuetest.Context(t), streams.Calls, newCall("c").Pool); err != nil {
		t.Fatal(err)
	}
	c.Restore()
	if err := submit(t, q, newCall("c")); err != nil {
		t.Fatal(err)
	}
	settled(queuetest.Receive(t, taken, "call"))
}
