package trend

import (
	"math"
	"math/rand/v2"
	"testing"
)

// run makes samples of a run of some hours: value returns the quantity at a time.
func run(hours float64, n int, value func(hours float64) float64) []Sample {
	all := make([]Sample, n)
	for i := range all {
		at := hours * float64(i) / float64(n-1)
		all[i] = Sample{at, value(at)}
	}
	return all
}

// saw returns the heap of a process that collects its garbage: it rises by height in each
// period, from a moment given by phase.
func saw(height, period, phase float64) func(float64) float64 {
	return func(at float64) float64 { return 40 + height*math.Mod(at/period+phase, 1) }
}

// noisy adds noise of that width.
func noisy(seed uint64, width float64, of func(float64) float64) func(float64) float64 {
	random := rand.New(rand.NewPCG(seed, 1))
	return func(at float64) float64 { return of(at) + width*(random.Float64()-0.5) }
}

// memory is the limit of the memory of a process, in MB.
var memory = Limit{Growth: 1, Noise: 6}

const minutes = 1.0 / 60

// TestSawIsNoLeak judges collections of all periods and phases, in a short run and in a long
// one. Less than one collection cannot be told from a leak.
func TestSawIsNoLeak(t *testing.T) {
	for _, hours := range []float64{4 * minutes, 8} {
		for _, teeth := range []float64{1.5, 2.5, 4, 7, 20, 61} {
			for phase := range 10 {
				at := noisy(uint64(phase), 2, saw(40, hours/teeth, float64(phase)/10))
				if f := Judge(run(hours, 120, at), memory); f.Verdict == Leak {
					t.Errorf("%v h with %v teeth at phase %d: %+v, want no leak", hours, teeth, phase, f)
				}
			}
		}
	}
}

// TestPlantedLeakIsFound adds leaks of several sizes to a garbage-collected heap.
func TestPlantedLeakIsFound(t *testing.T) {
	for _, tt := range []struct {
		name         string
		hours, leaks float64
	}{
		{"300 MB/h in four minutes", 4 * minutes, 300},
		{"20 MB/h in an hour", 1, 20},
		{"3 MB/h in eight hours", 8, 3},
	} {
		for seed := range uint64(10) {
			at := noisy(seed, 2, saw(6, tt.hours/37, float64(seed)/10))
			leaking := func(h float64) float64 { return at(h) + tt.leaks*h }
			f := Judge(run(tt.hours, 150, leaking), memory)
			if f.Verdict != Leak || math.Abs(f.Slope-tt.leaks) > 4*f.Error {
				t.Errorf("%s, seed %d: %+v, want a leak of about that slope", tt.name, seed, f)
			}
			if f.Shows > tt.leaks {
				t.Errorf("%s, seed %d: it was found, and the run shows only those from %v", tt.name, seed, f.Shows)
			}
		}
	}
}

// TestSteady judges a quiet quantity: eight hours prove that it is steady, four minutes do not.
func TestSteady(t *testing.T) {
	flat := noisy(1, 4, func(float64) float64 { return 80 })
	if f := Judge(run(8, 400, flat), memory); f.Verdict != Steady || f.Shows > 2 || f.Most < 80 {
		t.Errorf("eight hours: %+v, want steady, and leaks from below 2 MB/h shown", f)
	}
	if f := Judge(run(4*minutes, 120, flat), memory); f.Verdict != Unsure || f.Shows < 80 {
		t.Errorf("four minutes: %+v, want that it is unsure, and that only leaks from 90 MB/h show", f)
	}
}

// TestFillingUpIsNoLeak judges memory that grows fast and then no longer.
func TestFillingUpIsNoLeak(t *testing.T) {
	for _, hours := range []float64{0.1, 0.5, 1} {
		filling := noisy(2, 1, func(h float64) float64 { return 200 - 150*math.Exp(-h/hours) })
		if f := Judge(run(8, 200, filling), memory); f.Verdict == Leak {
			t.Errorf("full after some %v h: %+v, want no leak", hours, f)
		}
	}
}

// TestTooFewSamples judges runs that were interrupted early.
func TestTooFewSamples(t *testing.T) {
	for n := range least {
		if f := Judge(run(1, max(n, 2), func(h float64) float64 { return 1000 * h })[:n], memory); f.Verdict != Unsure {
			t.Errorf("%d samples: %+v, want unsure", n, f)
		}
	}
	if f := Judge(make([]Sample, least), memory); f.Verdict != Unsure {
		t.Errorf("samples of one moment: %+v, want unsure", f)
	}
}

// TestFit compares a line with its known figures.
func TestFit(t *testing.T) {
	f, ok := Fit(run(1, 11, func(h float64) float64 { return 5 + 3*h }))
	if !ok || math.Abs(f.Slope-3) > 1e-9 || f.Error > 1e-9 {
		t.Errorf("a line of slope 3: %+v", f)
	}
}
