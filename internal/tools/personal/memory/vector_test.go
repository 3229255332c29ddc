package memory

import (
	"math"
	"testing"
)

func TestCosine(t *testing.T) {
	for _, tt := range []struct {
		a, b []float32
		want float64
	}{
		{[]float32{1, 0}, []float32{5, 0}, 1},
		{[]float32{1, 0}, []float32{0, 0.001}, 0},
		{[]float32{1, 1}, []float32{-2, -2}, -1},
		{[]float32{1, 0}, []float32{1, 1}, math.Sqrt2 / 2},
		{[]float32{0.3, -0.1, 0.9}, []float32{0.2, 0.4, 0.7}, 0.8193},
		{[]float32{1, 0}, []float32{1, 0, 0}, 0},
		{[]float32{0, 0}, []float32{1, 0}, 0},
		{nil, nil, 0},
		{[]float32{math.MaxFloat32, 0}, []float32{math.SmallestNonzeroFloat32, 0}, 1},
	} {
		if got := cosine(quantized(tt.a), quantized(tt.b)); math.Abs(got-tt.want) > 0.005 {
			t.Errorf("the cosine of %v and %v is %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}
