package bus_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
)

func openInbox(t *testing.T, b *bus.Bus) *bus.Inbox {
	t.Helper()
	in, err := b.OpenInbox()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func TestFirstResultStands(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t))
	ctx := bustest.Context(t)
	if err := b.FinishWait(ctx, "acme", "d-1", "c", []byte(`{"n":1}`)); err != nil {
		t.Fatal(err)
	}
	if err := b.FinishWait(ctx, "acme", "d-1", "c", []byte(`{"n":2}`)); !errors.Is(err, bus.ErrExists) {
		t.Errorf("second Finish = %v, want ErrExists", err)
	}
	got, err := b.Result(ctx, "acme", "c")
	if err != nil || got == nil {
		t.Fatalf("Result = %v, %v", got, err)
	}
	if string(got.Element) != `{"n":1}` || got.Origin != "d-1" {
		t.Errorf("Result = %s, origin %q, want the first one", got.Element, got.Origin)
	}
}

func TestResultIsFoundWhateverItsOrigin(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	writer, reader := bustest.Connect(t, srv), bustest.Connect(t, srv)
	// A cluster's members ask the leader of a stream, not the nearest replica.
	asksLeader := bustest.Open(t, srv, func(o *bus.Options) { o.Replicas = 3 })
	ctx := bustest.Context(t)
	for i, origin := range []string{"d-1", writer.ID(), "elsewhere"} {
		id := fmt.Sprint("c", i)
		if err := writer.FinishWait(ctx, "acme", origin, id, []byte(id)); err != nil {
			t.Fatal(err)
		}
		for name, b := range map[string]*bus.Bus{"direct": reader, "leader": asksLeader} {
			got, err := b.Result(ctx, "acme", id)
			if err != nil || got == nil {
				t.Fatalf("%s: Result(%s) = %v, %v", name, id, got, err)
			}
			if string(got.Element) != id || got.Origin != origin {
				t.Errorf("%s: Result(%s) = %+v, want its element, origin %s and hash", name, id, got, origin)
			}
		}
	}
	for name, b := range map[string]*bus.Bus{"direct": reader, "leader": asksLeader} {
		for _, other := range [][2]string{{"acme", "nothing"}, {"other", "c0"}} {
			if got, err := b.Result(ctx, other[0], other[1]); got != nil || err != nil {
				t.Errorf("%s: Result(%q) = %v, %v, want nil, nil", name, other, got, err)
			}
		}
	}
}

func TestResultFailsClearlyWithoutAStream(t *testing.T) {
	t.Parallel()
	b := bustest.Open(t, bustest.Server(t))
	if got, err := b.Result(bustest.Context(t), "acme", "c"); got != nil || !errors.Is(err, bus.ErrUnavailable) {
		t.Errorf("Result without a stream = %v, %v, want ErrUnavailable", got, err)
	}
}

func TestInboxHandsTheResultToAllWhoWait(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	d, w := bustest.Connect(t, srv), bustest.Connect(t, srv)
	in := openInbox(t, d)
	first, second, gone := make(chan []byte, 1), make(chan []byte, 1), make(chan []byte, 1)
	in.Expect("acme", "c", "echo", first, nil)
	in.Expect("acme", "c", "echo", gone, nil)
	in.Expect("acme", "c", "echo", second, nil)
	in.Forget("acme", "c", gone)
	if tool, ok := in.Waiting("acme", "c"); !ok || tool != "echo" {
		t.Errorf("Waiting = %q, %v, want echo, true", tool, ok)
	}
	if _, ok := in.Waiting("other", "c"); ok {
		t.Error("Waiting of another tenant's call is true")
	}
	ctx := bustest.Context(t)
	if err := d.Check(ctx); err != nil { // an answer: the subscription is there
		t.Fatal(err)
	}
	if err := w.FinishWait(ctx, "other", d.ID(), "c", []byte("not for us")); err != nil {
		t.Fatal(err)
	}
	if err := w.FinishWait(ctx, "acme", d.ID(), "c", []byte("done")); err != nil {
		t.Fatal(err)
	}
	for _, got := range []chan []byte{first, second} {
		if element := bustest.Receive(t, got, "result"); string(element) != "done" {
			t.Errorf("the inbox handed over %q, want done", element)
		}
	}
	if len(gone) != 0 {
		t.Errorf("who had gone was handed %q", <-gone)
	}
	if _, ok := in.Waiting("acme", "c"); ok {
		t.Error("Waiting is true after the result")
	}
}

func TestInboxForget(t *testing.T) {
	t.Parallel()
	in := openInbox(t, bustest.Open(t, bustest.Server(t)))
	a, b := make(chan []byte, 1), make(chan []byte, 1)
	in.Forget("acme", "c", a) // nobody waits: nothing happens
	in.Expect("acme", "c", "echo", a, nil)
	in.Forget("acme", "c", b) // not the one who waits
	if _, ok := in.Waiting("acme", "c"); !ok {
		t.Error("Forget of another channel ended the wait")
	}
	in.Forget("acme", "c", a)
	if _, ok := in.Waiting("acme", "c"); ok {
		t.Error("Waiting is true after Forget")
	}
}

func TestInboxIsNotBlockedByWhoDoesNotRead(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t))
	in := openInbox(t, b)
	full, next := make(chan []byte), make(chan []byte, 1)
	in.Expect("acme", "c1", "echo", full, nil)
	in.Expect("acme", "c2", "echo", next, nil)
	for _, id := range []string{"c1", "c2"} {
		if err := b.FinishWait(bustest.Context(t), "acme", b.ID(), id, []byte(id)); err != nil {
			t.Fatal(err)
		}
	}
	if got := bustest.Receive(t, next, "second result"); string(got) != "c2" {
		t.Errorf("got %q, want c2", got)
	}
}

// TestInboxFollow hears the result of a call that another dispatcher accepted.
func TestInboxFollow(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	joins, worker := bustest.Connect(t, srv), bustest.Connect(t, srv)
	in := openInbox(t, joins)
	got := make(chan []byte, 1)
	in.Expect("acme", "c", "echo", got, nil)
	stop, err := in.Follow("acme", "d-other", "c")
	if err != nil {
		t.Fatal(err)
	}
	// The subscription is at the server when a later request was answered.
	if _, err := joins.Result(bustest.Context(t), "acme", "c"); err != nil {
		t.Fatal(err)
	}
	if err := worker.FinishWait(bustest.Context(t), "acme", "d-other", "c", []byte("done")); err != nil {
		t.Fatal(err)
	}
	if element := bustest.Receive(t, got, "followed result"); string(element) != "done" {
		t.Errorf("followed %q, want done", element)
	}
	stop()
	own, err := in.Follow("acme", joins.ID(), "c2")
	if err != nil {
		t.Fatal(err)
	}
	own() // nothing to stop: the inbox hears its own results anyway
}

func TestFinishWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	b := bustest.Connect(t, srv)
	srv.Stop()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.FinishWait(ctx, "acme", "d", "c", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("FinishWait without a server = %v, want the context's error", err)
	}
}
