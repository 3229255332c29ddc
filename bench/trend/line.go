package trend

import "math"

// Line is a fit of samples by least squares.
type Line struct {
	// Slope is in units of the quantity per hour or call, Error its standard error.
	Slope float64 `json:"slope"`
	Error float64 `json:"error"`
}

// Sample is a value at a time, in hours, or after a number of calls.
type Sample struct{ At, Value float64 }

// least is the number of samples below which a fit has no meaning.
const least = 8

// Fit fits a line to samples. ok is false with fewer than eight samples, or samples of one
// moment.
func Fit(samples []Sample) (line Line, ok bool) {
	n := float64(len(samples))
	if len(samples) < least {
		return Line{}, false
	}
	var meanX, meanY float64
	for _, s := range samples {
		meanX += s.At / n
		meanY += s.Value / n
	}
	var xx, xy float64
	for _, s := range samples {
		xx += (s.At - meanX) * (s.At - meanX)
		xy += (s.At - meanX) * (s.Value - meanY)
	}
	if xx == 0 {
		return Line{}, false
	}
	slope := xy / xx
	rest := make([]float64, len(samples))
	for i, s := range samples {
		rest[i] = s.Value - meanY - slope*(s.At-meanX)
	}
	var squares float64
	for _, r := range rest {
		squares += r * r
	}
	return Line{Slope: slope, Error: math.Sqrt(squares/(n-2)/xx) * widening(rest)}, true
}

// mostCorrelated bounds the correlation of adjacent samples, so that the error stays finite.
const mostCorrelated = 0.99

// widening returns the factor by which correlated samples widen the standard error: of
// samples with the correlation r of neighbours, only (1-r)/(1+r) are independent.
func widening(rest []float64) float64 {
	var together, squares float64
	for i, r := range rest {
		squares += r * r
		if i > 0 {
			together += r * rest[i-1]
		}
	}
	if squares == 0 {
		return 1
	}
	r := min(max(together/squares, 0), mostCorrelated)
	return math.Sqrt((1 + r) / (1 - r))
}
