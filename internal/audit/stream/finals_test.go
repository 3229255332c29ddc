package stream_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// errRead ends a reader that waits for new messages.
var errRead = errors.New("everything was read")

// TestFollowFinals gives the records of results, and none of a result that has none. A header
// that the server uses for its own messages stops nobody.
func TestFollowFinals(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	q := queuetest.Connect(t, srv)
	ctx := queuetest.Context(t)
	js := q.Conn.JetStream()
	msg := nats.NewMsg("helve.v1.acme.result.default.d-1.odd")
	msg.Header.Set("Status", "404")
	if _, err := js.PublishMsg(ctx, msg); err != nil {
		t.Fatal(err)
	}
	for _, end := range []struct{ tenant, call, record string }{
		{"acme", "c1", `{"n":1,"text":"ä: \\u0007 x "}`}, {"beta", "c2", ""}, {"acme", "c3", `{"n":3}`},
	} {
		if err := q.Results.FinishWait(ctx, end.tenant, "default", "d-1", end.call, []byte("{}"), []byte(end.record)); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	err := stream.On(q.Conn).FollowFinals(ctx, 1, func(f stream.Final) error {
		if time.Since(f.At) > time.Hour {
			t.Errorf("result %d was stored at %v", f.Seq, f.At)
		}
		got = append(got, fmt.Sprintf("%d %s %s", f.Seq, f.Tenant, bytes.Join(f.Records, nil)))
		return nil
	}, func() error { return errRead })
	if want := `[1 acme  2 acme {"n":1,"text":"ä: \\u0007 x "} 3 beta  4 acme {"n":3}]`; fmt.Sprint(got) != want || !errors.Is(err, errRead) {
		t.Errorf("FollowFinals = %v, %v; want %s", got, err, want)
	}
}

// TestWriteBlock refuses a block that does not follow the last one.
func TestWriteBlock(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	ctx := queuetest.Context(t)
	block := &stream.Block{
		Tenant: "acme",
		From:   3,
		To:     7,
		Stream: "s",
		Signed: "x",
		Since:  time.Now().Add(-time.Minute),
		Lines:  []byte("a\nb"),
	}
	if last, err := stream.On(q.Conn).LastBlock(ctx, "acme"); last != nil || err != nil {
		t.Errorf("LastBlock of none = %v, %v", last, err)
	}
	seq, err := stream.On(q.Conn).WriteBlock(ctx, block, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.On(q.Conn).RecordWait(ctx, "acme", "echo", []byte("another record")); err != nil {
		t.Fatal(err)
	}
	if _, err := stream.On(q.Conn).WriteBlock(ctx, block, 0); !errors.Is(err, stream.ErrMoved) {
		t.Errorf("a second first block = %v, want ErrMoved", err)
	}
	if last, err := stream.On(q.Conn).LastBlock(ctx, "acme"); err != nil || last.Seq != seq || last.From != 3 || last.To != 7 ||
		last.Stream != "s" || last.Signed != "x" {
		t.Errorf("LastBlock = %+v, %v, want what was written at %d", last, err, seq)
	}
	if _, err := stream.On(q.Conn).WriteBlock(ctx, block, seq); err != nil {
		t.Errorf("the next block = %v", err)
	}
	since := time.Duration(0)
	err = stream.NewTail(q.Conn).Follow(ctx, 1, func(m stream.Message) error {
		if m.Tool == stream.AboutBlocks {
			since = time.Since(m.At)
		}
		if m.Seq == 3 {
			return errRead
		}
		return nil
	})
	if !errors.Is(err, errRead) || since < time.Minute {
		t.Errorf("a block is read as %v old, %v; want the age of its first result", since, err)
	}
}

// TestPurgeResults removes what is both old and before a place.
func TestPurgeResults(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	ctx := queuetest.Context(t)
	for i := range 6 {
		if err := q.Results.FinishWait(ctx, "acme", "default", "d-1", fmt.Sprint(i), []byte("{}"), nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		keep   time.Duration
		before uint64
		left   uint64
	}{
		{time.Hour, 100, 6}, {0, 3, 4}, {0, 6, 1}, {0, 100, 0}, {0, 100, 0},
	} {
		if err := stream.On(q.Conn).PurgeResults(ctx, tt.keep, tt.before); err != nil {
			t.Fatal(err)
		}
		s, err := q.Conn.JetStream().Stream(ctx, streams.Results)
		if err != nil {
			t.Fatal(err)
		}
		if left := s.CachedInfo().State.Msgs; left != tt.left {
			t.Errorf("%d results are left after a purge before %d, want %d", left, tt.before, tt.left)
		}
	}
}

// TestAwaitWritten ends when a process answers that the results are on the trail, and
// asks the next one if that does not answer.
func TestAwaitWritten(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	asks, dead, pumps := queuetest.Connect(t, srv), queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	ctx := queuetest.Context(t)
	if err := stream.On(asks.Conn).AwaitWritten(ctx); err != nil {
		t.Fatalf("AwaitWritten without results = %v", err)
	}
	if err := asks.Results.FinishWait(ctx, "acme", "default", "d-1", "c", []byte("{}"), nil); err != nil {
		t.Fatal(err)
	}
	asked := make(chan uint64, 8)
	stop, err := stream.On(dead.Conn).ServeWritten(func(seq uint64, _ func()) { asked <- seq })
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- stream.On(asks.Conn).AwaitWritten(ctx) }()
	if seq := queuetest.Receive(t, asked, "request"); seq != 1 {
		t.Errorf("the request is about place %d, want 1", seq)
	}
	stop()
	if _, err := stream.On(pumps.Conn).ServeWritten(func(_ uint64, answer func()) { answer() }); err != nil {
		t.Fatal(err)
	}
	if err := queuetest.Receive(t, done, "end of AwaitWritten"); err != nil {
		t.Errorf("AwaitWritten = %v", err)
	}
}
