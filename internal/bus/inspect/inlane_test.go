package inspect_test

import (
	"fmt"
	"testing"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

// TestInLane: a call is queued until its worker has ended it, also while workers hold other calls, and may be
// queued where more calls are than are looked at.
func TestInLane(t *testing.T) {
	t.Parallel()
	q := connect(t, queuetest.Server(t))
	want := func(id string, want bool) {
		t.Helper()
		if got, err := q.Inspector.InLane(queuetest.Context(t), "acme", "default", "echo", id); got != want || err != nil {
			t.Errorf("InLane(%s) = %v, %v, want %v", id, got, err, want)
		}
	}
	want("nowhere", false)
	for _, id := range []string{"held", "other"} {
		if err := submit(t, q, newCall(id)); err != nil {
			t.Fatal(err)
		}
	}
	want("held", true)
	c, taken := consume(t, q, 2)
	defer c.Close()
	first, second := queuetest.Receive(t, taken, "call"), queuetest.Receive(t, taken, "call")
	want("held", true)
	want("nowhere", false)
	settled(first)
	queuetest.Until(t, "an ended call is not queued", func() bool {
		got, err := q.Inspector.InLane(queuetest.Context(t), "acme", "default", "echo", first.ID)
		return !got && err == nil
	})
	want(second.ID, true)
	for i := range 201 {
		if err := submit(t, q, newCall(fmt.Sprint("waits", i))); err != nil {
			t.Fatal(err)
		}
	}
	want("nowhere", true)
	settled(second)
}
