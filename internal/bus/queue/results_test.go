package queue_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

func openInbox(t *testing.T, q *queue.Queue) *queue.Inbox {
	t.Helper()
	in, err := q.Results.OpenInbox(func(string, string) {})
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func TestFirstResultStands(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	ctx := queuetest.Context(t)
	if err := q.Results.FinishWait(ctx, "acme", "default", "d-1", "c", []byte(`{"n":1}`), nil); err != nil {
		t.Fatal(err)
	}
	if err := q.Results.FinishWait(ctx, "acme", "default", "d-1", "c", []byte(`{"n":2}`), nil); !errors.Is(err, natsio.ErrExists) {
		t.Errorf("second Finish = %v, want ErrExists", err)
	}
	got, err := q.Results.Result(ctx, "acme", "c")
	if err != nil || got == nil {
		t.Fatalf("Result = %v, %v", got, err)
	}
	if string(got.Element) != `{"n":1}` || got.Origin != "d-1" {
		t.Errorf("Result = %s, origin %q, want the first one", got.Element, got.Origin)
	}
}

func TestResultIsFoundWhateverItsOrigin(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	writer, reader := queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	// A cluster's members ask the leader of a stream, not the nearest replica.
	asksLeader := queuetest.Open(t, srv, func(o *queue.Options) { o.Replicas = 3 })
	ctx := queuetest.Context(t)
	for i, origin := range []string{"d-1", writer.Conn.ID(), "elsewhere"} {
		id := fmt.Sprint("c", i)
		if err := writer.Results.FinishWait(ctx, "acme", "default", origin, id, []byte(id), nil); err != nil {
			t.Fatal(err)
		}
		for name, q := range map[string]*queue.Queue{"direct": reader, "leader": asksLeader} {
			got, err := q.Results.Result(ctx, "acme", id)
			if err != nil || got == nil {
				t.Fatalf("%s: Result(%s) = %v, %v", name, id, got, err)
			}
			if string(got.Element) != id || got.Origin != origin {
				t.Errorf("%s: Result(%s) = %+v, want its element, origin %s and hash", name, id, got, origin)
			}
		}
	}
	for name, q := range map[string]*queue.Queue{"direct": reader, "leader": asksLeader} {
		for _, other := range [][2]string{{"acme", "nothing"}, {"other", "c0"}} {
			if got, err := q.Results.Result(ctx, other[0], other[1]); got != nil || err != nil {
				t.Errorf("%s: Result(%q) = %v, %v, want nil, nil", name, other, got, err)
			}
		}
	}
}

func TestResultFailsClearlyWithoutAStream(t *testing.T) {
	t.Parallel()
	q := queuetest.Open(t, queuetest.Server(t))
	if got, err := q.Results.Result(queuetest.Context(t), "acme", "c"); got != nil || !errors.Is(err, natsio.ErrUnavailable) {
		t.Errorf("Result without a stream = %v, %v, want ErrUnavailable", got, err)
	}
}

func TestInboxHandsTheResultToAllWhoWait(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	d, w := queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	in := openInbox(t, d)
	first, second, gone := make(chan []byte, 1), make(chan []byte, 1), make(chan []byte, 1)
	in.Expect("acme", "c", "echo", "default", nil, first, nil)
	in.Expect("acme", "c", "echo", "default", nil, gone, nil)
	in.Expect("acme", "c", "echo", "default", nil, second, nil)
	in.Forget("acme", "c", gone)
	if tool, _, ok := in.Waiting("acme", "c"); !ok || tool != "echo" {
		t.Errorf("Waiting = %q, %v, want echo, true", tool, ok)
	}
	if _, _, ok := in.Waiting("other", "c"); ok {
		t.Error("Waiting of another tenant's call is true")
	}
	ctx := queuetest.Context(t)
	if err := d.Check(ctx); err != nil { // an answer: the subscription is there
		t.Fatal(err)
	}
	if err := w.Results.FinishWait(ctx, "other", "default", d.Conn.ID(), "c", []byte("not for us"), nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Results.FinishWait(ctx, "acme", "default", d.Conn.ID(), "c", []byte("done"), nil); err != nil {
		t.Fatal(err)
	}
	for _, got := range []chan []byte{first, second} {
		if element := queuetest.Receive(t, got, "result"); string(element) != "done" {
			t.Errorf("the inbox handed over %q, want done", element)
		}
	}
	if len(gone) != 0 {
		t.Errorf("who had gone was handed %q", <-gone)
	}
	if _, _, ok := in.Waiting("acme", "c"); ok {
		t.Error("Waiting is true after the result")
	}
}

// TestResultOfAnotherPool: a worker's credential names its pools, so a result that it
// stores for a call of another pool is neither delivered nor read.
func TestResultOfAnotherPool(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	d, thief := queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	ctx := queuetest.Context(t)
	in, got := openInbox(t, d), make(chan []byte, 1)
	in.Expect("acme", "c", "echo", "default", nil, got, nil)
	if _, err := d.Calls.Accept(ctx, "acme", "c", queue.Acceptance{Tool: "echo", Pool: "default", Origin: d.Conn.ID()}); err != nil {
		t.Fatal(err)
	}
	if err := thief.Results.FinishWait(ctx, "acme", "gpu", d.Conn.ID(), "c", []byte("forged"), nil); err != nil {
		t.Fatal(err)
	}
	if s, err := d.Results.Result(ctx, "acme", "c"); s != nil || err != nil {
		t.Errorf("Result = %+v, %v, want none", s, err)
	}
	if s, err := d.Results.ResultOf(ctx, "acme", "default", "c"); s != nil || err != nil {
		t.Errorf("ResultOf = %+v, %v, want none", s, err)
	}
	if err := thief.Results.FinishWait(ctx, "acme", "default", d.Conn.ID(), "c", []byte("true"), nil); err != nil {
		t.Fatal(err)
	}
	if element := queuetest.Receive(t, got, "result"); string(element) != "true" {
		t.Errorf("the inbox handed over %q, want true", element)
	}
	if s, err := d.Results.Result(ctx, "acme", "c"); err != nil || s == nil || string(s.Element) != "true" || s.Pool != "default" {
		t.Errorf("Result = %+v, %v, want that of the call's own pool", s, err)
	}
	// For a call without an acceptance the first result counts.
	for _, pool := range []string{"default", "gpu"} {
		if err := thief.Results.FinishWait(ctx, "acme", pool, d.Conn.ID(), "made", []byte(pool), nil); err != nil {
			t.Fatal(err)
		}
	}
	if s, err := d.Results.Result(ctx, "acme", "made"); err != nil || s == nil || string(s.Element) != "default" {
		t.Errorf("Result = %+v, %v, want the first one", s, err)
	}
}

func TestInboxForget(t *testing.T) {
	t.Parallel()
	in := openInbox(t, queuetest.Open(t, queuetest.Server(t)))
	a, b := make(chan []byte, 1), make(chan []byte, 1)
	in.Forget("acme", "c", a) // without a waiter: nothing happens
	in.Expect("acme", "c", "echo", "default", nil, a, nil)
	in.Forget("acme", "c", b) // not the registered waiter
	if _, _, ok := in.Waiting("acme", "c"); !ok {
		t.Error("Forget of another channel ended the wait")
	}
	in.Forget("acme", "c", a)
	if _, _, ok := in.Waiting("acme", "c"); ok {
		t.Error("Waiting is true after Forget")
	}
}

func TestInboxIsNotBlockedByWhoDoesNotRead(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	in := openInbox(t, q)
	full, next := make(chan []byte), make(chan []byte, 1)
	in.Expect("acme", "c1", "echo", "default", nil, full, nil)
	in.Expect("acme", "c2", "echo", "default", nil, next, nil)
	for _, id := range []string{"c1", "c2"} {
		if err := q.Results.FinishWait(queuetest.Context(t), "acme", "default", q.Conn.ID(), id, []byte(id), nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := queuetest.Receive(t, next, "second result"); string(got) != "c2" {
		t.Errorf("got %q, want c2", got)
	}
}

// TestInboxFollow: the result of a call that another dispatcher accepted is received.
func TestInboxFollow(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	joins, worker := queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	in := openInbox(t, joins)
	got := make(chan []byte, 1)
	in.Expect("acme", "c", "echo", "default", nil, got, nil)
	stop, err := in.Follow("acme", "d-other", "c")
	if err != nil {
		t.Fatal(err)
	}
	// The server has the subscription once it has answered a later request.
	if _, err := joins.Results.Result(queuetest.Context(t), "acme", "c"); err != nil {
		t.Fatal(err)
	}
	if err := worker.Results.FinishWait(queuetest.Context(t), "acme", "default", "d-other", "c", []byte("done"), nil); err != nil {
		t.Fatal(err)
	}
	if element := queuetest.Receive(t, got, "followed result"); string(element) != "done" {
		t.Errorf("followed %q, want done", element)
	}
	stop()
	own, err := in.Follow("acme", joins.Conn.ID(), "c2")
	if err != nil {
		t.Fatal(err)
	}
	own() // nothing to stop: the inbox receives its own results anyway
}

func TestFinishWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	q := queuetest.Connect(t, srv)
	srv.Stop()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := q.Results.FinishWait(ctx, "acme", "default", "d", "c", nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("FinishWait without a server = %v, want the context's error", err)
	}
}
