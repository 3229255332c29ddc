// Package backoff pauses between tries of those that compete for the same thing.
//
// It promises pauses that differ, since competitors that wait equally long meet again. It does
// not promise that one of them is ever the first.
package backoff

import (
	"context"
	"math/rand/v2"
	"time"
)

// first and most bound the longest pause: it doubles with each try.
const (
	first = 4 * time.Millisecond
	most  = 250 * time.Millisecond
)

// Wait waits before the try after n, from 1; false means that ctx has ended.
func Wait(ctx context.Context, n int) bool {
	pause := time.NewTimer(rand.N(min(first<<min(n, 10), most)))
	defer pause.Stop()
	select {
	case <-pause.C:
		return true
	case <-ctx.Done():
		return false
	}
}
