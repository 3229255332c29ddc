package events_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/bus/events"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/protocol"
)

var traceID = strings.Repeat("ab", 16)

// teller returns a queue that answers late listeners.
func teller(t testing.TB, q *queue.Queue) *queue.Queue {
	t.Helper()
	if err := q.Events.ServeReplay(); err != nil {
		t.Fatal(err)
	}
	if err := q.Check(queuetest.Context(t)); err != nil { // the server has processed it now
		t.Fatal(err)
	}
	return q
}

// listen follows the test's trace, of which there are known events already, until the test
// ends. On a busy machine they may be replayed too late, which is not promised; then it
// listens again.
func listen(t *testing.T, q *queue.Queue, after string, known int) <-chan events.Event {
	t.Helper()
	var received chan events.Event
	queuetest.Until(t, "a replay in time", func() bool {
		ctx, cancel := context.WithCancel(t.Context())
		heard, ended := make(chan events.Event, 50_000), make(chan error, 1)
		all := make(chan struct{})
		n := 0
		go func() {
			ended <- q.Events.Listen(ctx, "acme", traceID, after, func(e events.Event) error {
				heard <- e
				if n++; n == known {
					close(all)
				}
				return nil
			})
		}()
		stop := func() {
			cancel()
			if err := queuetest.Receive(t, ended, "end of Listen"); !errors.Is(err, context.Canceled) {
				t.Errorf("Listen = %v, want its context's end", err)
			}
		}
		select {
		case <-all:
		case <-time.After(queuetest.Patience / 6):
			stop()
			return false
		}
		t.Cleanup(stop)
		received = heard
		return true
	})
	return received
}

func tell(q *queue.Queue, n int) {
	q.Events.Tell(events.About{Tenant: "acme", TraceID: traceID, CallID: "c", Tool: "echo"}, "step", fmt.Append(nil, n))
}

// number returns the number in the data of an event of tell.
func number(t *testing.T, e events.Event) int {
	t.Helper()
	var body struct{ Data int }
	if err := json.Unmarshal(e.Data, &body); err != nil {
		t.Fatalf("event %s: %v", e.Data, err)
	}
	return body.Data
}

// wantNumbers receives the events from..to, in order.
func wantNumbers(t *testing.T, events <-chan events.Event, from, to int) (last events.Event) {
	t.Helper()
	for n := from; n <= to; n++ {
		last = queuetest.Receive(t, events, fmt.Sprint("event ", n))
		if got := number(t, last); got != n {
			t.Fatalf("event %d came, want %d", got, n)
		}
	}
	return last
}

func TestTellIsJSON(t *testing.T) {
	t.Parallel()
	q := teller(t, queuetest.Connect(t, queuetest.Server(t)))
	for _, tt := range []struct{ tool, call, data string }{
		{"echo", "c", ""},
		{"files.read_all.X9", "A-_z9" + strings.Repeat("x", 123), `{"a":[1,{"b":"\u2028 \" \\"}]}`},
		{strings.Repeat("t", 64), "0", "null"},
		{"t", "-", `"` + strings.Repeat("é", 100_000) + `"`},
	} {
		q.Events.Tell(events.About{Tenant: "acme", TraceID: traceID, CallID: tt.call, Tool: tt.tool}, protocol.EventDone, []byte(tt.data))
	}
	events := listen(t, q, "", 4)
	for _, want := range []struct{ call, tool string }{
		{"c", "echo"}, {"A-_z9" + strings.Repeat("x", 123), "files.read_all.X9"}, {"0", strings.Repeat("t", 64)}, {"-", "t"},
	} {
		e := queuetest.Receive(t, events, "event")
		var body struct {
			ID      string          `json:"id"`
			Type    string          `json:"type"`
			Time    time.Time       `json:"time"`
			TraceID string          `json:"trace_id"`
			CallID  string          `json:"call_id"`
			Tool    string          `json:"tool"`
			Data    json.RawMessage `json:"data"`
		}
		if err := json.Unmarshal(e.Data, &body); err != nil {
			t.Errorf("event %.200s: %v", e.Data, err)
			continue
		}
		got := []string{body.ID, body.Type, body.TraceID, body.CallID, body.Tool}
		if diff := cmp.Diff([]string{e.ID, "done", traceID, want.call, want.tool}, got); diff != "" || e.ID == "" || body.Time.IsZero() ||
			len(body.Data) == 0 {
			t.Errorf("event %.200s (-want +got):\n%s", e.Data, diff)
		}
	}
}

func TestTellWithAShortID(t *testing.T) {
	t.Parallel()
	q := teller(t, queuetest.Connect(t, queuetest.Server(t), func(o *queue.Options) { o.ID = "w" }))
	tell(q, 1)
	wantNumbers(t, listen(t, q, "", 1), 1, 1)
}

func TestListenReplaysThenFollowsThenResumes(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	told, heard := teller(t, queuetest.Connect(t, srv)), queuetest.Connect(t, srv)
	for n := range 5 {
		tell(told, n)
	}
	told.Events.Tell(events.About{Tenant: "other", TraceID: traceID, CallID: "c", Tool: "echo"}, "step", []byte("99"))
	told.Events.Tell(events.About{Tenant: "acme", TraceID: strings.Repeat("cd", 16), CallID: "c", Tool: "echo"}, "step", []byte("98"))
	events := listen(t, heard, "", 5)
	third := wantNumbers(t, events, 0, 2)
	wantNumbers(t, events, 3, 4)
	for n := 5; n < 200; n++ {
		tell(told, n)
	}
	wantNumbers(t, events, 5, 199)

	resumed := listen(t, heard, third.ID, 197)
	wantNumbers(t, resumed, 3, 199)
	tell(told, 200)
	wantNumbers(t, resumed, 200, 200)
	wantNumbers(t, events, 200, 200)
}

// TestListenReplaysALongTrace: a trace with more events than a listener may be behind is
// replayed.
func TestListenReplaysALongTrace(t *testing.T) {
	t.Parallel()
	q := teller(t, queuetest.Connect(t, queuetest.Server(t)))
	const told = 5_000
	for n := range told {
		tell(q, n)
	}
	wantNumbers(t, listen(t, q, "", told), 0, told-1)
}

func TestListenMergesTwoPublishers(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	one, two := teller(t, queuetest.Connect(t, srv)), teller(t, queuetest.Connect(t, srv))
	const told = 300
	for n := range told {
		tell([]*queue.Queue{one, two}[n/3%2], n)
	}
	wantNumbers(t, listen(t, queuetest.Connect(t, srv), "", told), 0, told-1)
}

func TestSlowListenerIsEndedAndBlocksNobody(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	q := teller(t, queuetest.Connect(t, srv))
	tell(q, 0)
	fast := listen(t, q, "", 1)
	first, token, ended := make(chan struct{}, 1), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- q.Events.Listen(queuetest.Context(t), "acme", traceID, "", func(events.Event) error {
			select {
			case first <- struct{}{}:
			default:
			}
			<-token
			return nil
		})
	}()
	queuetest.Receive(t, first, "event for the slow listener")
	wantNumbers(t, fast, 0, 0)
	const blocks, block = 12, 1000
	for i := range blocks {
		for n := 1; n <= block; n++ {
			tell(q, i*block+n)
		}
		wantNumbers(t, fast, i*block+1, (i+1)*block)
	}
	var err error
	queuetest.Until(t, "the slow listener is cut off", func() bool {
		select {
		case err = <-ended:
			return true
		case token <- struct{}{}:
		default:
		}
		return false
	})
	if !errors.Is(err, natsio.ErrFull) {
		t.Errorf("the slow listener ended with %v, want ErrFull", err)
	}
}

// TestSlowListenerHoldsLittleMemory: a few large events count as much as many small ones.
func TestSlowListenerHoldsLittleMemory(t *testing.T) {
	t.Parallel()
	q := teller(t, queuetest.Connect(t, queuetest.Server(t)))
	data := []byte(`"` + strings.Repeat("x", 512<<10) + `"`)
	started, ended, token := make(chan struct{}, 1), make(chan error, 1), make(chan struct{})
	yielded := 0
	go func() {
		ended <- q.Events.Listen(queuetest.Context(t), "acme", traceID, "", func(events.Event) error {
			if yielded++; yielded == 1 {
				started <- struct{}{}
			}
			<-token
			return nil
		})
	}()
	q.Events.Tell(events.About{Tenant: "acme", TraceID: traceID, CallID: "c", Tool: "echo"}, "log", data)
	queuetest.Receive(t, started, "event for the slow listener")
	for range 40 { // 20 MiB
		q.Events.Tell(events.About{Tenant: "acme", TraceID: traceID, CallID: "c", Tool: "echo"}, "log", data)
	}
	if err := q.Check(queuetest.Context(t)); err != nil { // an answer: all of them have arrived
		t.Fatal(err)
	}
	var err error
	queuetest.Until(t, "the slow listener is cut off", func() bool {
		select {
		case err = <-ended:
			return true
		case token <- struct{}{}:
		default:
		}
		return false
	})
	if !errors.Is(err, natsio.ErrFull) || yielded > 20 {
		t.Errorf("the slow listener ended with %v after %d events, want ErrFull after those of 4 MiB", err, yielded)
	}
}

func TestListenEndsWithItsListener(t *testing.T) {
	t.Parallel()
	q := teller(t, queuetest.Connect(t, queuetest.Server(t)))
	tell(q, 1)
	gone := errors.New("the browser went away")
	if err := q.Events.Listen(queuetest.Context(t), "acme", traceID, "", func(events.Event) error { return gone }); !errors.Is(err, gone) {
		t.Errorf("Listen = %v, want what yield returned", err)
	}
}

func TestListenLeavesOutWhatIsNoEvent(t *testing.T) {
	t.Parallel()
	q := teller(t, queuetest.Connect(t, queuetest.Server(t)))
	tell(q, 1)
	received := listen(t, q, "", 1)
	wantNumbers(t, received, 1, 1)
	subject := events.Subjects{Tree: q.Conn.Tree()}.Event("acme", traceID, "c")
	for _, noise := range []string{"", "{", "7", "\xff"} {
		if err := q.Conn.JetStream().Conn().Publish(subject, []byte(noise)); err != nil {
			t.Fatal(err)
		}
	}
	tell(q, 2)
	wantNumbers(t, received, 2, 2)
}

func BenchmarkTell(b *testing.B) {
	conn := queuetest.Connect(b, queuetest.Server(b))
	data := []byte(`{"percent":50}`)
	b.ReportAllocs()
	for b.Loop() {
		conn.Events.Tell(events.About{Tenant: "acme", TraceID: traceID, CallID: "c", Tool: "echo"}, "progress", data)
	}
}
