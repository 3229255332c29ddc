package vector

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// Query selects vectors of an [Index].
type Query struct {
	// Vector has the index's length.
	Vector []float32
	// K is the most results.
	K int
	// Marks are those that a result must have.
	Marks []uint64
	// Threshold is the least score, if it is not nil.
	Threshold *float64
}

// Match is a result of a search.
type Match struct {
	ID    string
	Score float64
}

// spare is the number of vectors that are compared in double precision in addition to those
// that are returned: the order of almost equal scores differs between the precisions.
const spare = 16

// Search returns the nearest vectors, the nearest first, equal ones by id.
func (x *Index) Search(q Query) []Match {
	if x.sketcher != nil && x.rows >= sketchedRows {
		return x.filtered(q)
	}
	return x.compared(q)
}

// compared searches by comparing the query with every row.
func (x *Index) compared(q Query) []Match {
	found := make([]top, maxParts)
	x.eachChunk(func(part, n int) {
		found[part].most = q.K + spare
		x.scan(n, q, &found[part])
	})
	return x.exact(found, q)
}

// scan offers the rows of a chunk to the best.
func (x *Index) scan(n int, q Query, best *top) {
	c, rows := x.chunks[n], x.rowsOf(n)
	if best.scores == nil {
		best.scores = make([]float32, chunkRows)
	}
	blas32.Gemv(blas.NoTrans, 1,
		blas32.General{Rows: rows, Cols: x.dims, Stride: x.dims, Data: c.data},
		blas32.Vector{N: x.dims, Inc: 1, Data: q.Vector},
		0, blas32.Vector{N: rows, Inc: 1, Data: best.scores})
	for i, dot := range best.scores[:rows] {
		score := x.metric.rank(dot, c.norms[i])
		if best.wants(score) && holds(c.marks[i], q.Marks) {
			best.add(candidate{score, n*chunkRows + i})
		}
	}
}

// exact returns the best of the candidates by their scores in double precision.
func (x *Index) exact(found []top, q Query) []Match {
	var all []Match
	for i := range found {
		for _, c := range found[i].list {
			from, row := x.chunks[c.row/chunkRows], c.row%chunkRows
			m := Match{from.ids[row], x.metric.Score(q.Vector, from.data[row*x.dims:(row+1)*x.dims])}
			if q.Threshold == nil || m.Score >= *q.Threshold {
				all = append(all, m)
			}
		}
	}
	return Best(all, q.K)
}

// Best returns the k matches of the greatest scores, the greatest first, equal ones by id.
func Best(all []Match, k int) []Match {
	slices.SortFunc(all, func(a, b Match) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	return all[:min(len(all), k)]
}

// candidate is a row with its score in single precision.
type candidate struct {
	score float32
	row   int
}

// top keeps the best candidates, the worst of them first: a heap.
type top struct {
	most   int
	list   []candidate
	scores []float32
}

// wants reports whether a score belongs to the best. A score that is no number does: its
// numbers were too large for single precision.
func (t *top) wants(score float32) bool {
	return len(t.list) < t.most || !(score <= t.list[0].score)
}

func (t *top) add(c candidate) {
	if c.score != c.score {
		c.score = math.MaxFloat32
	}
	if len(t.list) < t.most {
		t.list = append(t.list, c)
		for i := len(t.list) - 1; i > 0 && t.list[i].score < t.list[(i-1)/2].score; i = (i - 1) / 2 {
			t.list[i], t.list[(i-1)/2] = t.list[(i-1)/2], t.list[i]
		}
		return
	}
	t.list[0] = c
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(t.list); child++ {
			if t.list[child].score < t.list[least].score {
				least = child
			}
		}
		if least == i {
			return
		}
		t.list[i], t.list[least] = t.list[least], t.list[i]
		i = least
	}
}
