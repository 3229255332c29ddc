package history

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/lib/latency"
	"github.com/helve-dev/helve/protocol"
)

// Last returns the last time up to the newest sample, in steps of a minute for an hour, of five
// for a day and of thirty for longer, the oldest first.
func (h *History) Last(_ context.Context, span time.Duration) protocol.MetricsHistory {
	h.mu.Lock()
	defer h.mu.Unlock()
	minutes, find := int64(1), h.kept.minute
	if span > time.Hour {
		minutes, find = fine, in(h.kept.fine)
	}
	if span > 24*time.Hour {
		minutes, find = coarse, in(h.kept.coarse)
	}
	n := max(int64(span/time.Minute)/minutes, 1)
	newest := h.last.Add(-Step/2).Unix() / 60 / minutes // the middle of the newest sample
	steps := make([]Minute, n)
	m := protocol.MetricsHistory{
		StepSeconds: float64(minutes * 60), Since: h.last.UTC(), Pools: []protocol.MetricsSeries{}, Source: protocol.FromStored,
	}
	var all Minute // the pools with the most calls of all steps
	for i := range n {
		number := newest - n + 1 + i
		step, known := find(number)
		if steps[i] = step; known {
			m.Since = earlier(m.Since, time.Unix(number*minutes*60, 0).UTC())
			all = all.then(step)
		}
		m.Times = append(m.Times, earlier(h.last.UTC(), time.Unix((number+1)*minutes*60, 0).UTC()))
		m.Known = append(m.Known, known)
	}
	m.Total = series("", steps, func(s Minute) Counts { return s.Total })
	for _, name := range slices.Sorted(maps.Keys(all.Pools)) {
		m.Pools = append(m.Pools, series(name, steps, func(s Minute) Counts { return s.Pools[name] }))
	}
	return m
}

func in(steps map[int64]Minute) func(number int64) (Minute, bool) {
	return func(number int64) (Minute, bool) { s, ok := steps[number]; return s, ok }
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// series returns the values of each step.
func series(name string, steps []Minute, of func(Minute) Counts) protocol.MetricsSeries {
	s := protocol.MetricsSeries{
		Name: name, Success: []float64{}, Error: []float64{}, P50: []*float64{}, P99: []*float64{}, Backlog: []*int64{}, Busy: []int{},
		Slots: []int{},
	}
	for _, step := range steps {
		c := of(step)
		s.Success, s.Error = append(s.Success, rate(c.Succeeded, step.Watched)), append(s.Error, rate(c.Failed, step.Watched))
		s.P50, s.P99 = append(s.P50, quantile(c.Times, 0.5)), append(s.P99, quantile(c.Times, 0.99))
		s.Backlog, s.Busy, s.Slots = append(s.Backlog, c.Backlog), append(s.Busy, c.Busy), append(s.Slots, c.Slots)
	}
	return s
}

// rate returns calls per second, with three decimals, which is enough for a chart.
func rate(calls uint64, milliseconds int64) float64 {
	if milliseconds <= 0 {
		return 0
	}
	return math.Round(float64(calls)*1e6/float64(milliseconds)) / 1000
}

// quantile returns a time in milliseconds, nil if nothing ended.
func quantile(times latency.Counts, q float64) *float64 {
	d, ok := times.Quantile(q)
	if !ok {
		return nil
	}
	ms := float64(d.Microseconds()) / 1000
	return &ms
}
