package bench

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestQuantileIsNearTheSortedOne(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var h histogram
	var all []time.Duration
	for range 10_000 {
		d := time.Duration(math.Exp(r.Float64() * 23)) // 1 ns to 10 s
		h.add(d)
		all = append(all, d)
	}
	slices.Sort(all)
	for _, q := range []float64{0, 0.01, 0.5, 0.99, 0.999, 1} {
		want := float64(all[max(int(math.Ceil(q*float64(len(all)))), 1)-1]) / 1000
		if got := h.quantile(q); math.Abs(got-want) > want/128 {
			t.Errorf("quantile(%v) = %v, want %v within 1/128", q, got, want)
		}
	}
	if h.count() != int64(len(all)) {
		t.Errorf("count() = %d, want %d", h.count(), len(all))
	}
}

func TestHistogramHoldsAnyDuration(t *testing.T) {
	for _, d := range []time.Duration{0, 1, 127, 128, 255, 256, 1 << 40, math.MaxInt64} {
		var h histogram
		h.add(d)
		if got, want := h.quantile(0.5), float64(d)/1000; math.Abs(got-want) > want/128 {
			t.Errorf("quantile of %d ns = %v, want %v", d, got, want)
		}
	}
	var h histogram
	h.add(-1)
	if got := h.quantile(1); got != 0 {
		t.Errorf("quantile of a negative duration = %v, want 0", got)
	}
	if got := new(histogram).quantile(0.5); got != 0 {
		t.Errorf("quantile of nothing = %v, want 0", got)
	}
}
