package natsio

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// TestThrottle: the pause between two lines about one cause doubles, lines that were left out
// are counted, another cause is not held back, and after a long silence it begins again.
func TestThrottle(t *testing.T) {
	var th throttle
	at := time.Unix(1_000_000, 0)
	logged := 0
	for range 300 { // five minutes with an error each second
		if _, ok := th.note("a", at); ok {
			logged++
		}
		at = at.Add(time.Second)
	}
	if logged < 5 || logged > 12 {
		t.Errorf("%d lines in five minutes, want a line at 0, 1, 3, 7, … s and then one a minute", logged)
	}
	if _, ok := th.note("b", at); !ok {
		t.Error("an error of another cause is not logged")
	}
	if hidden, ok := th.note("a", at.Add(10*time.Minute)); !ok || hidden == 0 {
		t.Errorf("after a silence: logged %v, %d hidden, want a line with the hidden ones", ok, hidden)
	}
	if _, ok := th.note("a", at.Add(10*time.Minute+2*time.Second)); !ok {
		t.Error("after a silence the pause is not short again")
	}
}

func TestCauseOf(t *testing.T) {
	for err, want := range map[error]string{
		nats.ErrSlowConsumer: causeSlow, fmt.Errorf("%w: x", nats.ErrPermissionViolation): causePermission,
		nats.ErrAuthExpired: causePermission, nats.ErrStaleConnection: causeDisconnected, nats.ErrTimeout: causeOther,
	} {
		if got := causeOf(err); got != want {
			t.Errorf("causeOf(%v) = %s, want %s", err, got, want)
		}
	}
}
