package streams_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// TestFullStreamIsNoticed: a stream without room is a shortage that names it, found by
// checking and by a refused write, logged once, and over when there is room. A full queue
// prevents accepting calls, but not running them.
func TestFullStreamIsNoticed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		stream, name string
		held         bool
	}{
		{streams.Audit, "the audit stream is full", true},
		{streams.Results, "the results stream is full", true},
		{streams.Calls, "the queue of calls is full", false},
	} {
		t.Run(tt.stream, func(t *testing.T) {
			t.Parallel()
			srv := queuetest.Server(t)
			core, logged := observer.New(zapcore.InfoLevel)
			q := queuetest.Connect(t, srv, func(o *queue.Options) { o.Accepts, o.Log = true, zap.New(core) })
			if err := stream.On(q.Conn).RecordWait(queuetest.Context(t), "acme", "t", make([]byte, 1000)); err != nil {
				t.Fatal(err)
			}
			if q.Full() != nil || q.Held() != nil {
				t.Fatalf("an unbounded stream is full %v, held %v", q.Full(), q.Held())
			}
			queuetest.Bound(t, srv.URL(), tt.stream, 0)
			if tt.stream == streams.Audit { // a write detects it immediately
				if err := stream.On(q.Conn).RecordWait(queuetest.Context(t), "acme", "t", []byte("x")); !errors.Is(err, natsio.ErrFull) ||
					q.Full() == nil {
					t.Errorf("a record on a full trail is answered %v, full %v", err, q.Full())
				}
			}
			q.LookForRoom() // before the keeper changes the bound back
			queuetest.Until(t, "the shortage is known", func() bool { return q.Full() != nil })
			if short := q.Full(); !strings.Contains(short.Error(), tt.name) || !errors.Is(short, natsio.ErrFull) || (q.Held() != nil) != tt.held {
				t.Errorf("the shortage is %q (full %v), held %v; want %q and held %v",
					short, errors.Is(short, natsio.ErrFull), q.Held(), tt.name, tt.held)
			}
			if err := q.Check(queuetest.Context(t)); (err != nil) != tt.held {
				t.Errorf("Check = %v, want an error %v", err, tt.held)
			}
			queuetest.Bound(t, srv.URL(), tt.stream, -1)
			queuetest.Until(t, "room", func() bool { return q.Full() == nil && q.Held() == nil })
			if err := stream.On(q.Conn).RecordWait(queuetest.Context(t), "acme", "t", []byte("x")); err != nil {
				t.Errorf("a record after it is answered %v", err)
			}
			if full, again := logged.FilterMessage("stream full, calls refused").Len(),
				logged.FilterMessage("stream has room again").Len(); full != 1 || again != 1 {
				t.Errorf("%d lines that it is full and %d that it has room, want one of each", full, again)
			}
		})
	}
}

// TestFullBeforeTheLastByte: calls are refused while there is room for the records of the
// running ones.
func TestFullBeforeTheLastByte(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	q := queuetest.Connect(t, srv, func(o *queue.Options) { o.AuditMaxBytes = 100 << 10 })
	for n := 0; q.Held() == nil; n++ {
		if err := stream.On(q.Conn).RecordWait(queuetest.Context(t), "acme", "t", make([]byte, 200)); err != nil {
			t.Fatalf("record %d is refused before calls are: %v", n, err)
		}
		if n%20 == 0 {
			q.LookForRoom()
		}
	}
	if err := stream.On(q.Conn).RecordWait(queuetest.Context(t), "acme", "t", make([]byte, 200)); err != nil {
		t.Errorf("the record of a call that runs is refused: %v", err)
	}
}

// silence returns a function that has the audit stream of srv acknowledge writes, or not.
func silence(t *testing.T, url string) (acknowledge func(yes bool)) {
	t.Helper()
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return func(yes bool) {
		t.Helper()
		s, err := js.Stream(queuetest.Context(t), streams.Audit)
		if err != nil {
			t.Fatal(err)
		}
		cfg := s.CachedInfo().Config
		cfg.NoAck = !yes
		if _, err := js.UpdateStream(queuetest.Context(t), cfg); err != nil {
			t.Fatal(err)
		}
	}
}

// lose sends a record whose acknowledgement does not come.
func lose(t *testing.T, q *queue.Queue) {
	t.Helper()
	done := make(chan error, 1)
	stream.On(q.Conn).Record("acme", "t", []byte("x"), func(err error) { done <- err })
	q.Conn.Replies().Expire(time.Now().Add(time.Hour))
	if err := queuetest.Receive(t, done, "end"); !errors.Is(err, natsio.ErrUnavailable) {
		t.Fatalf("a record that is not acknowledged is answered %v", err)
	}
}

// TestSilentStreamIsNoticed: a stream that answers and does not acknowledge, as after a
// failed write of its server, is a shortage until a write is acknowledged.
func TestSilentStreamIsNoticed(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	q := queuetest.Connect(t, srv)
	acknowledge := silence(t, srv.URL())
	acknowledge(false)
	for n := range 2 {
		if q.Held() != nil {
			t.Fatalf("after %d lost acknowledgements: %v", n, q.Held())
		}
		lose(t, q)
	}
	if short := q.Held(); !short.Silent() || !errors.Is(short, natsio.ErrUnavailable) || errors.Is(short, natsio.ErrFull) {
		t.Errorf("the shortage is %v, want one without an answer", short)
	}
	acknowledge(true)
	if err := stream.On(q.Conn).RecordWait(queuetest.Context(t), "acme", "t", []byte("x")); err != nil {
		t.Fatal(err)
	}
	queuetest.Until(t, "room", func() bool { return q.Held() == nil })
}

// TestSilentStreamIsTriedAgain: a process that writes nothing to a silent stream, as its
// calls wait for the end of the shortage, tries the stream again after a pause. One more
// missing acknowledgement is a shortage again.
func TestSilentStreamIsTriedAgain(t *testing.T) {
	t.Parallel()
	for _, accepts := range []bool{true, false} { // as a dispatcher, as a worker
		srv := queuetest.Server(t)
		q := queuetest.Connect(t, srv, func(o *queue.Options) { o.Accepts = accepts })
		silence(t, srv.URL())(false)
		lose(t, q)
		lose(t, q)
		if q.Held() == nil {
			t.Fatalf("accepts %v: no shortage after two lost acknowledgements", accepts)
		}
		if q.ProbeLater(); q.Held() != nil {
			t.Errorf("accepts %v: the stream is not tried again: %v", accepts, q.Held())
		}
		if lose(t, q); q.Held() == nil {
			t.Errorf("accepts %v: no shortage after another lost acknowledgement", accepts)
		}
	}
}
