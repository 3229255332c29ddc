package queue

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

// TestAnswered: results are remembered for a while, up to a bound.
func TestAnswered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var a answered
		add := func(call string, seq uint64) { a.add(inboxKey{"acme", call}, seq) }
		get := func(call string) (uint64, bool) { return a.get(inboxKey{"acme", call}) }
		add("a", 1)
		time.Sleep(answeredFor)
		add("b", 2)
		time.Sleep(time.Millisecond)
		add("c", 3)
		for key, want := range map[string]uint64{"a": 1, "b": 2, "c": 3} {
			if got, ok := get(key); got != want || !ok {
				t.Errorf("%s = %d, %v, want %d", key, got, ok, want)
			}
		}
		time.Sleep(answeredFor + time.Millisecond)
		add("d", 4)
		if _, ok := get("a"); ok {
			t.Error("a is remembered after twice the time")
		}
		if got, ok := get("c"); got != 3 || !ok {
			t.Errorf("c = %d, %v, want 3", got, ok)
		}
		for i := range 3 * answeredMost {
			add(strconv.Itoa(i), 1)
		}
		if n := len(a.now) + len(a.before); n > 2*answeredMost {
			t.Errorf("%d places are remembered, want at most %d", n, 2*answeredMost)
		}
	})
}
