package vector

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func random(rng *rand.Rand, dims int) []float32 {
	v := make([]float32, dims)
	for i := range v {
		v[i] = float32(rng.NormFloat64())
	}
	return v
}

// TestSearch compares an index with a plain loop, through additions, replacements and
// removals, for each metric.
func TestSearch(t *testing.T) {
	for _, metric := range []Metric{Cosine, Euclidean, Dot} {
		rng := rand.New(rand.NewPCG(1, 2))
		const dims, rows = 24, 3 * chunkRows
		x, plain, marks := NewIndex(metric, dims), map[string][]float32{}, map[string]bool{}
		for n := range 4 * rows {
			id := fmt.Sprint("id", rng.IntN(rows))
			if n%4 == 3 {
				x.Remove(id)
				delete(plain, id)
				continue
			}
			v := random(rng, dims)
			marks[id] = n%2 == 0
			x.Set(id, v, []uint64{7, uint64(n % 2)})
			plain[id] = v
		}
		if x.Len() != len(plain) {
			t.Fatalf("%s: %d vectors, want %d", metric, x.Len(), len(plain))
		}
		for n := range 20 {
			q := Query{Vector: random(rng, dims), K: 10}
			var all []Match
			for id, v := range plain {
				if n%2 == 0 || marks[id] {
					all = append(all, Match{id, metric.Score(q.Vector, v)})
				}
			}
			if n%2 == 1 {
				q.Marks = []uint64{0, 7}
			}
			if diff := cmp.Diff(Best(all, 10), x.Search(q)); diff != "" {
				t.Fatalf("%s (-want +got):\n%s", metric, diff)
			}
		}
		for id := range plain {
			x.Remove(id)
		}
		if got := x.Search(Query{Vector: random(rng, dims), K: 10}); got != nil || x.Len() != 0 || x.Bytes() != 0 {
			t.Errorf("%s: an empty index finds %v and takes %d bytes", metric, got, x.Bytes())
		}
	}
}

// TestHostileNumbers: numbers at the ends of single precision neither hide a vector nor
// make a score that is no number.
func TestHostileNumbers(t *testing.T) {
	const huge, tiny = 3e38, 1e-45
	for _, metric := range []Metric{Cosine, Euclidean, Dot} {
		x := NewIndex(metric, 2)
		for i, v := range [][]float32{{huge, huge}, {-huge, huge}, {tiny, 0}, {1, 1}, {0, 0}} {
			x.Set(fmt.Sprint(i), v, nil)
		}
		for _, v := range [][]float32{{huge, huge}, {tiny, tiny}, {1, 1}, {0, 0}} {
			got := x.Search(Query{Vector: v, K: 5})
			if len(got) != 5 {
				t.Errorf("%s: %d results for %v", metric, len(got), v)
			}
			for _, m := range got {
				if math.IsNaN(m.Score) || math.IsInf(m.Score, 0) {
					t.Errorf("%s: the score of %s for %v is %v", metric, m.ID, v, m.Score)
				}
			}
		}
	}
}

func TestThreshold(t *testing.T) {
	x, least := NewIndex(Cosine, 2), 0.5
	x.Set("near", []float32{1, 0.1}, nil)
	x.Set("far", []float32{-1, 0}, nil)
	if got := x.Search(Query{Vector: []float32{1, 0}, K: 5, Threshold: &least}); len(got) != 1 || got[0].ID != "near" {
		t.Errorf("Search = %v", got)
	}
	var ids []string
	x.IDs(nil, func(id string) bool { ids = append(ids, id); return len(ids) < 1 })
	if len(ids) != 1 {
		t.Errorf("IDs = %v, want one", ids)
	}
}

func TestScore(t *testing.T) {
	a, b := []float32{3, 4}, []float32{4, 3}
	for metric, want := range map[Metric]float64{Cosine: 0.96, Dot: 24, Euclidean: 1 / (1 + math.Sqrt2)} {
		if diff := cmp.Diff(want, metric.Score(a, b), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", metric, diff)
		}
	}
	if got := Cosine.Score([]float32{0, 0}, a); got != 0 || !Zero([]float32{0, 0}) || Zero(a) {
		t.Errorf("cosine with a zero vector: %v", got)
	}
}

func TestEncode(t *testing.T) {
	v := []float32{0, 1, -2.5, math.MaxFloat32, math.SmallestNonzeroFloat32}
	got, err := Decode(nil, []byte(Encode(v)))
	if diff := cmp.Diff(v, got); err != nil || diff != "" {
		t.Errorf("Decode: %v (-want +got):\n%s", err, diff)
	}
	for _, text := range []string{"%", "AAAA", "AAA=", strings.Repeat("A", 6)} {
		if _, err := Decode(nil, []byte(text)); err == nil {
			t.Errorf("Decode(%q) returns no error", text)
		}
	}
	for _, n := range []float64{math.NaN(), math.Inf(1), 1e39, -1e300} {
		if _, err := Narrow([]float64{0, n}); err == nil {
			t.Errorf("Narrow(%v) returns no error", n)
		}
	}
}
