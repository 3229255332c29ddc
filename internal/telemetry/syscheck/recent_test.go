package syscheck

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helve-dev/helve/protocol"
)

// TestRecent: callers that look at the same time, or soon after another, get one report; a
// caller that went away leaves none behind.
func TestRecent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		made := 0
		r := NewRecent(&Checker{})
		r.check = func(ctx context.Context) protocol.CheckReport {
			made++
			report := protocol.CheckReport{Findings: make([]protocol.Finding, made)}
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
			return report
		}
		look := func(ctx context.Context, want int) {
			t.Helper()
			if got := len(r.Check(ctx).Findings); got != want {
				t.Errorf("report %d, want %d", got, want)
			}
		}
		var all sync.WaitGroup
		for range 500 {
			all.Go(func() { look(t.Context(), 1) })
		}
		all.Wait()
		time.Sleep(again - time.Millisecond)
		look(t.Context(), 1)
		time.Sleep(time.Millisecond)
		short, stop := context.WithTimeout(t.Context(), time.Millisecond)
		defer stop()
		look(short, 2)
		look(t.Context(), 3) // a report that was not waited for is not returned to others

		time.Sleep(again)
		all.Go(func() { look(t.Context(), 4) })
		synctest.Wait()
		look(short, 5) // it does not wait for its turn
		all.Wait()
		if made != 5 {
			t.Errorf("%d examinations, want 5", made)
		}
	})
}
