package bus

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/embedded"
)

// TestReplayOnABusyMachine: while not even this process's own answer came, the others
// cannot be late.
func TestReplayOnABusyMachine(t *testing.T) {
	srv, err := embedded.Start(embedded.Options{Addr: "127.0.0.1:0", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Stop)
	b, err := Connect(Options{URL: srv.URL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	b.replays.Store(true) // but it is the test that answers
	asked := make(chan *nats.Msg, 1)
	if _, err := b.nc.ChanSubscribe(b.subj.Replay("*", "*"), asked); err != nil {
		t.Fatal(err)
	}

	var events [][]byte
	got := make(chan struct{})
	go func() {
		defer close(got)
		events = b.replay(t.Context(), "acme", "t1")
	}()
	reply := (<-asked).Reply
	b.acks.expire(time.Now().Add(replayWindow + time.Second)) // as the sweeper does, much later
	b.acks.answer(t, reply, `{"id":"2-a"}`)
	b.acks.expire(time.Now().Add(replayWindow + time.Second))
	b.acks.answer(t, reply, `{"id":"1-a"}`, "")
	b.acks.expire(time.Now().Add(replayMost))
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
