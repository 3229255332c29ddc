package streams_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/call"
)

// TestBoundsThatNobodySet: results and once-only records are bounded even without
// configuration, each to a fraction of the memory.
func TestBoundsThatNobodySet(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	q := queuetest.Connect(t, srv)
	results, once := queuetest.ConfigOf(t, q, streams.Results), queuetest.ConfigOf(t, q, streams.Once)
	if results.MaxMsgs <= 0 || results.MaxBytes <= 0 || once.MaxBytes <= 0 || once.MaxMsgs < results.MaxMsgs {
		t.Errorf("results are bounded to %d messages and %d bytes, once-only records to %d and %d; want bounds, the latter above",
			results.MaxMsgs, results.MaxBytes, once.MaxMsgs, once.MaxBytes)
	}
	if results.MaxMsgs*streams.KeptMessage > 1<<40 {
		t.Errorf("%d results need more memory than a machine has", results.MaxMsgs)
	}
	queuetest.Connect(t, srv, func(o *queue.Options) { o.ResultsMaxMessages, o.OnceMaxBytes = 1234, 9<<20 })
	queuetest.Connect(t, srv) // which keeps the bounds set by another process
	if is := queuetest.ConfigOf(t, q, streams.Results); is.MaxMsgs != 1234 {
		t.Errorf("results are bounded to %d messages, want the 1234 that were asked for", is.MaxMsgs)
	}
	if is := queuetest.ConfigOf(t, q, streams.Once); is.MaxBytes != 9<<20 || is.MaxMsgs != once.MaxMsgs {
		t.Errorf("once-only records are bounded to %d bytes and %d messages, want %d and %d", is.MaxBytes, is.MaxMsgs, 9<<20, once.MaxMsgs)
	}
	queuetest.Connect(t, srv, func(o *queue.Options) { o.StoreDir = t.TempDir() })
	if is := queuetest.ConfigOf(t, q, streams.Results); is.MaxMsgs != results.MaxMsgs {
		t.Errorf("the process beside the store left %d messages, want what its machine has memory for, %d", is.MaxMsgs, results.MaxMsgs)
	}
}

// TestBoundsAreKept: a dispatcher of an earlier version that is started beside this one
// removes the bounds, and this one sets them again.
func TestBoundsAreKept(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t), func(o *queue.Options) { o.Accepts, o.ResultsMaxMessages = true, 5000 })
	undone := queuetest.ConfigOf(t, q, streams.Results)
	undone.MaxMsgs, undone.MaxBytes = -1, -1
	if _, err := q.Conn.JetStream().UpdateStream(queuetest.Context(t), undone); err != nil {
		t.Fatal(err)
	}
	queuetest.Until(t, "the stream is bounded again", func() bool {
		is := queuetest.ConfigOf(t, q, streams.Results)
		return is.MaxMsgs == 5000 && is.MaxBytes > 0
	})
}

// TestMessagesUsedUp stores results and fences until calls are refused: before the last
// message fits, with the name of the setting to change, and only while the stream is full.
// Stored messages stay, even if a bound is lowered below their number.
func TestMessagesUsedUp(t *testing.T) {
	t.Parallel()
	for stream, setting := range map[string]string{
		streams.Results: "streams.results_max_messages", streams.Once: "streams.once_max_messages",
	} {
		t.Run(stream, func(t *testing.T) {
			t.Parallel()
			const most = 200
			srv := queuetest.Server(t)
			ctx := queuetest.Context(t)
			core, logged := observer.New(zapcore.ErrorLevel)
			q := queuetest.Connect(t, srv, func(o *queue.Options) {
				o.Accepts, o.ResultsMaxMessages, o.OnceMaxMessages, o.Log = true, most, most, zap.New(core)
			})
			worker := queuetest.Connect(t, srv, func(o *queue.Options) { o.ResultsMaxMessages, o.OnceMaxMessages = most, most })
			store := func(n int) error {
				id := fmt.Sprintf("c%d", n)
				if stream == streams.Once {
					_, err := worker.Calls.Fence(ctx, "acme", id, call.Fence{By: "w"})
					return err
				}
				return worker.Results.FinishWait(ctx, "acme", "default", "d", id, []byte(`{}`), nil)
			}
			n := 0
			for ; q.Full() == nil; n++ {
				if err := store(n); err != nil {
					t.Fatalf("message %d is refused before calls are: %v", n, err)
				}
				q.LookForRoom()
			}
			if short := q.Full(); n >= most || !strings.Contains(short.Error(), setting) ||
				!strings.Contains(short.Error(), fmt.Sprintf("%d of %d messages", n, most)) {
				t.Errorf("after %d messages calls are refused with %q, want less than %d and %s", n, short, most, setting)
			}
			if short := q.Shortages()[stream]; short == nil || !strings.Contains(short.What, stream+" holds ") ||
				!strings.Contains(short.What, " of calls at this rate") {
				t.Errorf("the shortage of the stream is %v, want the time that its bound is enough for", short)
			}
			if lines := logged.FilterMessage("stream full, calls refused").All(); len(lines) != 1 ||
				lines[0].ContextMap()["max_messages"] != int64(most) ||
				!strings.Contains(fmt.Sprint(lines[0].ContextMap()["reason"]), fmt.Sprintf("of %d messages", most)) {
				t.Errorf("the log says %v, want the bound that is reached", lines)
			}
			for ; n < most; n++ {
				if err := store(n); err != nil {
					t.Fatalf("message %d of a call that runs is refused: %v", n, err)
				}
			}
			if err := store(n); !errors.Is(err, natsio.ErrFull) || worker.Held() == nil {
				t.Errorf("a message too many is answered %v, want ErrFull and calls held", err)
			}
			queuetest.Connect(t, srv, func(o *queue.Options) { o.ResultsMaxMessages, o.OnceMaxMessages = most/2, most/2 })
			if f, err := q.Fill(ctx, stream); err != nil || f.Messages != most || f.MaxMessages != most/2 {
				t.Errorf("with a lower bound the stream is %+v, %v; want all messages", f, err)
			}
			queuetest.Connect(t, srv, func(o *queue.Options) { o.ResultsMaxMessages, o.OnceMaxMessages = 2*most, 2*most })
			queuetest.Until(t, "room", func() bool { return q.Full() == nil && worker.Held() == nil })
			if err := store(n); err != nil {
				t.Errorf("a message after that is answered %v", err)
			}
		})
	}
}
