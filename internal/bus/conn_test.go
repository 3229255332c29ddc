package bus_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
	"github.com/helve-dev/helve/internal/embedded"
)

func start(t *testing.T, addr, dir string) *embedded.Server {
	t.Helper()
	srv, err := embedded.Start(embedded.Options{Addr: addr, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Stop)
	return srv
}

// TestBusComesBackWithItsServer: a restart of the server on its files loses
// nothing that was acknowledged, and nobody has to be told to go on.
func TestBusComesBackWithItsServer(t *testing.T) {
	t.Parallel()
	dir, states := t.TempDir(), make(chan bool, 100)
	srv := start(t, "127.0.0.1:0", dir)
	b := bustest.Connect(t, srv, func(o *bus.Options) { o.State = func(connected bool) { states <- connected } })
	ctx := bustest.Context(t)
	if !bustest.Receive(t, states, "first state") {
		t.Error("the first state is disconnected, want connected")
	}
	in := openInbox(t, b)
	c, taken := consume(t, b, 2)
	defer c.Close()
	tools, followed := bucket(t, b), make(chan string, 10)
	if err := tools.Follow(ctx, func(key string, _ []byte) { followed <- key }); err != nil {
		t.Fatal(err)
	}
	if err := b.FinishWait(ctx, "acme", "d-1", "old", []byte("stored")); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Fence(ctx, "acme", "old", bus.Fence{By: "w-1"}); err != nil {
		t.Fatal(err)
	}
	submitAll(t, b, 1)
	held := bustest.Receive(t, taken, "call")

	srv.Stop()
	if bustest.Receive(t, states, "loss of the connection") {
		t.Error("the state after Stop is connected")
	}
	if b.Connected() {
		t.Error("Connected() is true without a server")
	}
	start(t, strings.TrimPrefix(srv.URL(), "nats://"), dir)
	if !bustest.Receive(t, states, "return of the connection") {
		t.Error("the state after the restart is disconnected")
	}
	bustest.Until(t, "the streams answer", func() bool { return b.Check(ctx) == nil })

	if got, err := b.Result(ctx, "acme", "old"); err != nil || got == nil || string(got.Element) != "stored" {
		t.Errorf("Result after the restart = %v, %v, want the stored one", got, err)
	}
	if got, err := b.Fence(ctx, "acme", "old", bus.Fence{By: "w-2"}); !errors.Is(err, bus.ErrExists) || got.By != "w-1" {
		t.Errorf("Fence after the restart = %v, %v, want that of w-1", got, err)
	}
	settled(held) // what was held before is still ours, or is delivered again
	if err := submit(t, b, call("after")); err != nil {
		t.Fatalf("Submit after the restart: %v", err)
	}
	for {
		d := bustest.Receive(t, taken, "call after the restart")
		settled(d)
		if d.CallID == "after" {
			break
		}
	}
	got := make(chan []byte, 1)
	in.Expect("acme", "after", "echo", got, nil)
	if err := b.FinishWait(ctx, "acme", b.ID(), "after", []byte("done")); err != nil {
		t.Fatal(err)
	}
	bustest.Receive(t, got, "result on the old inbox")
	if err := tools.Put(ctx, "echo", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if key := bustest.Receive(t, followed, "change of the bucket"); key != "echo" {
		t.Errorf("followed %q, want echo", key)
	}
	emptied(t, b)
}

// TestConnectDoesNotWaitForTheServer: dispatchers and workers start in any
// order.
func TestConnectDoesNotWaitForTheServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gone := start(t, "127.0.0.1:0", dir)
	gone.Stop()
	b := bustest.Open(t, gone)
	if b.Connected() {
		t.Error("Connected() is true without a server")
	}
	prepared := make(chan error, 1)
	go func() { prepared <- b.Prepare(bustest.Context(t)) }()
	start(t, strings.TrimPrefix(gone.URL(), "nats://"), dir)
	if err := bustest.Receive(t, prepared, "end of Prepare"); err != nil {
		t.Errorf("Prepare = %v, want nil once the server is there", err)
	}
	if b.MaxPayload() != embedded.MaxPayload {
		t.Errorf("MaxPayload() = %d, want %d", b.MaxPayload(), embedded.MaxPayload)
	}
}

func TestConnectRefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]bus.Options{
		"no URL at all": {URL: "nats://[::1"},
		"no CA file":    {URL: "tls://127.0.0.1:1", CA: "no/such/ca.pem"},
		"no key":        {URL: "tls://127.0.0.1:1", Cert: "no/such/cert.pem", Key: "no/such/key.pem"},
		"no context":    {Context: "no-such-context-of-a-test"},
	} {
		if b, err := bus.Connect(o); err == nil {
			b.Close()
			t.Errorf("%s: Connect succeeded, want an error", name)
		}
	}
}

func TestProcessesHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	one, two := bustest.Open(t, srv), bustest.Open(t, srv)
	if one.ID() == two.ID() || one.ID() == "" {
		t.Errorf("IDs are %q and %q, want two of their own", one.ID(), two.ID())
	}
	given := bustest.Open(t, srv, func(o *bus.Options) { o.ID, o.Prefix = "d-1", "mine" })
	if given.ID() != "d-1" {
		t.Errorf("ID() = %q, want the given d-1", given.ID())
	}
	if got := given.Subjects().Cancel("acme", "c"); got != "mine.acme.cancel.c" {
		t.Errorf("subject = %q, want it below the given prefix", got)
	}
}

func TestCloseSendsWhatIsBuffered(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
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
	b := bustest.Connect(t, srv)
	tell(b, 1)
	b.Close()
	b.Close() // a second time does nothing
	ctx, cancel := context.WithTimeout(t.Context(), bustest.Patience)
	defer cancel()
	if _, err := sub.NextMsgWithContext(ctx); err != nil {
		t.Errorf("the last event did not arrive: %v", err)
	}
}
