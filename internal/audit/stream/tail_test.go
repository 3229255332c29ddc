package stream_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// following follows the trail from a place on, and sends the number that each record
// begins with. Stop ends it.
func following(t *testing.T, tail *stream.Tail, from uint64, hold <-chan struct{}) (got <-chan int, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	numbers, done := make(chan int, 1000), make(chan error, 1)
	go func() {
		done <- tail.Follow(ctx, from, func(m stream.Message) error {
			text, _, _ := strings.Cut(string(m.Data), " ")
			n, err := strconv.Atoi(text)
			numbers <- n
			<-hold
			return err
		})
	}()
	return numbers, func() {
		t.Helper()
		cancel()
		if err := queuetest.Receive(t, done, "end"); !errors.Is(err, context.Canceled) {
			t.Errorf("Follow = %v, want the context's end", err)
		}
		if len(numbers) > 0 {
			t.Errorf("%d records came twice", len(numbers))
		}
	}
}

// inOrder checks that the records from one number to another come, each once.
func inOrder(t *testing.T, got <-chan int, from, to int) {
	t.Helper()
	for want := from; want <= to; want++ {
		if n := queuetest.Receive(t, got, "record "+strconv.Itoa(want)); n != want {
			t.Fatalf("record %d, want %d", n, want)
		}
	}
}

// readers waits until the trail has so many readers.
func readers(t *testing.T, q *queue.Queue, want int) {
	t.Helper()
	queuetest.Until(t, strconv.Itoa(want)+" readers", func() bool {
		stream, err := q.Conn.JetStream().Stream(queuetest.Context(t), streams.Audit)
		return err == nil && stream.CachedInfo().State.Consumers == want
	})
}

// TestFollowersShareAReader tests that followers at the end of the trail share one reader.
func TestFollowersShareAReader(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	tail := stream.NewTail(q.Conn)
	free := make(chan struct{})
	close(free)
	write := func(from, to int) {
		for n := from; n <= to; n++ {
			record(t, q, "acme", "echo", strconv.Itoa(n))
		}
	}
	write(1, 10)
	first, stopFirst := following(t, tail, 1, free)
	inOrder(t, first, 1, 10)
	second, stopSecond := following(t, tail, 6, free)
	inOrder(t, second, 6, 10)
	readers(t, q, 1)
	write(11, 20)
	inOrder(t, first, 11, 20)
	inOrder(t, second, 11, 20)
	readers(t, q, 1)
	stopFirst()
	write(21, 25)
	inOrder(t, second, 21, 25)
	stopSecond()
	readers(t, q, 0)
	third, stopThird := following(t, tail, 25, free)
	inOrder(t, third, 25, 25)
	stopThird()
}

// TestSlowFollowerHoldsUpNobody: it reads by itself what the others have had before it.
func TestSlowFollowerHoldsUpNobody(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	tail := stream.NewTail(q.Conn)
	free, held := make(chan struct{}), make(chan struct{})
	close(free)
	record(t, q, "acme", "echo", "1")
	slow, stopSlow := following(t, tail, 1, held)
	inOrder(t, slow, 1, 1)
	quick, stopQuick := following(t, tail, 1, free)
	inOrder(t, quick, 1, 1)
	held <- struct{}{} // so that it follows the tail, with the next record
	readers(t, q, 1)
	const last, size = 30, 512 << 10 // more than is kept
	for n := 2; n <= last; n++ {
		record(t, q, "acme", "echo", strconv.Itoa(n)+" "+strings.Repeat("x", size))
	}
	inOrder(t, quick, 2, last)
	inOrder(t, slow, 2, 2)
	close(held)
	inOrder(t, slow, 3, last)
	readers(t, q, 1)
	stopQuick()
	stopSlow()
}
