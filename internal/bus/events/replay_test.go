package events

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/bus/natsio"
)

// TestReplayOnABusyMachine: until the answer of this process has come, the others are not
// late.
func TestReplayOnABusyMachine(t *testing.T) {
	srv, err := embedded.Start(embedded.Options{Addr: "127.0.0.1:0", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Stop)
	conn, err := natsio.Connect(natsio.Options{URL: srv.URL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	replies, err := conn.NewReplies("held")
	if err != nil {
		t.Fatal(err)
	}
	q := New(conn, replies, Subjects{conn.Tree()}, time.Minute)
	q.replays.Store(true) // but it is the test that answers
	asked := make(chan *nats.Msg, 1)
	if _, err := q.conn.NATS().ChanSubscribe(q.subj.Replay("*", "*"), asked); err != nil {
		t.Fatal(err)
	}

	var events [][]byte
	got := make(chan struct{})
	go func() {
		defer close(got)
		events = q.replay(t.Context(), "acme", "t1")
	}()
	reply := (<-asked).Reply
	q.replies.Expire(time.Now().Add(replayWindow + time.Second)) // as the sweeper does, much later
	answer(t, q, reply, `{"id":"2-a"}`)
	q.replies.Expire(time.Now().Add(replayWindow + time.Second))
	answer(t, q, reply, `{"id":"1-a"}`, "")
	q.replies.Expire(time.Now().Add(replayMost))
	<-got
	var ids []string
	for _, data := range events {
		e, err := parseEvent(data)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, e.ID)
	}
	if all := strings.Join(ids, " "); all != "1-a 2-a" {
		t.Errorf("the listener was told %q, want both in order", all)
	}
}

// answer publishes body to a reply subject and waits until all earlier messages have been
// delivered to the mux.
func answer(t *testing.T, q *Events, reply string, bodies ...string) {
	t.Helper()
	for _, body := range bodies {
		if err := q.conn.NATS().Publish(reply, []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	passed := make(chan struct{})
	mark := q.replies.Expect(time.Now().Add(time.Hour), func(*nats.Msg) { close(passed) })
	if err := q.conn.NATS().Publish(mark, nil); err != nil {
		t.Fatal(err)
	}
	select {
	case <-passed:
	case <-time.After(30 * time.Second):
		t.Fatal("the mux delivers nothing")
	}
}
