package execution

import (
	"testing"
	"time"
)

// TestMilliseconds: a duration of 0 means that the tool was not started, so no tool that ran
// may have it.
func TestMilliseconds(t *testing.T) {
	for d, want := range map[time.Duration]float64{
		0: 0, 1: 0.001, time.Microsecond: 0.001, time.Microsecond + 1: 0.002, 1700 * time.Microsecond: 1.7, time.Second: 1000,
	} {
		if got := milliseconds(d); got != want {
			t.Errorf("milliseconds(%v) = %v, want %v", d, got, want)
		}
	}
}
