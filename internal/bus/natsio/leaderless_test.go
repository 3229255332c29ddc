package natsio_test

import (
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

// TestPublishWithoutLeader: a write to a stream that is away for a moment is stored once it
// is back, and the next write is not delayed by what was before.
func TestPublishWithoutLeader(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	ctx := queuetest.Context(t)
	const subject = "helve.v1.default.late.message"
	stored := make(chan error, 1)
	go func() { stored <- q.Conn.PublishWait(ctx, &nats.Msg{Subject: subject, Data: []byte("1")}) }()
	queuetest.Until(t, "the first refusal", func() bool { return natsio.Leaderless(q.Conn) == 1 })
	s, err := q.Conn.JetStream().CreateStream(ctx, jetstream.StreamConfig{Name: "LATE", Subjects: []string{"helve.v1.*.late.>"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := queuetest.Receive(t, stored, "the acknowledgement"); err != nil {
		t.Errorf("the write to a stream that came back: %v", err)
	}
	if n := natsio.Leaderless(q.Conn); n != 0 {
		t.Errorf("%d streams count as away after an acknowledgement", n)
	}
	info, err := s.Info(ctx)
	if err != nil || info.State.Msgs != 1 {
		t.Errorf("the stream holds %d messages, %v, want one", info.State.Msgs, err)
	}
}

// TestLeaderless: writes to a stream are repeated for a while only, and streams are told apart.
func TestLeaderless(t *testing.T) {
	t.Parallel()
	var l natsio.LeaderlessStreams
	now := time.Now()
	want := func(kind string, after time.Duration, repeated bool) {
		t.Helper()
		if got := l.Repeat(kind, now.Add(after)); got != repeated {
			t.Errorf("a write to %s is repeated after %v: %v, want %v", kind, after, got, repeated)
		}
	}
	want("call", 0, true)
	want("call", 3*time.Second, true)
	want("once", 3*time.Second, true)
	want("call", 4*time.Second, false)
	want("once", 4*time.Second, true)
	l.Heard("once")
	want("call", time.Minute, false)
	l.Heard("call")
	want("call", time.Minute, true)
}

// TestPublishNowhere: a stream that stays away ends a write with an error.
func TestPublishNowhere(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	err := q.Conn.PublishWait(queuetest.Context(t), &nats.Msg{Subject: "helve.v1.default.nowhere.message"})
	if !errors.Is(err, natsio.ErrUnavailable) {
		t.Errorf("a write without a stream: %v, want ErrUnavailable", err)
	}
}
