package vector

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"math"
)

// Metric compares two vectors of the same length. A greater score is a nearer vector.
type Metric string

// The metrics.
const (
	// Cosine is the cosine of the angle, -1 to 1.
	Cosine Metric = "cosine"
	// Euclidean is 1 / (1 + distance).
	Euclidean Metric = "euclidean"
	// Dot is the dot product.
	Dot Metric = "dotproduct"
)

// Score compares two vectors in double precision.
func (m Metric) Score(a, b []float32) float64 {
	var dot, aa, bb, dd float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot += x * y
		aa += x * x
		bb += y * y
		dd += (x - y) * (x - y)
	}
	switch m {
	case Euclidean:
		return 1 / (1 + math.Sqrt(dd))
	case Dot:
		return dot
	default:
		if aa == 0 || bb == 0 {
			return 0
		}
		return max(-1, min(1, dot/math.Sqrt(aa)/math.Sqrt(bb)))
	}
}

// rank returns a number in single precision that is greater for a nearer row, from the dot
// product of the query and the row, and the square of the row's length.
func (m Metric) rank(dot, square float32) float32 {
	switch m {
	case Euclidean:
		return 2*dot - square // the square of the query's length is the same for all
	case Dot:
		return dot
	default:
		return dot / float32(math.Sqrt(float64(max(square, math.SmallestNonzeroFloat32))))
	}
}

// Narrow returns numbers in single precision; the error names the first that has none.
func Narrow(numbers []float64) ([]float32, error) {
	v := make([]float32, len(numbers))
	for i, x := range numbers {
		v[i] = float32(x)
		if math.IsNaN(x) || math.IsInf(float64(v[i]), 0) {
			return nil, errors.New("a number is too large for single precision, which ends at 3.4e38")
		}
	}
	return v, nil
}

// Zero reports whether all numbers are 0.
func Zero(v []float32) bool {
	for _, x := range v {
		if x != 0 {
			return false
		}
	}
	return true
}

// Encode returns a vector as base64 of its little-endian numbers: 5.3 bytes for each, about
// half of its JSON.
func Encode(v []float32) string {
	data := make([]byte, 0, 4*len(v))
	for _, x := range v {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(data)
}

// Decode reads what [Encode] has written into v, and returns it.
func Decode(v []float32, text []byte) ([]float32, error) {
	data := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	n, err := base64.StdEncoding.Decode(data, text)
	if err != nil || n%4 != 0 {
		return nil, errors.Join(errors.New("this is no encoded vector"), err)
	}
	v = v[:0]
	for ; len(data) >= 4 && n >= 4; n, data = n-4, data[4:] {
		v = append(v, math.Float32frombits(binary.LittleEndian.Uint32(data)))
	}
	return v, nil
}
