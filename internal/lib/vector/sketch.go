package vector

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas32"
)

// sketcher makes sketches: the signs of a vector's coordinates after a random rotation about
// a centre, with which a dot product is estimated (RaBitQ: Gao and Long, SIGMOD 2024).
//
// Every estimate has a bound of its error. It is too small for about two vectors in a hundred,
// which a search may miss, whatever the vectors are.
type sketcher struct {
	unit   bool // vectors are scaled to the length 1
	size   int  // coordinates of a rotated vector, a multiple of 64
	centre []float32
	square float64 // of the length of the centre
	// signs are those of the two halves of the rotation, scaled so that it keeps lengths.
	signs [2][]float32
}

// sketchBytes returns the memory that the sketch of a row takes.
func sketchBytes(dims int) int64 { return int64((dims+word-1)/word*8) + 16 }

// sketch holds the numbers of a row that belong to the bits of its signs.
type sketch struct {
	scale  float32 // from the product with the signs to the product with the vector
	spread float32 // standard deviation of the estimate for a query of the length 1
	centre float32 // product with the centre
	ones   float32 // number of positive signs
}

const (
	word = 64
	// planes is the number of bits of a query's coordinate.
	planes = 4
	levels = 1<<planes - 1
	// deviations is the number of standard deviations by which an estimate may be too small.
	deviations = 2
)

func newSketcher(metric Metric, dims int, centre []float64) *sketcher {
	s := &sketcher{unit: metric == Cosine, size: (dims + word - 1) / word * word, centre: make([]float32, dims)}
	for i, x := range centre {
		s.centre[i] = float32(x)
		s.square += x * x
	}
	block := s.block()
	rng := rand.New(rand.NewPCG(0x5ce7c4, uint64(dims)))
	for half := range s.signs {
		s.signs[half] = make([]float32, block)
		for i := range s.signs[half] {
			s.signs[half][i] = float32(1 / math.Sqrt(float64(block)))
			if rng.Uint64()&1 == 0 {
				s.signs[half][i] *= -1
			}
		}
	}
	return s
}

// block returns the largest power of two that is at most the size.
func (s *sketcher) block() int { return 1 << (bits.Len(uint(s.size)) - 1) }

// rotated stores in out, of the sketcher's size, the rotated difference of v times factor
// and the centre, and returns the square of its length.
func (s *sketcher) rotated(out, v []float32, factor float64) (square float64) {
	for i, x := range v {
		d := float64(x)*factor - float64(s.centre[i])
		out[i] = float32(d)
		square += d * d
	}
	clear(out[len(v):])
	block := s.block()
	for half, part := range [][]float32{out[:block], out[s.size-block:]} {
		for i, sign := range s.signs[half] {
			part[i] *= sign
		}
		hadamard(part)
	}
	return square
}

// hadamard multiplies v, whose length is a power of two from 4 on, with the matrix of
// Hadamard.
func hadamard(v []float32) {
	for i := 0; i+4 <= len(v); i += 4 {
		q := v[i : i+4 : i+4]
		a, b, c, d := q[0]+q[1], q[0]-q[1], q[2]+q[3], q[2]-q[3]
		q[0], q[1], q[2], q[3] = a+c, b+d, a-c, b-d
	}
	for h := 4; h < len(v); h *= 2 {
		for i := 0; i < len(v); i += 2 * h {
			low, high := v[i:i+h], v[i+h:i+2*h:i+2*h]
			for j, x := range low {
				y := high[j]
				low[j], high[j] = x+y, x-y
			}
		}
	}
}

// factor returns what a vector is multiplied with before it is sketched.
func (s *sketcher) factor(square float32) float64 {
	if !s.unit || square == 0 {
		return 1
	}
	return 1 / math.Sqrt(float64(square))
}

// sketch writes the signs of a vector into code. Scratch has the sketcher's size.
func (s *sketcher) sketch(code []uint64, v []float32, square float32, scratch []float32) sketch {
	factor := s.factor(square)
	length := s.rotated(scratch, v, factor)
	var sum float64
	ones := 0
	for w := range code {
		var c uint64
		for i, x := range scratch[w*word : (w+1)*word] {
			sum += math.Abs(float64(x))
			if x > 0 {
				c |= 1 << i
			}
		}
		code[w] = c
		ones += bits.OnesCount64(c)
	}
	k := sketch{ones: float32(ones)}
	k.centre = float32(float64(blas32.Dot(vectorOf(v), vectorOf(s.centre))) * factor)
	if sum > 0 {
		k.scale = float32(length / sum)
		// fit is the cosine of the angle between the vector and its signs.
		fit := sum / math.Sqrt(float64(s.size)*length)
		k.spread = float32(math.Sqrt(length*max(0, 1-fit*fit)/float64(s.size-1)) / fit)
	}
	return k
}

func vectorOf(v []float32) blas32.Vector { return blas32.Vector{N: len(v), Inc: 1, Data: v} }

// probe is a query for sketches.
type probe struct {
	planes []uint64 // planes words for each word of a code
	step   float32
	base   float32 // added to the products of signs
	centre float32 // added to products of vectors
	margin float32 // times the spread of a row is the bound of the error
	length float32 // of the query, if vectors are scaled
}

// probe returns the query for a vector.
func (s *sketcher) probe(v []float32) probe {
	factor := s.factor(squares(v))
	r := make([]float32, s.size)
	square := s.rotated(r, v, factor)
	var most float32
	for _, x := range r {
		most = max(most, x, -x)
	}
	p := probe{planes: make([]uint64, s.size/word*planes), step: 2 * most / levels, length: float32(1 / factor)}
	if p.step == 0 {
		p.step = math.SmallestNonzeroFloat32
	}
	sum := 0
	for i, x := range r {
		level := min(levels, max(0, int(math.Round(float64((x+most)/p.step)))))
		sum += level
		for bit := range planes {
			p.planes[i/word*planes+bit] |= uint64(level>>bit&1) << (i % word)
		}
	}
	p.base = p.step * (levels*float32(s.size)/2 - float32(sum))
	p.centre = float32(float64(blas32.Dot(vectorOf(v), vectorOf(s.centre)))*factor - s.square)
	p.margin = deviations * float32(math.Sqrt(square))
	return p
}

// product returns the estimate of the dot product of the query and a row, and the bound of
// its error.
func (p *probe) product(code []uint64, k sketch) (dot, bound float32) {
	var n [planes]int
	at := p.planes
	for _, c := range code {
		w := at[:planes:planes]
		n[0] += bits.OnesCount64(c & w[0])
		n[1] += bits.OnesCount64(c & w[1])
		n[2] += bits.OnesCount64(c & w[2])
		n[3] += bits.OnesCount64(c & w[3])
		at = at[planes:]
	}
	signs := p.step*(2*float32(n[0]+2*n[1]+4*n[2]+8*n[3])-levels*k.ones) + p.base
	return p.length * (k.scale*signs + k.centre + p.centre), p.length * p.margin * k.spread
}
