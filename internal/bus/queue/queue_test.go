package queue_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/bus/events"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/test/testtime"
)

func start(t *testing.T, addr, dir string) *embedded.Server {
	t.Helper()
	testtime.Slow(t, "it restarts a NATS server")
	srv, err := embedded.Start(embedded.Options{Addr: addr, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Stop)
	return srv
}

// TestBusComesBackWithItsServer: a restart of the server on its files loses no acknowledged
// message, and all processes continue without intervention.
func TestBusComesBackWithItsServer(t *testing.T) {
	t.Parallel()
	dir, states := t.TempDir(), make(chan bool, 100)
	srv := start(t, "127.0.0.1:0", dir)
	q := queuetest.Connect(t, srv, func(o *queue.Options) { o.State = func(connected bool) { states <- connected } })
	ctx := queuetest.Context(t)
	if !queuetest.Receive(t, states, "first state") {
		t.Error("the first state is disconnected, want connected")
	}
	in := openInbox(t, q)
	c, taken := consume(t, q, 2)
	defer c.Close()
	tools, err := q.Conn.Bucket(ctx, streams.BucketCatalog)
	if err != nil {
		t.Fatal(err)
	}
	followed := make(chan string, 10)
	if err := tools.Follow(ctx, func(key string, _ []byte) { followed <- key }); err != nil {
		t.Fatal(err)
	}
	if err := q.Results.FinishWait(ctx, "acme", "default", "d-1", "old", []byte("stored"), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := q.Calls.Fence(ctx, "acme", "old", call.Fence{By: "w-1"}); err != nil {
		t.Fatal(err)
	}
	submitAll(t, q, 1)
	held := queuetest.Receive(t, taken, "call")

	srv.Stop()
	if queuetest.Receive(t, states, "loss of the connection") {
		t.Error("the state after Stop is connected")
	}
	if q.Conn.Connected() {
		t.Error("Connected() is true without a server")
	}
	start(t, strings.TrimPrefix(srv.URL(), "nats://"), dir)
	if !queuetest.Receive(t, states, "return of the connection") {
		t.Error("the state after the restart is disconnected")
	}
	queuetest.Until(t, "the streams answer", func() bool { return q.Check(ctx) == nil })

	if got, err := q.Results.Result(ctx, "acme", "old"); err != nil || got == nil || string(got.Element) != "stored" {
		t.Errorf("Result after the restart = %v, %v, want the stored one", got, err)
	}
	if got, err := q.Calls.Fence(ctx, "acme", "old", call.Fence{By: "w-2"}); !errors.Is(err, natsio.ErrExists) || got.By != "w-1" {
		t.Errorf("Fence after the restart = %v, %v, want that of w-1", got, err)
	}
	settled(held) // calls held before are still held, or are delivered again
	if err := submit(t, q, newCall("after")); err != nil {
		t.Fatalf("Submit after the restart: %v", err)
	}
	for {
		d := queuetest.Receive(t, taken, "call after the restart")
		settled(d)
		if d.ID == "after" {
			break
		}
	}
	got := make(chan []byte, 1)
	in.Expect("acme", "after", "echo", "default", nil, got, nil)
	if err := q.Results.FinishWait(ctx, "acme", "default", q.Conn.ID(), "after", []byte("done"), nil); err != nil {
		t.Fatal(err)
	}
	queuetest.Receive(t, got, "result on the old inbox")
	if err := tools.Put(ctx, "echo", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if key := queuetest.Receive(t, followed, "change of the bucket"); key != "echo" {
		t.Errorf("followed %q, want echo", key)
	}
	emptied(t, q)
}

// TestConnectDoesNotWaitForTheServer: dispatchers and workers start in any
// order.
func TestConnectDoesNotWaitForTheServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gone := start(t, "127.0.0.1:0", dir)
	gone.Stop()
	q := queuetest.Open(t, gone)
	if q.Conn.Connected() {
		t.Error("Connected() is true without a server")
	}
	prepared := make(chan error, 1)
	go func() { prepared <- q.Prepare(queuetest.Context(t)) }()
	start(t, strings.TrimPrefix(gone.URL(), "nats://"), dir)
	if err := queuetest.Receive(t, prepared, "end of Prepare"); err != nil {
		t.Errorf("Prepare = %v, want nil once the server is there", err)
	}
	if q.Conn.MaxPayload() != embedded.MaxPayload {
		t.Errorf("MaxPayload() = %d, want %d", q.Conn.MaxPayload(), embedded.MaxPayload)
	}
}

func TestProcessesHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	one, two := queuetest.Open(t, srv), queuetest.Open(t, srv)
	if one.Conn.ID() == two.Conn.ID() || one.Conn.ID() == "" {
		t.Errorf("IDs are %q and %q, want two of their own", one.Conn.ID(), two.Conn.ID())
	}
	given := queuetest.Open(t, srv, func(o *queue.Options) { o.ID, o.Prefix = "d-1", "mine" })
	if given.Conn.ID() != "d-1" {
		t.Errorf("ID() = %q, want the given d-1", given.Conn.ID())
	}
	if got := given.Subjects().Cancel("acme", "c"); got != "mine.acme.cancel.c" {
		t.Errorf("subject = %q, want it below the given prefix", got)
	}
}

func TestCloseSendsWhatIsBuffered(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	nc, err := nats.Connect(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	sub, err := nc.SubscribeSync("helve.v1.acme.event.>")
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	q := queuetest.Connect(t, srv)
	q.Events.Tell(events.About{Tenant: "acme", TraceID: strings.Repeat("ab", 16), CallID: "c", Tool: "echo"}, "step", nil)
	q.Close()
	q.Close() // a second call does nothing
	ctx, cancel := context.WithTimeout(t.Context(), queuetest.Patience)
	defer cancel()
	if _, err := sub.NextMsgWithContext(ctx); err != nil {
		t.Errorf("the last event did not arrive: %v", err)
	}
}
