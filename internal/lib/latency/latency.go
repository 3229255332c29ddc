// Package latency counts durations in a few buckets, so that counts of several processes can
// be added and subtracted.
//
// It promises that Observe costs one addition, that counts are of a fixed small number, and
// that a quantile lies within the bucket of the true one: buckets double from a quarter of a
// millisecond on, so it is wrong by a factor of two at most, and usually by a few percent.
package latency

import (
	"math/bits"
	"slices"
	"sync/atomic"
	"time"
)

const (
	// first is the upper bound of the first bucket; each further one doubles it.
	first = 250 * time.Microsecond
	// buckets is their number; the last one, from 131 s on, has no upper bound.
	buckets = 21
)

// Histogram counts durations. The zero value is empty. It is safe for concurrent use.
type Histogram struct{ counts [buckets]atomic.Uint64 }

// Observe counts a duration.
func (h *Histogram) Observe(d time.Duration) { h.counts[bucketOf(d)].Add(1) }

func bucketOf(d time.Duration) int {
	if d <= first {
		return 0
	}
	return min(bits.Len64(uint64((d-1)/first)), buckets-1)
}

// Counts returns the counts so far.
func (h *Histogram) Counts() Counts {
	all := make(Counts, buckets)
	for i := range h.counts {
		all[i] = h.counts[i].Load()
	}
	last := len(all)
	for last > 0 && all[last-1] == 0 {
		last--
	}
	return all[:last]
}

// Counts are the numbers of durations in each bucket, without empty ones at the end.
type Counts []uint64

// Plus returns the sum of two counts.
func (c Counts) Plus(other Counts) Counts {
	sum := slices.Clone(c)
	for i := range other[:min(len(other), buckets)] {
		if i == len(sum) {
			sum = append(sum, 0)
		}
		sum[i] += other[i]
	}
	return sum
}

// Since returns what was counted after old. Counts below old are of a new histogram, of which
// everything was counted since.
func (c Counts) Since(old Counts) Counts {
	diff := slices.Clone(c[:min(len(c), buckets)])
	for i := range diff {
		if i < len(old) {
			if old[i] > diff[i] {
				return c
			}
			diff[i] -= old[i]
		}
	}
	return diff
}

// Quantile returns the duration below which the fraction q of all lie, and false if there
// are none. It assumes that durations are spread evenly in a bucket.
func (c Counts) Quantile(q float64) (time.Duration, bool) {
	var total uint64
	for _, n := range c {
		total += n
	}
	if total == 0 {
		return 0, false
	}
	rank, before := q*float64(total), 0.0
	for i, n := range c {
		if after := before + float64(n); n > 0 && after >= rank {
			low, high := bounds(i)
			return low + time.Duration(float64(high-low)*(rank-before)/float64(n)), true
		}
		before += float64(n)
	}
	_, high := bounds(len(c) - 1)
	return high, true
}

func bounds(bucket int) (low, high time.Duration) {
	high = first << bucket
	if bucket > 0 {
		low = high / 2
	}
	return low, high
}
