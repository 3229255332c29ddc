package worker

import (
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/engine"
)

// TestRan: a duration of 0 says that the tool was not started, so none that was
// may have it.
func TestRan(t *testing.T) {
	for d, want := range map[time.Duration]float64{
		0: 0, 1: 0.001, time.Microsecond: 0.001, time.Microsecond + 1: 0.002, 1700 * time.Microsecond: 1.7, time.Second: 1000,
	} {
		if got := ran(&engine.Outcome{Ran: d}); got != want {
			t.Errorf("ran(%v) = %v, want %v", d, got, want)
		}
	}
}
