package latency

import (
	"slices"
	"sync"
	"testing"
	"time"
)

func TestQuantile(t *testing.T) {
	var h Histogram
	if _, ok := h.Counts().Quantile(0.5); ok {
		t.Error("a histogram without durations has a quantile")
	}
	for i := range 1000 {
		h.Observe(time.Duration(i+1) * time.Millisecond) // 1 ms to 1 s
	}
	for q, want := range map[float64]time.Duration{0.5: 500 * time.Millisecond, 0.9: 900 * time.Millisecond, 0.99: 990 * time.Millisecond} {
		got, ok := h.Counts().Quantile(q)
		if !ok || got < want*9/10 || got > want*11/10 {
			t.Errorf("Quantile(%v) = %v, %v, want about %v", q, got, ok, want)
		}
	}
	for d, bucket := range map[time.Duration]int{
		-time.Second: 0, 0: 0, first: 0, first + 1: 1, 2 * first: 1, 2*first + 1: 2, time.Hour: buckets - 1, 1 << 62: buckets - 1,
	} {
		if got := bucketOf(d); got != bucket {
			t.Errorf("bucketOf(%v) = %d, want %d", d, got, bucket)
		}
	}
}

func TestSums(t *testing.T) {
	a, b := Counts{1, 2}, Counts{5, 0, 7}
	if got := a.Plus(b); !slices.Equal(got, Counts{6, 2, 7}) || !slices.Equal(a, Counts{1, 2}) {
		t.Errorf("Plus = %v, and %v is left", got, a)
	}
	if got := (Counts{6, 2, 7}).Since(a); !slices.Equal(got, Counts{5, 0, 7}) {
		t.Errorf("Since = %v", got)
	}
	if got := (Counts{1}).Since(Counts{4, 4}); !slices.Equal(got, Counts{1}) {
		t.Errorf("Since of a new histogram = %v", got)
	}
	long := make(Counts, 10_000)
	if got := a.Plus(long); len(got) > buckets {
		t.Errorf("counts of another process make %d buckets", len(got))
	}
}

func TestConcurrent(t *testing.T) {
	var h Histogram
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				h.Observe(time.Second)
			}
		})
	}
	all.Wait()
	if got := h.Counts(); got[len(got)-1] != 8000 {
		t.Errorf("counts = %v", got)
	}
}
