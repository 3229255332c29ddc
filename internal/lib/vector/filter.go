package vector

import (
	"math"
	"runtime"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/helve-dev/helve/internal/x/gopool"
)

const (
	// sketchedRows is the least number of rows for which searches use sketches, and
	// sketchedDims the least numbers of a vector.
	sketchedRows = 50_000
	sketchedDims = 128
	// maxParts bounds the goroutines of a search.
	maxParts = 4
	// sampled is the number of vectors whose mean is the centre of sketches.
	sampled = 2048
)

// Sketch makes the sketches of an index that is large enough and has none. [Index.Set] makes
// those of later vectors.
func (x *Index) Sketch() {
	if x.sketcher != nil || x.rows < sketchedRows || x.dims < sketchedDims {
		return
	}
	mean := make([]float64, x.dims)
	for n := range sampled {
		row := n * x.rows / sampled
		c, i := x.chunks[row/chunkRows], row%chunkRows
		factor := (&sketcher{unit: x.metric == Cosine}).factor(c.norms[i])
		for j, v := range c.data[i*x.dims : (i+1)*x.dims] {
			mean[j] += float64(v) * factor / sampled
		}
	}
	x.sketcher = newSketcher(x.metric, x.dims, mean)
	x.eachChunk(func(_, n int) {
		scratch := make([]float32, x.sketcher.size)
		for i := range x.rowsOf(n) {
			x.sketchRow(x.chunks[n], i, scratch)
		}
	})
}

// sketchRow makes the sketch of a row.
func (x *Index) sketchRow(c *chunk, i int, scratch []float32) {
	words := x.sketcher.size / word
	if c.codes == nil {
		c.codes, c.sketches = make([]uint64, chunkRows*words), make([]sketch, chunkRows)
	}
	c.sketches[i] = x.sketcher.sketch(c.codes[i*words:(i+1)*words], c.data[i*x.dims:(i+1)*x.dims], c.norms[i], scratch)
}

// eachChunk calls visit with the number of each chunk, on all cores.
func (x *Index) eachChunk(visit func(part, n int)) {
	parts := min(runtime.GOMAXPROCS(0), maxParts)
	var wg gopool.Group
	for p := range parts {
		wg.Go(func() {
			for n := p; n < len(x.chunks); n += parts {
				visit(p, n)
			}
		})
	}
	wg.Wait()
}

// filtered searches by sketches: it estimates the score of each row, compares the rows with
// the best estimates, and then those that the bound of the error does not rule out.
func (x *Index) filtered(q Query) []Match {
	p := x.sketcher.probe(q.Vector)
	upper := make([]float32, len(x.chunks)*chunkRows)
	first := make([]top, maxParts)
	x.eachChunk(func(part, n int) {
		first[part].most = seeds(q.K)
		x.estimate(n, q, &p, upper[n*chunkRows:], &first[part])
	})
	best := top{most: seeds(q.K)}
	for i := range first {
		for _, c := range first[i].list {
			if best.wants(c.score) {
				best.add(c)
			}
		}
	}
	found := make([]top, maxParts)
	found[0].most = seeds(q.K)
	least := top{most: q.K}
	for _, c := range best.list {
		c.score = x.score(c.row/chunkRows, c.row%chunkRows, q)
		found[0].add(c)
		if least.wants(c.score) {
			least.add(c)
		}
		upper[c.row] = float32(math.Inf(-1)) // it has been compared
	}
	bar := float32(-math.MaxFloat32)
	if len(least.list) == q.K {
		bar = least.list[0].score
	}
	x.eachChunk(func(part, n int) {
		best := &found[part]
		best.most = max(best.most, q.K+spare)
		for i, most := range upper[n*chunkRows:][:x.rowsOf(n)] {
			if most < bar || !holds(x.chunks[n].marks[i], q.Marks) {
				continue
			}
			if score := x.score(n, i, q); best.wants(score) {
				best.add(candidate{score, n*chunkRows + i})
			}
		}
	})
	return x.exact(found, q)
}

// estimate stores the greatest scores that the rows of a chunk may have, and offers the
// estimated scores to the best.
func (x *Index) estimate(n int, q Query, p *probe, upper []float32, best *top) {
	c, words := x.chunks[n], x.sketcher.size/word
	for i := range x.rowsOf(n) {
		dot, bound := p.product(c.codes[i*words:(i+1)*words], c.sketches[i])
		score := dot
		switch x.metric {
		case Euclidean:
			score = 2*dot - c.norms[i]
			bound *= 2
		case Dot, Cosine: // a sketch of a cosine is scaled already
		}
		if upper[i] = score + bound; upper[i] < -math.MaxFloat32 { // too large for an estimate
			upper[i] = float32(math.NaN())
		}
		if best.wants(score) && holds(c.marks[i], q.Marks) {
			best.add(candidate{score, n*chunkRows + i})
		}
	}
}

// score compares the query with a row in single precision.
func (x *Index) score(n, i int, q Query) float32 {
	c := x.chunks[n]
	dot := blas32.Dot(vectorOf(q.Vector), vectorOf(c.data[i*x.dims:(i+1)*x.dims]))
	return x.metric.rank(dot, c.norms[i])
}

// rowsOf returns the number of rows of a chunk.
func (x *Index) rowsOf(n int) int { return min(chunkRows, x.rows-n*chunkRows) }

// seeds returns the number of rows, those with the best estimates, that are compared first:
// the better the first results are, the more rows they rule out.
func seeds(k int) int { return 8*k + 64 }
