package history

import (
	"maps"
	"math"
	"slices"
	"time"

	"github.com/helve-dev/helve/protocol"
)

// Last returns the samples of the last time, the oldest first.
func (h *History) Last(span time.Duration) protocol.MetricsHistory {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := min(h.count, max(int(span/Step), 1))
	m := protocol.MetricsHistory{
		StepSeconds: Step.Seconds(),
		Since:       h.since.UTC(),
		Times:       make([]time.Time, 0, n),
		Pools:       []protocol.MetricsSeries{},
	}
	places := make([]int, 0, n)
	for i := range n {
		at := (h.next - n + i + steps) % steps
		places = append(places, at)
		m.Times = append(m.Times, h.times[at].UTC())
	}
	m.Total = h.total.answer("", places)
	for _, name := range slices.Sorted(maps.Keys(h.pools)) {
		m.Pools = append(m.Pools, h.pools[name].answer(name, places))
	}
	return m
}

func (s *series) answer(name string, places []int) protocol.MetricsSeries {
	a := protocol.MetricsSeries{
		Name: name, Success: []float64{}, Error: []float64{}, P50: []*float64{}, P99: []*float64{}, Backlog: []*int64{}, Busy: []int{},
		Slots: []int{},
	}
	for _, at := range places {
		p := s.points[at]
		a.Success, a.Error = append(a.Success, rounded(p.success)), append(a.Error, rounded(p.failed))
		a.P50, a.P99 = append(a.P50, known(p.p50)), append(a.P99, known(p.p99))
		a.Backlog = append(a.Backlog, known(p.backlog))
		a.Busy, a.Slots = append(a.Busy, p.busy), append(a.Slots, p.slots)
	}
	return a
}

// known returns nil for a value that is not known.
func known[T int64 | float64](v T) *T {
	if v < 0 {
		return nil
	}
	return &v
}

// rounded leaves three decimals, which is enough for a chart.
func rounded(v float64) float64 { return math.Round(v*1000) / 1000 }
