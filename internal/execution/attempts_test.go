package execution

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helve-dev/helve/internal/call"
)

// TestRedeliveredCallsTakeTurns: of the redelivered calls that a worker has, few have begun at a
// time, so that only those lose an attempt with it, and the fewer the more attempts they have lost.
// None waits for a long call.
func TestRedeliveredCallsTakeTurns(t *testing.T) {
	t.Parallel()
	for lost, want := range map[int][]int{1: {32, 40}, 3: {8, 16, 24}, 5: {2, 4, 6}} { // by turn
		synctest.Test(t, func(t *testing.T) {
			_, n, begun := redelivered(t, lost, 40)
			const margin = 200 * time.Millisecond
			time.Sleep(time.Duration(lost-1)*apart + margin)
			for i, want := range want {
				synctest.Wait()
				if got := begun(); got != want {
					t.Errorf("after %d lost attempts and %d turns, %d calls have begun, want %d", lost, i, got, want)
				}
				time.Sleep(time.Duration(lost) * turnTime)
			}
			time.Sleep(10 * time.Minute)
			synctest.Wait()
			if n.x.Count() != 0 || !n.x.turns.TryAcquire(turnsAtOnce) {
				t.Errorf("%d calls are left, or turns are taken", n.x.Count())
			}
		})
	}
}

// TestDrainEndsTheWaitForTurns: a worker that drains returns the calls that wait for their turn.
func TestDrainEndsTheWaitForTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, n, begun := redelivered(t, 5, 4)
		time.Sleep(5 * apart)
		n.x.Drain()
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := begun(); got != 2 || n.x.Count() != 0 {
			t.Errorf("%d calls have begun and %d are here, want two begun and none here", got, n.x.Count())
		}
		if back := m.undelivered(); back == nil {
			t.Error("no call is back in the queue")
		}
	})
}

// redelivered gives a worker calls that have lost so many attempts. begun returns how many have
// begun another.
func redelivered(t *testing.T, lost, calls int) (m *model, n *node, begun func() int) {
	m = newModel(t, reading)
	m.toolTime = 20 * time.Second
	n = m.add()
	for i := range calls {
		id := fmt.Sprint("c", i)
		for attempt := 2; attempt <= lost; attempt++ {
			m.call(fmt.Sprint(id, attemptMark, attempt)).fence = &call.Fence{By: "w-gone"}
		}
		m.submit(id, func(c *Call) { c.Attempt = lost })
	}
	for range calls {
		m.deliver(m.undelivered(), n)
	}
	return m, n, func() (begun int) {
		m.mu.Lock()
		defer m.mu.Unlock()
		for id, c := range m.calls {
			if strings.HasSuffix(id, fmt.Sprint(attemptMark, lost+1)) && c.fence != nil {
				begun++
			}
		}
		return begun
	}
}
