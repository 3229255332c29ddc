package vector

import (
	"math"
	"slices"
)

// chunkRows is the number of vectors that lie in one piece of memory.
const chunkRows = 1024

// Index holds vectors of one length by their ids. Searches may run concurrently with each
// other, and not with Set and Remove.
type Index struct {
	metric Metric
	dims   int
	chunks []*chunk
	rows   int
	place  map[string]int
	bytes  int64
	// sketcher is nil until the index is large enough for sketches.
	sketcher *sketcher
	scratch  []float32
}

// chunk holds rows. A row has an id, and marks by which searches select it.
type chunk struct {
	data  []float32 // chunkRows x dims
	norms []float32 // squares of the lengths
	ids   []string
	marks [][]uint64
	// codes and sketches are nil without a sketcher.
	codes    []uint64
	sketches []sketch
}

// NewIndex returns an empty index of vectors with dims numbers.
func NewIndex(metric Metric, dims int) *Index {
	return &Index{metric: metric, dims: dims, place: map[string]int{}}
}

// Len returns the number of vectors.
func (x *Index) Len() int { return x.rows }

// Bytes returns the memory that the index takes, approximately.
func (x *Index) Bytes() int64 { return size(x.rows, x.dims, x.sketcher != nil) + x.bytes }

// Estimate returns the memory that an index of vectors without marks takes.
func Estimate(rows, dims int) int64 {
	return size(rows, dims, rows >= sketchedRows && dims >= sketchedDims)
}

func size(rows, dims int, sketched bool) int64 {
	const entry = 120 // an id, its place, headers
	row := int64(4 * dims)
	if sketched {
		row += sketchBytes(dims)
	}
	chunks := (int64(rows) + chunkRows - 1) / chunkRows
	return chunks*chunkRows*row + int64(rows)*entry
}

// Set adds a vector, or replaces that of the id. The vector must have the index's length; it
// is copied. The marks are kept.
func (x *Index) Set(id string, v []float32, marks []uint64) {
	n, there := x.place[id]
	if !there {
		n = x.rows
		x.place[id] = n
		x.rows++
		if n/chunkRows == len(x.chunks) {
			x.chunks = append(x.chunks, &chunk{
				data: make([]float32, chunkRows*x.dims), norms: make([]float32, chunkRows),
				ids: make([]string, chunkRows), marks: make([][]uint64, chunkRows),
			})
		}
	}
	c, i := x.chunks[n/chunkRows], n%chunkRows
	x.bytes += 8 * int64(len(marks)-len(c.marks[i]))
	copy(c.data[i*x.dims:(i+1)*x.dims], v)
	c.norms[i], c.ids[i], c.marks[i] = squares(v), id, marks
	if x.sketcher != nil {
		x.scratch = slices.Grow(x.scratch[:0], x.sketcher.size)[:x.sketcher.size]
		x.sketchRow(c, i, x.scratch)
	}
}

// Remove removes a vector; an id that is not there is ignored.
func (x *Index) Remove(id string) {
	n, there := x.place[id]
	if !there {
		return
	}
	delete(x.place, id)
	x.rows--
	last, j := x.chunks[x.rows/chunkRows], x.rows%chunkRows
	c, i := x.chunks[n/chunkRows], n%chunkRows
	x.bytes -= 8 * int64(len(c.marks[i]))
	if n != x.rows { // the last row takes its place
		copy(c.data[i*x.dims:(i+1)*x.dims], last.data[j*x.dims:(j+1)*x.dims])
		c.norms[i], c.ids[i], c.marks[i] = last.norms[j], last.ids[j], last.marks[j]
		x.place[c.ids[i]] = n
		if x.sketcher != nil {
			words := x.sketcher.size / word
			copy(c.codes[i*words:(i+1)*words], last.codes[j*words:(j+1)*words])
			c.sketches[i] = last.sketches[j]
		}
	}
	last.ids[j], last.marks[j] = "", nil
	if j == 0 {
		x.chunks = slices.Delete(x.chunks, x.rows/chunkRows, len(x.chunks))
	}
}

// IDs calls visit with the ids of the vectors that have all marks, until it returns false.
func (x *Index) IDs(marks []uint64, visit func(id string) bool) {
	for n := range x.rows {
		c, i := x.chunks[n/chunkRows], n%chunkRows
		if holds(c.marks[i], marks) && !visit(c.ids[i]) {
			return
		}
	}
}

func squares(v []float32) float32 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return float32(min(sum, math.MaxFloat32))
}

// holds reports whether all wanted marks are among those of a row.
func holds(has, wanted []uint64) bool {
	for _, m := range wanted {
		if !slices.Contains(has, m) {
			return false
		}
	}
	return true
}
