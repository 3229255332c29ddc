package random

import (
	"math"
	"math/big"
	"testing"
)

// Each number comes as often as the others. The bound is a value that a fair draw
// misses once in a billion runs.
func TestRandomIsFair(t *testing.T) {
	const sides, draws = 6, 60_000
	var counts [sides]int
	for range draws {
		counts[Below(sides)]++
	}
	chi := 0.0
	for _, n := range counts {
		chi += math.Pow(float64(n)-draws/sides, 2) / (draws / sides)
	}
	if chi > 50 {
		t.Errorf("counts %v: chi-square %v, want below 50", counts, chi)
	}
	mean := 0.0
	for range draws {
		u := Unit()
		if u < 0 || u >= 1 {
			t.Fatalf("%v is outside of [0, 1)", u)
		}
		mean += u / draws
	}
	if math.Abs(mean-0.5) > 0.01 {
		t.Errorf("mean %v, want about 0.5", mean)
	}
	if n := BelowBig(big.NewInt(1)); n.Sign() != 0 {
		t.Errorf("%v of one, want 0", n)
	}
}
