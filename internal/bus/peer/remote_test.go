package peer_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

func TestAskRemote(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	q := queuetest.Open(t, srv)
	life, end := context.WithCancel(t.Context())
	defer end()
	if err := q.Remote.ServeProgress(life); err != nil {
		t.Fatal(err)
	}
	nc, err := nats.Connect(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	call := peer.RemoteCall{Tenant: "acme", CallID: "c1", Tool: "crm.find", Traceparent: "00-x", Body: []byte(`{}`)}
	if _, err := q.Remote.AskRemote(queuetest.Context(t), call); !errors.Is(err, peer.ErrNobody) {
		t.Errorf("where nobody listens = %v, want ErrNobody", err)
	}
	asked := make(chan *nats.Msg, 10)
	if _, err := nc.ChanQueueSubscribe("helve.v1.acme.remote.crm.find", peer.QueueRemote, asked); err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	call.Body = make([]byte, q.Conn.MaxPayload()+1)
	if _, err := q.Remote.AskRemote(queuetest.Context(t), call); !errors.Is(err, peer.ErrTooLarge) {
		t.Errorf("a call that no message holds = %v, want ErrTooLarge", err)
	}
	call.Body = []byte(`{"call": 1}`)
	short, stop := context.WithTimeout(t.Context(), time.Millisecond)
	defer stop()
	if _, err := q.Remote.AskRemote(short, call); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("silence = %v, want the end of the context", err)
	}
	late := queuetest.Receive(t, asked, "call")

	// All progress sent before the answer is received, and none after it.
	var told []string
	answered := make(chan struct{})
	call.Progress = func(data []byte) {
		<-answered                     // so that most of it waits when the answer is there,
		<-time.After(time.Millisecond) // and a process that waits for all of it could continue without
		told = append(told, string(data))
	}
	go func() {
		m := <-asked
		if m.Header["traceparent"][0] != "00-x" || string(m.Data) != `{"call": 1}` {
			t.Errorf("asked %s with %v", m.Data, m.Header)
		}
		subject := m.Header.Get(peer.HeaderEvents)
		for range 30 {
			_ = nc.Publish(subject, []byte("step"))
		}
		_ = nc.Publish(subject[:strings.LastIndex(subject, ".")]+".guess", []byte("forged"))
		_ = late.Respond([]byte("late"))
		_ = m.Respond([]byte("first"))
		_ = m.Respond([]byte("second"))
		_ = nc.Publish(subject, []byte("after"))
		_ = nc.FlushTimeout(queuetest.Patience)
		close(answered)
	}()
	answer, err := q.Remote.AskRemote(queuetest.Context(t), call)
	if string(answer) != "first" || err != nil {
		t.Errorf("the answer is %q, %v, want the first one", answer, err)
	}
	if len(told) < 30 || strings.Join(told[:30], "") != strings.Repeat("step", 30) || strings.Contains(strings.Join(told, ""), "forged") {
		t.Errorf("%d steps were told: %.100q, want 30, and of this call", len(told), told)
	}
}
