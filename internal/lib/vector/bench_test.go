package vector

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkSearch searches 100,000 vectors of 768 numbers by sketches, and exactly.
func BenchmarkSearch(b *testing.B) {
	const dims, rows = 768, 100_000
	for _, kind := range kinds {
		x := NewIndex(Cosine, dims)
		draw := kind.source(rand.New(rand.NewPCG(1, 2)), dims)
		for i := range rows {
			x.Set(fmt.Sprint(i), draw(), nil)
		}
		x.Sketch()
		queries := make([]Query, 64)
		for i := range queries {
			queries[i] = Query{Vector: draw(), K: 10}
		}
		for name, search := range map[string]func(Query) []Match{"sketched": x.Search, "exact": x.compared} {
			b.Run(kind.name+"/"+name, func(b *testing.B) {
				n := 0
				for b.Loop() {
					if n++; len(search(queries[n%len(queries)])) != 10 {
						b.Fatal("too few results")
					}
				}
				b.ReportMetric(float64(x.Bytes())/1e6, "MB")
				b.ReportMetric(recall(x, queries), "recall")
			})
		}
	}
}

// BenchmarkSketch makes the sketches of 100,000 vectors of 768 numbers.
func BenchmarkSketch(b *testing.B) {
	const dims, rows = 768, 100_000
	rng := rand.New(rand.NewPCG(1, 2))
	x := NewIndex(Cosine, dims)
	for i := range rows {
		x.Set(fmt.Sprint(i), random(rng, dims), nil)
	}
	for b.Loop() {
		x.sketcher = nil
		x.Sketch()
	}
}
