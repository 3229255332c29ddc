package faults

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// TestMadeCallIDSentAgain learns a generated call_id from the events, kills its dispatcher,
// and sends the call_id to another while the call runs: it joins, and does not run twice.
func TestMadeCallIDSentAgain(t *testing.T) {
	for _, tool := range []string{"sleep", "effect"} {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.worker()
			w.worker()
			victim, other := w.dispatcher(), w.dispatcher()
			started := w.hears("started")
			asked := w.sleeper("", 1500)
			if tool == "effect" {
				w.calls = nil
				asked = w.writer("", 1500, 0)
			}
			first := victim.send(time.Minute, asked)
			known := *asked
			known.ID = <-started
			w.calls = []*call{&known}
			<-started // closed after the first
			victim.kill()
			if got := other.settle(t, &known); got.outcome() != "success" {
				t.Errorf("the call ended in %s (%s), want success", got.outcome(), got.Message)
			}
			<-first
			w.settled(other)
		})
	}
}

// hears returns a channel that receives the call_id of the first event of a type, and is
// then closed. It listens on each server: a server that was cut off from the others has no
// routes for a while, and an event is not published again.
func (w *world) hears(kind string) <-chan string {
	w.t.Helper()
	ids := make(chan string, 1)
	var first sync.Once
	for url := range strings.SplitSeq(w.url, ",") {
		nc, err := nats.Connect(url)
		if err != nil {
			w.t.Fatal(err)
		}
		w.t.Cleanup(nc.Close)
		if _, err := nc.Subscribe("helve.v1.*.event.>", func(msg *nats.Msg) {
			var e struct {
				Type   string `json:"type"`
				CallID string `json:"call_id"`
			}
			if json.Unmarshal(msg.Data, &e) == nil && e.Type == kind {
				first.Do(func() {
					ids <- e.CallID
					close(ids)
				})
			}
		}); err != nil {
			w.t.Fatal(err)
		}
		if err := nc.Flush(); err != nil {
			w.t.Fatal(err)
		}
	}
	return ids
}
