package queue_test

import (
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// raw returns a client of the server without Helve's code.
func raw(t *testing.T, where string) (*nats.Conn, jetstream.JetStream) {
	t.Helper()
	nc := must(nats.Connect(where))(t)
	t.Cleanup(nc.Close)
	return nc, must(jetstream.New(nc))(t)
}

// TestRefusedResultIsNoAnswer: a result that the stream refuses, because another attempt
// was first or because there is no room, is not delivered to waiting callers.
func TestRefusedResultIsNoAnswer(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	d, w := queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	ctx, in := queuetest.Context(t), openInbox(t, d)
	first, late := make(chan []byte, 2), make(chan []byte, 2)
	in.Expect("acme", "c", "echo", "default", nil, first, nil)
	if err := w.Results.FinishWait(ctx, "acme", "default", d.Conn.ID(), "c", []byte("first"), nil); err != nil {
		t.Fatal(err)
	}
	if got := queuetest.Receive(t, first, "answer"); string(got) != "first" {
		t.Errorf("the answer is %q, want first", got)
	}
	in.Expect("acme", "c", "echo", "default", nil, late, nil)
	if err := w.Results.FinishWait(ctx, "acme", "default", d.Conn.ID(), "c", []byte("second"), nil); !errors.Is(err, natsio.ErrExists) {
		t.Fatalf("the second result is answered %v, want ErrExists", err)
	}
	queuetest.Bound(t, srv.URL(), streams.Results, 0)
	in.Expect("acme", "c2", "echo", "default", nil, late, nil)
	if err := w.Results.FinishWait(ctx, "acme", "default", d.Conn.ID(), "c2", []byte("no room"), nil); !errors.Is(err, natsio.ErrFull) {
		t.Fatalf("a result without room is answered %v, want ErrFull", err)
	}
	queuetest.Bound(t, srv.URL(), streams.Results, -1)
	in.Expect("acme", "c3", "echo", "default", nil, late, nil)
	if err := w.Results.FinishWait(ctx, "acme", "default", d.Conn.ID(), "c3", []byte("third"), nil); err != nil {
		t.Fatal(err)
	}
	if got := queuetest.Receive(t, late, "answer"); string(got) != "third" { // in the order of the stream
		t.Errorf("a refused result was handed over: %q", got)
	}
}

// TestRepublishIsKept: a dispatcher of an earlier version that is started beside this one
// removes the setting, and this one sets it again.
func TestRepublishIsKept(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	d := queuetest.Connect(t, srv, func(o *queue.Options) { o.Accepts = true })
	undone := queuetest.ConfigOf(t, d, streams.Results)
	undone.RePublish, undone.MaxAge = nil, time.Hour
	if _, err := d.Conn.JetStream().UpdateStream(queuetest.Context(t), undone); err != nil {
		t.Fatal(err)
	}
	queuetest.Until(t, "the stream republishes again", func() bool {
		is := queuetest.ConfigOf(t, d, streams.Results)
		return is.RePublish != nil && is.MaxAge == 25*time.Hour
	})
}

// TestForgedAnswer: a client that may not publish answers can make the server send it a
// reply or a consumer's message there. Neither is accepted as a result.
func TestForgedAnswer(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	d := queuetest.Connect(t, srv)
	nc, js := raw(t, srv.URL())
	ctx, in, got := queuetest.Context(t), openInbox(t, d), make(chan []byte, 1)
	in.Expect("acme", "c", "echo", "default", nil, got, nil)
	answer := d.Subjects().Answer("acme", "default", d.Conn.ID(), "c")
	forged := nats.NewMsg("helve.v1.acme.result.gpu." + d.Conn.ID() + ".mine")
	forged.Data = []byte("forged")
	forged.Header.Set("Nats-Stream", streams.Results)
	forged.Header.Set("Nats-Subject", "helve.v1.acme.result.default."+d.Conn.ID()+".c")
	if _, err := js.PublishMsg(ctx, forged); err != nil {
		t.Fatal(err)
	}
	ask := &nats.Msg{Subject: "$JS.API.DIRECT.GET.HELVE_RESULTS", Reply: answer, Data: []byte(`{"last_by_subj":"` + forged.Subject + `"}`)}
	raw := &nats.Msg{Subject: "$JS.API.STREAM.MSG.GET.HELVE_RESULTS", Reply: answer, Data: ask.Data}
	push := []byte(`{"stream_name":"HELVE_RESULTS","config":{"name":"x","deliver_subject":"` + answer + `","ack_policy":"none"}}`)
	watch := must(nc.SubscribeSync(answer))(t)
	if err := errors.Join(nc.PublishMsg(ask), nc.PublishMsg(raw)); err != nil {
		t.Fatal(err)
	}
	if _, err := nc.Request("$JS.API.CONSUMER.CREATE.HELVE_RESULTS.x", push, queuetest.Patience); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := watch.NextMsg(queuetest.Patience); err != nil {
			t.Fatal("the server did not publish in the client's place")
		}
	}
	if err := d.Results.FinishWait(ctx, "acme", "default", d.Conn.ID(), "c", []byte("true"), nil); err != nil {
		t.Fatal(err)
	}
	if element := queuetest.Receive(t, got, "answer"); string(element) != "true" {
		t.Errorf("the answer is %q, want the stored result", element)
	}
}
