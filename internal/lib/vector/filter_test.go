package vector

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/helve-dev/helve/internal/test/testtime"
)

// kind is a kind of data to search.
type kind struct {
	name string
	// groups is the number of centres around which the vectors lie, and noise their distance
	// from it, relative to that of the centres from the origin.
	groups int
	noise  float32
	// common is the length of what all vectors have in common.
	common float32
}

var kinds = []kind{{"random", 0, 1, 0}, {"clustered", 200, 0.5, 0}, {"tight", 10, 0.3, 0}, {"cone", 200, 0.8, 2}}

// source returns a function that draws vectors.
func (k kind) source(rng *rand.Rand, dims int) func() []float32 {
	var centres [][]float32
	for range k.groups {
		centres = append(centres, random(rng, dims))
	}
	common := random(rng, dims)
	return func() []float32 {
		v := random(rng, dims)
		for j := range v {
			v[j] = v[j]*k.noise + common[j]*k.common
		}
		if k.groups > 0 {
			for j, x := range centres[rng.IntN(k.groups)] {
				v[j] += x
			}
		}
		return v
	}
}

// recall returns the part of the nearest vectors that searches find.
func recall(x *Index, queries []Query) float64 {
	found, all := 0, 0
	for _, q := range queries {
		got := x.Search(q)
		for _, want := range x.compared(q) {
			all++
			if slices.Contains(got, want) {
				found++
			}
		}
	}
	return float64(found) / float64(all)
}

// sketched returns an index with sketches and 50 queries.
func sketched(metric Metric, k kind) (*Index, []Query) {
	const dims, rows = 128, sketchedRows
	x, draw := NewIndex(metric, dims), k.source(rand.New(rand.NewPCG(1, 2)), dims)
	for i := range rows {
		x.Set(fmt.Sprint(i), draw(), []uint64{uint64(i % 1000), 7})
	}
	x.Sketch()
	queries := make([]Query, 50)
	for i := range queries {
		queries[i] = Query{Vector: draw(), K: 10}
	}
	return x, queries
}

// TestRecall: searches by sketches find what an exact search finds, whatever the data is.
func TestRecall(t *testing.T) {
	testtime.Slow(t, "it searches large indexes")
	for metric, of := range map[Metric][]kind{Cosine: kinds, Euclidean: kinds[2:3], Dot: kinds[1:2]} {
		for _, k := range of {
			x, queries := sketched(metric, k)
			if x.sketcher == nil {
				t.Fatal("the index has no sketches")
			}
			if got := recall(x, queries); got < 0.97 {
				t.Errorf("%s, %s: recall %.3f, want 0.97 or more", metric, k.name, got)
			}
			for i := range queries { // one vector in 1000 has the mark, then none
				queries[i].Marks = []uint64{uint64(i), 7}
			}
			if got := recall(x, queries); got < 0.97 {
				t.Errorf("%s, %s: recall %.3f with a filter", metric, k.name, got)
			}
			queries[0].Marks = []uint64{1001}
			if got := x.Search(queries[0]); len(got) != 0 {
				t.Errorf("%s, %s: a filter that nothing fits finds %v", metric, k.name, got)
			}
		}
	}
}

// TestSketchFollows: vectors that were stored, replaced or removed after the sketches were made
// are found, or not, by the next search.
func TestSketchFollows(t *testing.T) {
	x, queries := sketched(Cosine, kinds[0])
	rng := rand.New(rand.NewPCG(3, 4))
	for n, q := range queries {
		id := fmt.Sprint(rng.IntN(sketchedRows))
		if n%2 == 0 {
			id = fmt.Sprint("new", n)
		}
		x.Set(id, q.Vector, nil)
		if got := x.Search(q); len(got) != 10 || got[0].ID != id || math.Abs(got[0].Score-1) > 1e-9 {
			t.Fatalf("a stored vector is not the nearest to itself: %v", got[:min(len(got), 1)])
		}
		for _, gone := range []string{id, fmt.Sprint(rng.IntN(sketchedRows))} {
			x.Remove(gone)
			if slices.ContainsFunc(x.Search(q), func(m Match) bool { return m.ID == gone }) {
				t.Fatal("a removed vector is found")
			}
		}
	}
	if got := recall(x, queries); got < 0.97 {
		t.Errorf("recall %.3f after changes", got)
	}
	for n := range x.rows - 20 {
		x.Remove(x.chunks[0].ids[n%min(chunkRows, x.rows)])
	}
	if got := recall(x, queries); x.Len() != 20 || got != 1 {
		t.Errorf("recall %.3f among the last %d vectors", got, x.Len())
	}
}

// TestSketchOfHostileNumbers: numbers at the ends of single precision and equal vectors hide
// nothing.
func TestSketchOfHostileNumbers(t *testing.T) {
	for _, metric := range []Metric{Cosine, Euclidean, Dot} {
		x, queries := sketched(metric, kind{"equal", 1, 0, 0})
		for n, scale := range []float32{3e38, -3e38, 1e-45, 1, 0} {
			v := make([]float32, x.dims)
			for i := range v {
				v[i] = scale
			}
			x.Set(fmt.Sprint("hostile", n), v, []uint64{5000})
			queries[n] = Query{Vector: v, K: 10}
		}
		for _, q := range queries[:10] {
			if got := x.Search(q); len(got) != 10 {
				t.Errorf("%s: %d results", metric, len(got))
			}
			q.Marks = []uint64{5000}
			got := x.Search(q)
			if len(got) != 5 {
				t.Errorf("%s: %d results with a filter, want 5", metric, len(got))
			}
			for _, m := range got {
				if math.IsNaN(m.Score) || math.IsInf(m.Score, 0) {
					t.Errorf("%s: the score is %v", metric, m.Score)
				}
			}
		}
	}
}
