package bus_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
)

func TestAskRemote(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	b := bustest.Open(t, srv)
	life, end := context.WithCancel(t.Context())
	defer end()
	if err := b.ServeProgress(life); err != nil {
		t.Fatal(err)
	}
	nc, err := nats.Connect(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	call := bus.RemoteCall{Tenant: "acme", CallID: "c1", Tool: "crm.find", Traceparent: "00-x", Body: []byte(`{}`)}
	if _, err := b.AskRemote(bustest.Context(t), call); !errors.Is(err, bus.ErrNobody) {
		t.Errorf("where nobody listens = %v, want ErrNobody", err)
	}
	asked := make(chan *nats.Msg, 10)
	if _, err := nc.ChanQueueSubscribe("helve.v1.acme.remote.crm.find", bus.QueueRemote, asked); err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	call.Body = make([]byte, b.MaxPayload()+1)
	if _, err := b.AskRemote(bustest.Context(t), call); !errors.Is(err, bus.ErrTooLarge) {
		t.Errorf("a call that no message holds = %v, want ErrTooLarge", err)
	}
	call.Body = []byte(`{"call": 1}`)
	short, stop := context.WithTimeout(t.Context(), time.Millisecond)
	defer stop()
	if _, err := b.AskRemote(short, call); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("silence = %v, want the end of the context", err)
	}
	late := bustest.Receive(t, asked, "call")

	// All that was told before the answer is heard, and nothing after it.
	var told []string
	answered := make(chan struct{})
	call.Progress = func(data []byte) {
		<-answered                     // so that most of it waits when the answer is there,
		<-time.After(time.Millisecond) // and whoever waits for all of it could go on without
		told = append(told, string(data))
	}
	go func() {
		m := <-asked
		if m.Header["traceparent"][0] != "00-x" || string(m.Data) != `{"call": 1}` {
			t.Errorf("asked %s with %v", m.Data, m.Header)
		}
		subject := m.Header.Get(bus.HeaderEvents)
		for range 30 {
			_ = nc.Publish(subject, []byte("step"))
		}
		_ = nc.Publish(subject[:strings.LastIndex(subject, ".")]+".guess", []byte("forged"))
		_ = late.Respond([]byte("late"))
		_ = m.Respond([]byte("first"))
		_ = m.Respond([]byte("second"))
		_ = nc.Publish(subject, []byte("after"))
		_ = nc.FlushTimeout(bustest.Patience)
		close(answered)
	}()
	answer, err := b.AskRemote(bustest.Context(t), call)
	if string(answer) != "first" || err != nil {
		t.Errorf("the answer is %q, %v, want the first one", answer, err)
	}
	if len(told) < 30 || strings.Join(told[:30], "") != strings.Repeat("step", 30) || strings.Contains(strings.Join(told, ""), "forged") {
		t.Errorf("%d steps were told: %.100q, want 30, and of this call", len(told), told)
	}
}

// TestCancelOfWhatACallMade: processes hear of the calls that the cancelled one made, and
// of no others, whatever its holder says.
func TestCancelOfWhatACallMade(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	holder, b := bustest.Open(t, srv), bustest.Open(t, srv)
	if err := holder.ServeCancel(func(_, callID string) *bus.Held {
		if callID != "c1" {
			return nil
		}
		return &bus.Held{State: bus.StateRunning, By: "w", Inner: []string{"c1~1~2", "c2~1", "c1~>", "c1~a", "c1"}}
	}); err != nil {
		t.Fatal(err)
	}
	nc, err := nats.Connect(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	heard := make(chan *nats.Msg, 10)
	if _, err := nc.ChanSubscribe("helve.v1.acme.cancel.>", heard); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(nc.Flush(), holder.Flush(t.Context())); err != nil {
		t.Fatal(err)
	}
	if h := b.Cancel(bustest.Context(t), "acme", "c1"); h == nil || h.By != "w" {
		t.Fatalf("Cancel = %+v", h)
	}
	b.Cancel(bustest.Context(t), "acme", "end")
	for _, want := range []string{"c1", "c1~1~2", "end"} {
		if got := bustest.Receive(t, heard, "cancellation").Subject; got != "helve.v1.acme.cancel."+want {
			t.Errorf("a process heard %s, want %s", got, want)
		}
	}
}
