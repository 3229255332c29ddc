package bench

import (
	"math"
	"math/bits"
	"sync/atomic"
	"time"
)

// histogram counts durations in buckets whose width is 1/128 of their value, in
// constant memory. It is safe for concurrent use.
type histogram struct {
	total   atomic.Int64
	buckets [histogramSize]atomic.Int64
}

// Durations of 2^histogramBits ns and more are counted in increasingly wide buckets,
// 2^histogramBits of them for each power of two.
const (
	histogramBits = 7
	histogramSize = (64 - histogramBits + 1) << histogramBits
)

func (h *histogram) add(d time.Duration) {
	h.buckets[bucketOf(uint64(max(d, 0)))].Add(1)
	h.total.Add(1)
}

func bucketOf(ns uint64) int {
	wide := max(bits.Len64(ns)-histogramBits-1, 0)
	return wide<<histogramBits + int(ns>>wide)
}

// middleOf returns the duration that represents a bucket, in ns.
func middleOf(bucket int) float64 {
	wide := max(bucket>>histogramBits-1, 0)
	low := uint64(bucket-wide<<histogramBits) << wide
	return float64(low) + float64(uint64(1)<<wide-1)/2
}

func (h *histogram) count() int64 { return h.total.Load() }

// quantile returns the smallest duration that a share q of all do not exceed, in
// microseconds; 0 if there are none.
func (h *histogram) quantile(q float64) float64 {
	rank := max(int64(math.Ceil(q*float64(h.count()))), 1)
	for i := range h.buckets {
		if rank -= h.buckets[i].Load(); rank <= 0 {
			return middleOf(i) / 1000
		}
	}
	return 0
}
