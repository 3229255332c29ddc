package worker_test

import (
	"fmt"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
)

// room bounds the trail to what it holds, or lifts the bound.
func (w *world) room(unbounded bool) {
	w.t.Helper()
	s, err := w.js.Stream(bustest.Context(w.t), bus.StreamAudit)
	if err != nil {
		w.t.Fatal(err)
	}
	cfg := s.CachedInfo().Config
	if cfg.MaxBytes = -1; !unbounded {
		cfg.MaxBytes = max(1, int64(s.CachedInfo().State.Bytes))
	}
	if _, err := w.js.UpdateStream(bustest.Context(w.t), cfg); err != nil {
		w.t.Fatal(err)
	}
}

// TestFullTrailHoldsTheWorker: calls that ended and cannot be put on record are
// kept, and beyond a bound they keep their slots, so that the worker takes no
// more. When the trail has room again it goes on, and nothing is lost; nor is
// anything of the bound, as the second round shows.
func TestFullTrailHoldsTheWorker(t *testing.T) {
	t.Parallel()
	const (
		slots = 2
		most  = 4*slots + slots // those that wait without a slot, and those that keep theirs
		calls = 25
	)
	w := newWorld(t, func(c *config.Config) { c.Worker.Slots = slots })
	close(w.leave)
	w.start()
	for round := range 2 {
		w.room(false)
		before := len(w.records())
		for i := range calls {
			w.queue(fmt.Sprintf("c%d-%d", round, i), 0)
		}
		bustest.Until(t, "the worker asks for no more", func() bool {
			info := w.consumer().CachedInfo()
			return info.NumAckPending >= most && info.NumWaiting == 0 && info.NumAckPending+int(info.NumPending) >= calls // all have come
		})
		if info := w.consumer().CachedInfo(); info.NumAckPending != most || info.NumPending != calls-most {
			t.Errorf("the worker has %d calls and left %d, want it to have %d", info.NumAckPending, info.NumPending, most)
		}
		if got := w.records(); len(got) != before {
			t.Errorf("on a full trail there is %+v", got[before:])
		}
		w.room(true)
		w.emptied()
		final := map[string]int{}
		for _, r := range w.records() {
			if r.Phase == audit.Finished {
				final[r.CallID]++
			}
		}
		for i := range calls {
			id := fmt.Sprintf("c%d-%d", round, i)
			if el := w.result(id); el.Status != bus.StatusSuccess || el.Attempt != 1 || final[id] != 1 {
				t.Errorf("%s ended in %+v with %d records, want success of the first attempt with one", id, el, final[id])
			}
		}
	}
	if n := len(w.entered); n != 2*calls {
		t.Errorf("the tool ran %d times, want once for each of %d calls", n, 2*calls)
	}
}
