package memory

import "math"

// quantized returns a vector as one signed byte for each number, which keeps its direction.
// It is nil if the vector has none.
func quantized(v []float32) []byte {
	most := 0.0
	for _, x := range v {
		most = max(most, math.Abs(float64(x)))
	}
	if most == 0 {
		return nil
	}
	q := make([]byte, len(v))
	for i, x := range v {
		q[i] = byte(int8(math.Round(float64(x) * math.MaxInt8 / most)))
	}
	return q
}

// cosine returns the cosine of the angle between two quantized vectors; 0 if they do not
// have the same length.
func cosine(a, b []byte) float64 {
	if len(a) != len(b) || len(a) == 0 {
		return 0
	}
	var dot, aa, bb int64
	for i := range a {
		x, y := int64(int8(a[i])), int64(int8(b[i]))
		dot += x * y
		aa += x * x
		bb += y * y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return float64(dot) / math.Sqrt(float64(aa)*float64(bb))
}
