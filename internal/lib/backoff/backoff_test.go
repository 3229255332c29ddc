package backoff

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestWait: pauses are bounded, and end with their context.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		longest := time.Duration(0)
		for n := range 1000 {
			began := time.Now()
			if !Wait(t.Context(), n) {
				t.Fatal("a pause ended early")
			}
			longest = max(longest, time.Since(began))
		}
		if longest > most || longest < most/2 {
			t.Errorf("the longest pause is %v, want nearly %v", longest, most)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for range 100 {
			if !Wait(ctx, 1000) {
				return
			}
		}
		t.Error("pauses go on after their context has ended")
	})
}
