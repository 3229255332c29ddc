package worker_test

import (
	"fmt"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/protocol"
)

// resultsBound is the bound of a results stream with room.
const resultsBound = 8 << 20

// room bounds the results stream to what it holds, or gives it room again.
func (w *world) room(more bool) {
	w.t.Helper()
	s, err := w.js.Stream(queuetest.Context(w.t), streams.Results)
	if err != nil {
		w.t.Fatal(err)
	}
	cfg := s.CachedInfo().Config
	if cfg.MaxBytes = resultsBound; !more {
		cfg.MaxBytes = max(1, int64(s.CachedInfo().State.Bytes))
	}
	if _, err := w.js.UpdateStream(queuetest.Context(w.t), cfg); err != nil {
		w.t.Fatal(err)
	}
}

// TestFullResultsHoldTheWorker: while there is no room for results none is stored, calls keep
// their slots, and the worker takes no more than it has slots. When there is room
// again it goes on, and each call has one result and one record.
func TestFullResultsHoldTheWorker(t *testing.T) {
	t.Parallel()
	const (
		slots = 2
		most  = 4*slots + slots // those that ended and wait without a slot, and those that keep theirs
		calls = 25
	)
	w := newWorld(t, func(c *config.Config) { c.Worker.Slots, c.Streams.ResultsMaxBytes = slots, resultsBound })
	close(w.leave)
	w.start()
	for round := range 2 {
		w.room(false)
		before := len(w.records())
		for i := range calls {
			w.enqueue(fmt.Sprintf("c%d-%d", round, i), 0)
		}
		queuetest.Until(t, "the worker asks for no more", func() bool {
			info := w.consumer().CachedInfo()
			return info.NumAckPending >= slots && info.NumWaiting == 0 && info.NumAckPending+int(info.NumPending) >= calls // all have come
		})
		if ran := len(w.entered) - round*calls; ran > most { // delivered calls that wait for a slot do not count
			t.Errorf("%d calls ran without room for their results, want at most %d", ran, most)
		}
		if got := w.records(); len(got) != before {
			t.Errorf("without room there is %+v", got[before:])
		}
		for i := range calls {
			if stored, err := w.queue.Results.Result(queuetest.Context(t), tenant, fmt.Sprintf("c%d-%d", round, i)); err != nil || stored != nil {
				t.Errorf("c%d-%d has the result %v, %v while there is no room", round, i, stored, err)
			}
		}
		w.room(true)
		w.emptied()
		final := map[string]int{}
		for _, r := range w.records() {
			if r.Phase == protocol.AuditFinished {
				final[r.CallID]++
			}
		}
		for i := range calls {
			id := fmt.Sprintf("c%d-%d", round, i)
			if el := w.result(id); el.Status != protocol.StatusSuccess || el.Attempt != 1 || final[id] != 1 {
				t.Errorf("%s ended in %+v with %d records, want success of the first attempt with one", id, el, final[id])
			}
		}
	}
	if n := len(w.entered); n != 2*calls {
		t.Errorf("the tool ran %d times, want once for each of %d calls", n, 2*calls)
	}
}
