package bus_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
)

var traceID = strings.Repeat("ab", 16)

// teller returns a bus that answers late listeners.
func teller(t testing.TB, b *bus.Bus) *bus.Bus {
	t.Helper()
	if err := b.ServeReplay(); err != nil {
		t.Fatal(err)
	}
	if err := b.Check(bustest.Context(t)); err != nil { // the server knows of it now
		t.Fatal(err)
	}
	return b
}

// listen follows the test's trace, of which there are known events already, until
// the test ends. On a busy machine they may be told again too late to be heard,
// which is not promised; then it listens anew.
func listen(t *testing.T, b *bus.Bus, after string, known int) <-chan bus.Event {
	t.Helper()
	var events chan bus.Event
	bustest.Until(t, "a replay in time", func() bool {
		ctx, cancel := context.WithCancel(t.Context())
		heard, ended := make(chan bus.Event, 50_000), make(chan error, 1)
		all := make(chan struct{})
		n := 0
		go func() {
			ended <- b.Listen(ctx, "acme", traceID, after, func(e bus.Event) error {
				heard <- e
				if n++; n == known {
					close(all)
				}
				return nil
			})
		}()
		stop := func() {
			cancel()
			if err := bustest.Receive(t, ended, "end of Listen"); !errors.Is(err, context.Canceled) {
				t.Errorf("Listen = %v, want its context's end", err)
			}
		}
		select {
		case <-all:
		case <-time.After(bustest.Patience / 6):
			stop()
			return false
		}
		t.Cleanup(stop)
		events = heard
		return true
	})
	return events
}

func tell(b *bus.Bus, n int) {
	b.Tell("acme", traceID, "c", "echo", "step", fmt.Append(nil, n))
}

// number is the data of an event that tell told.
func number(t *testing.T, e bus.Event) int {
	t.Helper()
	var body struct{ Data int }
	if err := json.Unmarshal(e.Data, &body); err != nil {
		t.Fatalf("event %s: %v", e.Data, err)
	}
	return body.Data
}

// wantNumbers receives the events from..to, in order.
func wantNumbers(t *testing.T, events <-chan bus.Event, from, to int) (last bus.Event) {
	t.Helper()
	for n := from; n <= to; n++ {
		last = bustest.Receive(t, events, fmt.Sprint("event ", n))
		if got := number(t, last); got != n {
			t.Fatalf("event %d came, want %d", got, n)
		}
	}
	return last
}

func TestTellIsJSON(t *testing.T) {
	t.Parallel()
	b := teller(t, bustest.Connect(t, bustest.Server(t)))
	for _, tt := range []struct{ tool, call, data string }{
		{"echo", "c", ""},
		{"files.read_all.X9", "A-_z9" + strings.Repeat("x", 123), `{"a":[1,{"b":"\u2028 \" \\"}]}`},
		{strings.Repeat("t", 64), "0", "null"},
		{"t", "-", `"` + strings.Repeat("é", 100_000) + `"`},
	} {
		b.Tell("acme", traceID, tt.call, tt.tool, bus.EventDone, []byte(tt.data))
	}
	events := listen(t, b, "", 4)
	for _, want := range []struct{ call, tool string }{
		{"c", "echo"}, {"A-_z9" + strings.Repeat("x", 123), "files.read_all.X9"}, {"0", strings.Repeat("t", 64)}, {"-", "t"},
	} {
		e := bustest.Receive(t, events, "event")
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
		if diff := cmp.Diff([]string{e.ID, "done", traceID, want.call, want.tool}, got); diff != "" || e.ID == "" || body.Time.IsZero() || len(body.Data) == 0 {
			t.Errorf("event %.200s (-want +got):\n%s", e.Data, diff)
		}
	}
}

func TestTellWithAShortID(t *testing.T) {
	t.Parallel()
	b := teller(t, bustest.Connect(t, bustest.Server(t), func(o *bus.Options) { o.ID = "w" }))
	tell(b, 1)
	wantNumbers(t, listen(t, b, "", 1), 1, 1)
}

func TestListenReplaysThenFollowsThenResumes(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	told, heard := teller(t, bustest.Connect(t, srv)), bustest.Connect(t, srv)
	for n := range 5 {
		tell(told, n)
	}
	told.Tell("other", traceID, "c", "echo", "step", []byte("99"))
	told.Tell("acme", strings.Repeat("cd", 16), "c", "echo", "step", []byte("98"))
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

// TestListenReplaysALongTrace: more events than a listener may lag behind.
func TestListenReplaysALongTrace(t *testing.T) {
	t.Parallel()
	b := teller(t, bustest.Connect(t, bustest.Server(t)))
	const told = 5_000
	for n := range told {
		tell(b, n)
	}
	wantNumbers(t, listen(t, b, "", told), 0, told-1)
}

func TestListenMergesTwoPublishers(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	one, two := teller(t, bustest.Connect(t, srv)), teller(t, bustest.Connect(t, srv))
	const told = 300
	for n := range told {
		tell([]*bus.Bus{one, two}[n/3%2], n)
	}
	wantNumbers(t, listen(t, bustest.Connect(t, srv), "", told), 0, told-1)
}

func TestSlowListenerIsEndedAndBlocksNobody(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	b := teller(t, bustest.Connect(t, srv))
	tell(b, 0)
	fast := listen(t, b, "", 1)
	first, token, ended := make(chan struct{}, 1), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- b.Listen(bustest.Context(t), "acme", traceID, "", func(bus.Event) error {
			select {
			case first <- struct{}{}:
			default:
			}
			<-token
			return nil
		})
	}()
	bustest.Receive(t, first, "event for the slow listener")
	wantNumbers(t, fast, 0, 0)
	const blocks, block = 12, 1000
	for i := range blocks {
		for n := 1; n <= block; n++ {
			tell(b, i*block+n)
		}
		wantNumbers(t, fast, i*block+1, (i+1)*block)
	}
	var err error
	bustest.Until(t, "the slow listener is cut off", func() bool {
		select {
		case err = <-ended:
			return true
		case token <- struct{}{}:
		default:
		}
		return false
	})
	if !errors.Is(err, bus.ErrFull) {
		t.Errorf("the slow listener ended with %v, want ErrFull", err)
	}
}

// TestSlowListenerHoldsLittleMemory: a few large events are as much as many small.
func TestSlowListenerHoldsLittleMemory(t *testing.T) {
	t.Parallel()
	b := teller(t, bustest.Connect(t, bustest.Server(t)))
	data := []byte(`"` + strings.Repeat("x", 512<<10) + `"`)
	started, ended, token := make(chan struct{}, 1), make(chan error, 1), make(chan struct{})
	yielded := 0
	go func() {
		ended <- b.Listen(bustest.Context(t), "acme", traceID, "", func(bus.Event) error {
			if yielded++; yielded == 1 {
				started <- struct{}{}
			}
			<-token
			return nil
		})
	}()
	b.Tell("acme", traceID, "c", "echo", "log", data)
	bustest.Receive(t, started, "event for the slow listener")
	for range 40 { // 20 MiB
		b.Tell("acme", traceID, "c", "echo", "log", data)
	}
	if err := b.Check(bustest.Context(t)); err != nil { // an answer: all of them are here
		t.Fatal(err)
	}
	var err error
	bustest.Until(t, "the slow listener is cut off", func() bool {
		select {
		case err = <-ended:
			return true
		case token <- struct{}{}:
		default:
		}
		return false
	})
	if !errors.Is(err, bus.ErrFull) || yielded > 20 {
		t.Errorf("the slow listener ended with %v after %d events, want ErrFull after those of 4 MiB", err, yielded)
	}
}

func TestListenEndsWithItsListener(t *testing.T) {
	t.Parallel()
	b := teller(t, bustest.Connect(t, bustest.Server(t)))
	tell(b, 1)
	gone := errors.New("the browser went away")
	if err := b.Listen(bustest.Context(t), "acme", traceID, "", func(bus.Event) error { return gone }); !errors.Is(err, gone) {
		t.Errorf("Listen = %v, want what yield returned", err)
	}
}

func TestListenLeavesOutWhatIsNoEvent(t *testing.T) {
	t.Parallel()
	b := teller(t, bustest.Connect(t, bustest.Server(t)))
	tell(b, 1)
	events := listen(t, b, "", 1)
	wantNumbers(t, events, 1, 1)
	subject := b.Subjects().Event("acme", traceID, "c")
	for _, noise := range []string{"", "{", "7", "\xff"} {
		if err := b.JetStream().Conn().Publish(subject, []byte(noise)); err != nil {
			t.Fatal(err)
		}
	}
	tell(b, 2)
	wantNumbers(t, events, 2, 2)
}

func BenchmarkTell(b *testing.B) {
	conn := bustest.Connect(b, bustest.Server(b))
	data := []byte(`{"percent":50}`)
	b.ReportAllocs()
	for b.Loop() {
		conn.Tell("acme", traceID, "c", "echo", "progress", data)
	}
}
