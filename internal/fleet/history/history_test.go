package history

import (
	"fmt"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/lib/latency"
	"github.com/helve-dev/helve/protocol"
)

var start = time.Date(2026, 11, 18, 10, 0, 0, 0, time.UTC)

// at returns the time of the nth sample.
func at(n int) time.Time { return start.Add(time.Duration(n) * Step) }

// did returns a worker that has ended calls, each in a second.
func did(id string, succeeded, failed uint64) Worker {
	var h latency.Histogram
	for range succeeded + failed {
		h.Observe(time.Second)
	}
	return Worker{ID: id, Since: start, Busy: 1, Slots: 4, Succeeded: succeeded, Failed: failed, Times: h.Counts()}
}

func sample(n int, backlog int64, workers ...Worker) Sample {
	return Sample{At: at(n), Pools: map[string]Pool{"default": {Workers: workers, Backlog: &backlog}}}
}

// last returns the newest values of a series.
func last(t *testing.T, s protocol.MetricsSeries) (success, failed float64, p50 *float64, backlog *int64, busy, slots int) {
	t.Helper()
	n := len(s.Success) - 1
	if n < 0 || len(s.Error) != n+1 || len(s.P50) != n+1 || len(s.P99) != n+1 || len(s.Backlog) != n+1 || len(s.Busy) != n+1 ||
		len(s.Slots) != n+1 {
		t.Fatalf("the series have different lengths: %+v", s)
	}
	return s.Success[n], s.Error[n], s.P50[n], s.Backlog[n], s.Busy[n], s.Slots[n]
}

// TestRates: what ended in a step counts once, and a worker that starts again begins at zero.
func TestRates(t *testing.T) {
	h := New(start)
	h.Add(sample(1, 3, did("w1", 20, 0)))
	h.Add(sample(2, 0, did("w1", 50, 10), did("w2", 10, 0)))
	m := h.Last(time.Hour)
	if m.StepSeconds != 10 || !m.Since.Equal(start) || len(m.Times) != 2 || !m.Times[0].Equal(at(1)) || len(m.Pools) != 1 ||
		m.Pools[0].Name != "default" {
		t.Fatalf("the history is %+v", m)
	}
	for _, s := range []protocol.MetricsSeries{m.Total, m.Pools[0]} {
		success, failed, p50, backlog, busy, slots := last(t, s)
		if success != 4 || failed != 1 || p50 == nil || *p50 < 500 || *p50 > 1100 || *backlog != 0 || busy != 2 || slots != 8 {
			t.Errorf("%q: %v, %v, %v, %v, %v, %v", s.Name, success, failed, p50, backlog, busy, slots)
		}
		if s.Success[0] != 2 || *s.Backlog[0] != 3 {
			t.Errorf("%q began with %+v", s.Name, s)
		}
	}
	again := did("w1", 30, 0)
	again.Since = at(2)
	h.Add(sample(3, 0, again, did("w2", 10, 0)))
	if success, failed, _, _, _, _ := last(t, h.Last(time.Minute).Total); success != 3 || failed != 0 {
		t.Errorf("a worker that started again: %v, %v, want 3 and 0", success, failed)
	}
	old := did("w3", 1000, 0) // this process did not look when it did that
	old.Since = start.Add(-time.Hour)
	h.Add(sample(4, 0, again, did("w2", 10, 0), old))
	if success, _, _, _, _, _ := last(t, h.Last(time.Minute).Total); success != 0 {
		t.Errorf("a worker of before the start: %v calls/s, want 0", success)
	}
	h.Add(Sample{At: at(5), Pools: map[string]Pool{}})
	success, _, p50, backlog, _, slots := last(t, h.Last(time.Minute).Pools[0])
	if success != 0 || p50 != nil || backlog != nil || slots != 0 {
		t.Errorf("a pool that is gone: %v, %v, %v, %v", success, p50, backlog, slots)
	}
	h.Add(Sample{At: at(5)}) // the clock stood still
	if n := len(h.Last(time.Hour).Times); n != 5 {
		t.Errorf("%d samples, want 5", n)
	}
}

// TestBounds: an hour is kept, of a bounded number of pools.
func TestBounds(t *testing.T) {
	h := New(start)
	for n := 1; n <= steps+10; n++ {
		s := Sample{At: at(n), Pools: map[string]Pool{}}
		if n <= 5 {
			for i := range maxPools + 50 {
				s.Pools[fmt.Sprintf("p%03d", i)] = Pool{Workers: []Worker{did("w", uint64(n), 0)}}
			}
		}
		h.Add(s)
		if n == 5 {
			m := h.Last(time.Hour)
			if success, _, _, _, _, _ := last(t, m.Total); len(m.Pools) != maxPools || success != float64(maxPools+50)/10 {
				t.Errorf("%d pools with %v calls/s in all, want %d with %v", len(m.Pools), success, maxPools, float64(maxPools+50)/10)
			}
		}
	}
	m := h.Last(24 * time.Hour)
	if len(m.Times) != steps || !m.Times[steps-1].Equal(at(steps+10)) || !m.Times[0].Equal(at(11)) {
		t.Errorf("%d samples from %v to %v", len(m.Times), m.Times[0], m.Times[len(m.Times)-1])
	}
	if len(m.Pools) != 0 || len(h.before) != 0 {
		t.Errorf("%d pools and %d workers are kept that are long gone", len(m.Pools), len(h.before))
	}
	if n := len(h.Last(time.Minute).Times); n != 6 {
		t.Errorf("a minute has %d samples, want 6", n)
	}
}
