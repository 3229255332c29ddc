package bench

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompare(t *testing.T) {
	r := Report{
		Bare: map[string]Figures{"1": {P50: 100}, "64": {Rate: 80}, "256": {Rate: 90}},
		NATS: map[string]Figures{"1": {P50: 250}, "64": {Rate: 20}, "256": {Rate: 30}},
		HTTP: map[string]Figures{"64": {Rate: 10}},
	}
	r.compare([]int{1, 64, 256})
	want := map[string]float64{"nats_rate_64": 0.25, "nats_p50_1": 2.5, "http_rate_64": 0.125}
	if diff := cmp.Diff(want, r.Ratios); diff != "" {
		t.Errorf("ratios (-want +got):\n%s", diff)
	}
}

func TestCompareWithoutBare(t *testing.T) {
	r := Report{NATS: map[string]Figures{"1": {P50: 250}}}
	r.compare([]int{1})
	if len(r.Ratios) > 0 {
		t.Errorf("ratios = %v, want none", r.Ratios)
	}
}

func TestMedianOf(t *testing.T) {
	got := medianOf([]Figures{
		{P50: 1, P99: 9, Rate: 10, CPU: 5, CPUEach: []Share{{"caller", 3}, {"broker", 2}}},
		{P50: 5, P99: 7, Rate: 30, CPU: 7, CPUEach: []Share{{"caller", 4}, {"broker", 3}}},
		{P50: 2, P99: 8, Rate: 20, CPU: 9, CPUEach: []Share{{"caller", 9}, {"broker", 0}}},
	})
	want := Figures{P50: 2, P99: 8, Rate: 20, CPU: 7, CPUEach: []Share{{"caller", 4}, {"broker", 2}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("medianOf (-want +got):\n%s", diff)
	}
	if got := median([]float64{4, 1, 2, 3}); got != 2.5 {
		t.Errorf("median of 1 to 4 = %v, want 2.5", got)
	}
}

func TestTable(t *testing.T) {
	r := Report{
		Machine: Machine{Cores: 2, CPU: "Abacus", Kernel: "linux 6", Go: "go1.26"}, Load: "0.50",
		Engine: &EngineFigures{P50: 3.61, P99: 20, Allocs: 19},
		Bare:   map[string]Figures{"64": {P50: 500, P99: 900, Rate: 100_000, CPU: 16}},
		NATS:   map[string]Figures{"64": {P50: 1500, P99: 3000, Rate: 25_000, CPU: 80, CPUEach: []Share{{"caller", 10}, {"broker", 70}}}},
		Failed: 3,
	}
	var text strings.Builder
	if err := r.Table(&text); err != nil {
		t.Fatal(err)
	}
	lines := map[string][]string{}
	for line := range strings.Lines(text.String()) {
		if words := strings.Fields(line); len(words) > 0 {
			lines[words[0]] = words
		}
	}
	for first, want := range map[string]string{
		"2":      "2 cores, Abacus, linux 6, go1.26; load average before: 0.50",
		"engine": "engine alone: p50 3.6 µs, p99 20.0 µs, 19 allocations a call",
		"bare":   "bare 64 500 900 100000 1.00 1.00 16.0",
		"nats":   "nats 64 1500 3000 25000 3.00 0.25 80.0 caller 10.0 + broker 70.0",
		"3":      "3 calls did not succeed",
	} {
		if got := strings.Join(lines[first], " "); got != want {
			t.Errorf("line of %s: %q, want %q", first, got, want)
		}
	}
}
