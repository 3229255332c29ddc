package natsio

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/embedded"
)

// newTestMux returns a mux on a connection to a server of its own.
func newTestMux(t *testing.T) *ReplyMux {
	t.Helper()
	srv, err := embedded.Start(embedded.Options{Addr: "127.0.0.1:0", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Stop)
	nc, err := nats.Connect(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	m, err := newReplyMux(nc, nc.NewInbox()+".")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.close)
	return m
}

// waiters returns the number of replies that the mux still waits for.
func (m *ReplyMux) waiters() int {
	n := 0
	for i := range m.shards {
		m.shards[i].mu.Lock()
		n += len(m.shards[i].waiting)
		m.shards[i].mu.Unlock()
	}
	return n
}

// answer publishes body to a reply subject and waits until all that was
// published before has been delivered to the mux.
func (m *ReplyMux) answer(t *testing.T, reply string, bodies ...string) {
	t.Helper()
	for _, body := range bodies {
		if err := m.nc.Publish(reply, []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	passed := make(chan struct{})
	mark := m.Expect(time.Now().Add(time.Hour), func(*nats.Msg) { close(passed) })
	if err := m.nc.Publish(mark, nil); err != nil {
		t.Fatal(err)
	}
	select {
	case <-passed:
	case <-time.After(30 * time.Second):
		t.Fatal("the mux delivers nothing")
	}
}

func TestMuxBringsEachReplyToItsWaiter(t *testing.T) {
	m := newTestMux(t)
	const callers = 500
	var all sync.WaitGroup
	got := make([]string, callers)
	all.Add(callers)
	for i := range callers {
		reply := m.Expect(time.Now().Add(time.Hour), func(msg *nats.Msg) {
			got[i] = string(msg.Data)
			all.Done()
		})
		if err := m.nc.Publish(reply, []byte(strconv.Itoa(i))); err != nil {
			t.Fatal(err)
		}
	}
	all.Wait()
	for i, body := range got {
		if body != strconv.Itoa(i) {
			t.Errorf("waiter %d got %q", i, body)
		}
	}
	if n := m.waiters(); n != 0 {
		t.Errorf("%d waiters are left, want 0", n)
	}
}

func TestMuxTimeoutGivesNilOnceAndLateRepliesAreDropped(t *testing.T) {
	m := newTestMux(t)
	got := make(chan *nats.Msg, 4)
	reply := m.Expect(time.Now().Add(-time.Second), func(msg *nats.Msg) { got <- msg })
	m.Expire(time.Now())
	m.Expire(time.Now())
	if msg := <-got; msg != nil {
		t.Errorf("timed out waiter got %q, want nil", msg.Data)
	}
	m.answer(t, reply, "too late")
	if n := len(got); n != 0 {
		t.Errorf("waiter was called %d times more, want once in all", n)
	}
}

func TestMuxSweepsByItself(t *testing.T) {
	m := newTestMux(t)
	got := make(chan *nats.Msg, 1)
	m.Expect(time.Now(), func(msg *nats.Msg) { got <- msg })
	select {
	case msg := <-got:
		if msg != nil {
			t.Errorf("got %q, want nil", msg.Data)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("nobody gave the waiter up")
	}
}

func TestMuxSecondReplyIsDropped(t *testing.T) {
	m := newTestMux(t)
	var calls atomic.Int64
	reply := m.Expect(time.Now().Add(time.Hour), func(*nats.Msg) { calls.Add(1) })
	m.answer(t, reply, "one", "two", "three")
	if n := calls.Load(); n != 1 {
		t.Errorf("waiter was called %d times, want 1", n)
	}
}

func TestMuxExpectMany(t *testing.T) {
	m := newTestMux(t)
	got := make(chan *nats.Msg, 8)
	reply := m.ExpectMany(time.Now().Add(time.Minute), func(msg *nats.Msg) { got <- msg })
	m.answer(t, reply, "one", "two")
	m.Expire(time.Now().Add(time.Hour))
	m.answer(t, reply, "late")
	close(got)
	var seen []string
	for msg := range got {
		if msg == nil {
			seen = append(seen, "end")
			continue
		}
		seen = append(seen, string(msg.Data))
	}
	if len(seen) != 3 || seen[0] != "one" || seen[1] != "two" || seen[2] != "end" {
		t.Errorf("waiter saw %q, want one, two, end", seen)
	}
}

// TestMuxMove: the waiter's end can be another one, while it waits.
func TestMuxMove(t *testing.T) {
	m := newTestMux(t)
	ends := 0
	reply := m.ExpectMany(time.Now().Add(time.Hour), func(*nats.Msg) { ends++ })
	m.Move(reply, time.Now().Add(3*time.Hour))
	if m.Expire(time.Now().Add(2 * time.Hour)); ends != 0 {
		t.Error("it was given up before its new end")
	}
	m.Move(reply, time.Now())
	if m.Expire(time.Now().Add(time.Minute)); ends != 1 {
		t.Errorf("it was given up %d times behind its new end, want once", ends)
	}
	m.Move(reply, time.Now().Add(time.Hour))
	m.Move("not.a.reply", time.Now())
	if n := m.waiters(); n != 0 {
		t.Errorf("%d waiters came back", n)
	}
}

func TestMuxIgnoresUnknownTokens(t *testing.T) {
	m := newTestMux(t)
	for _, token := range []string{"zzz", "0", "-1", "%", "99999999999999999999999"} {
		m.answer(t, m.prefix+token, "noise")
	}
}

func TestMuxDrop(t *testing.T) {
	m := newTestMux(t)
	var replies, instead atomic.Int64
	reply := m.Expect(time.Now().Add(time.Hour), func(*nats.Msg) { replies.Add(1) })
	m.Drop(reply, func() { instead.Add(1) })
	m.Drop(reply, func() { instead.Add(1) })
	m.Drop("not.a.reply", func() { instead.Add(1) })
	m.answer(t, reply, "late")
	if instead.Load() != 1 || replies.Load() != 0 {
		t.Errorf("instead ran %d times, the waiter %d times; want 1 and 0", instead.Load(), replies.Load())
	}
}

func TestMuxCloseGivesUpAll(t *testing.T) {
	m := newTestMux(t)
	const waiting = 100
	var gaveUp atomic.Int64
	for range waiting {
		m.Expect(time.Now().Add(time.Hour), func(msg *nats.Msg) {
			if msg == nil {
				gaveUp.Add(1)
			}
		})
	}
	m.close()
	m.close()
	if n := gaveUp.Load(); n != waiting {
		t.Errorf("close gave up %d waiters, want %d", n, waiting)
	}
}

// TestMuxCallsOnceUnderRaces lets replies, timeouts and drops meet.
func TestMuxCallsOnceUnderRaces(t *testing.T) {
	m := newTestMux(t)
	const waiting = 2000
	calls := make([]atomic.Int64, waiting)
	replies := make([]string, waiting)
	for i := range waiting {
		replies[i] = m.Expect(time.Now(), func(*nats.Msg) { calls[i].Add(1) })
	}
	var all sync.WaitGroup
	all.Go(func() { m.Expire(time.Now().Add(time.Hour)) })
	all.Go(func() {
		for i, reply := range replies {
			m.Drop(reply, func() { calls[i].Add(1) })
		}
	})
	all.Go(func() {
		for _, reply := range replies {
			m.deliver(&nats.Msg{Subject: reply})
		}
	})
	all.Wait()
	for i := range calls {
		if n := calls[i].Load(); n != 1 {
			t.Fatalf("waiter %d was called %d times, want once", i, n)
		}
	}
}
