package callback

import (
	"math/rand/v2"
	"time"
)

// Bounds of the pause between two attempts, and between two looks at a call without a
// result.
const (
	pauseFirst = time.Second
	pauseMost  = time.Hour
	lookMost   = 5 * time.Minute
)

// pause returns the time to wait after an attempt that failed so long after the result was
// there: as long again, from pauseFirst to most, a quarter less or more by random, which is
// from 0 to 1. It needs no count of attempts, so that a process which takes over goes on
// where the other one stopped.
func pause(elapsed, most time.Duration, random float64) time.Duration {
	d := min(max(elapsed, pauseFirst), most)
	return d*3/4 + time.Duration(random*float64(d)/2)
}

// spread returns a number from 0 to 1, so that callbacks that failed together are not sent
// together again.
func spread() float64 { return rand.Float64() }

// retry returns the time to wait after a failed attempt; ok is false if it was the last one.
// The last attempt is made when the time for them is over.
func retry(elapsed, within time.Duration, random float64) (wait time.Duration, ok bool) {
	if elapsed >= within {
		return 0, false
	}
	return min(pause(elapsed, pauseMost, random), within-elapsed), true
}
