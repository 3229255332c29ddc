package inspect_test

import (
	"fmt"
	"testing"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/call"
)

// TestUndelivered: a call is reported as undelivered only if no worker can have taken it.
func TestUndelivered(t *testing.T) {
	t.Parallel()
	q := connect(t, queuetest.Server(t))
	want := func(id string, want bool) {
		t.Helper()
		got, err := q.Inspector.Undelivered(queuetest.Context(t), "acme", "default", "echo", id)
		if got != want || err != nil {
			t.Errorf("Undelivered(%s) = %v, %v, want %v", id, got, err, want)
		}
	}
	want("nowhere", true)
	lane := newCall("before")
	lane.Lane = "3"
	for _, e := range []*call.Call{lane, newCall("first")} {
		if err := submit(t, q, e); err != nil {
			t.Fatal(err)
		}
	}
	want("before", true) // there is no consumer yet
	c, taken := consume(t, q, 2)
	defer c.Close()
	var held []*queue.Delivery
	for range 2 {
		held = append(held, queuetest.Receive(t, taken, "call"))
	}
	want("first", false)
	want("before", false)
	for i := range 3 {
		if err := submit(t, q, newCall(fmt.Sprint("waits", i))); err != nil {
			t.Fatal(err)
		}
	}
	again := newCall("again")
	again.Copy = true
	if err := submit(t, q, again); err != nil {
		t.Fatal(err)
	}
	want("waits2", true)
	want("again", false) // another copy of it may have been delivered
	want("nowhere", false)
	other, err := q.Inspector.Undelivered(queuetest.Context(t), "acme", "default", "other", "waits2")
	if !other || err != nil {
		t.Errorf("a tool without calls: %v, %v", other, err)
	}
	for _, d := range held {
		settled(d)
	}
}
