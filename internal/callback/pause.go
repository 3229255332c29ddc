package callback

import "time"

// Bounds of the pause between two attempts, and between two looks at a call without a
// result.
const (
	pauseFirst = time.Second
	pauseMost  = time.Hour
	lookMost   = 5 * time.Minute
)

// pause returns the time to wait after an attempt that failed so long after the result was
// there: as long again, from pauseFirst to most, a quarter less or more by spread, which is
// from 0 to 1. It needs no count of attempts, so that a process which takes over goes on
// where the other one stopped.
func pause(elapsed, most time.Duration, spread float64) time.Duration {
	d := min(max(elapsed, pauseFirst), most)
	return d*3/4 + time.Duration(spread*float64(d)/2)
}

// retry returns the time to wait after a failed attempt; ok is false if it was the last one.
// The last attempt is made when the time for them is over.
func retry(elapsed, within time.Duration, spread float64) (wait time.Duration, ok bool) {
	if elapsed >= within {
		return 0, false
	}
	return min(pause(elapsed, pauseMost, spread), within-elapsed), true
}
