package sample

import (
	"math/big"
	"slices"

	"github.com/helve-dev/helve/internal/lib/calc"
	"github.com/helve-dev/helve/tool"
)

// Measures is a sorted sample of whole numbers: each number is one of ints divided by
// scale. Their sums are exact and fast.
type Measures struct {
	ints  []*big.Int
	scale *big.Int
}

// Measure brings the numbers of a sample, which are decimals, to one scale.
func Measure(numbers []*big.Rat) *Measures {
	places := 0
	for _, r := range numbers {
		n, _ := r.FloatPrec()
		places = max(places, n)
	}
	m := &Measures{scale: new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)}
	for _, r := range numbers {
		factor := new(big.Int).Quo(m.scale, r.Denom())
		m.ints = append(m.ints, factor.Mul(factor, r.Num()))
	}
	slices.SortFunc(m.ints, (*big.Int).Cmp)
	return m
}

func (m *Measures) value(n *big.Int) *big.Rat { return new(big.Rat).SetFrac(n, m.scale) }

// Describe computes the measures of a sample. Variance and deviation are those of a
// whole population.
func (m *Measures) Describe() (*Summary, error) {
	count := big.NewInt(int64(len(m.ints)))
	sum, squares := new(big.Int), new(big.Int)
	square := new(big.Int)
	for _, n := range m.ints {
		sum.Add(sum, n)
		squares.Add(squares, square.Mul(n, n))
	}
	low, high := m.value(m.ints[0]), m.value(m.ints[len(m.ints)-1])
	total := m.value(sum)
	mean := new(big.Rat).Quo(total, new(big.Rat).SetInt(count))
	// (n·Σx² − (Σx)²) / n², all in the square of the scale
	spread := new(big.Int).Sub(squares.Mul(squares, count), square.Mul(sum, sum))
	unit := new(big.Int).Mul(count, m.scale)
	variance := new(big.Rat).SetFrac(spread, unit.Mul(unit, unit))
	span := new(big.Rat).Sub(high, low)
	for _, r := range []*big.Rat{total, variance, span} {
		if new(big.Rat).Abs(r).Cmp(calc.Largest) > 0 {
			return nil, tool.Fail(tool.ValidationError, "The numbers are too large to be summed up. Scale them down.")
		}
	}
	q1, q2, q3 := m.Percentile(big.NewRat(25, 1)), m.Percentile(big.NewRat(50, 1)), m.Percentile(big.NewRat(75, 1))
	return &Summary{
		Count: len(m.ints), Sum: Exactly(total), Mean: nearly(mean), Median: Exactly(q2), Mode: m.mode(),
		Variance: nearly(variance), StandardDeviation: deviation(variance),
		Min: Exactly(low), Max: Exactly(high), Range: Exactly(span),
		Quartiles: quartiles{Exactly(q1), Exactly(q2), Exactly(q3)},
	}, nil
}

// Percentile interpolates between the two nearest numbers.
func (m *Measures) Percentile(percent *big.Rat) *big.Rat {
	position := new(big.Rat).Mul(percent, big.NewRat(int64(len(m.ints)-1), 100))
	below := int(calc.Truncated(position).Int64())
	if below+1 >= len(m.ints) {
		return m.value(m.ints[len(m.ints)-1])
	}
	part := position.Sub(position, new(big.Rat).SetInt64(int64(below)))
	step := m.value(new(big.Int).Sub(m.ints[below+1], m.ints[below]))
	return step.Add(step.Mul(step, part), m.value(m.ints[below]))
}

// mode returns the most frequent numbers, sorted, or "no mode" if none occurs twice.
func (m *Measures) mode() any {
	var modes []Digits
	most := 1
	for i := 0; i < len(m.ints); {
		end := i
		for end < len(m.ints) && m.ints[end].Cmp(m.ints[i]) == 0 {
			end++
		}
		switch n := end - i; {
		case n > most:
			most, modes = n, []Digits{Exactly(m.value(m.ints[i]))}
		case n == most && n > 1:
			modes = append(modes, Exactly(m.value(m.ints[i])))
		}
		i = end
	}
	if modes == nil {
		return "no mode"
	}
	return modes
}

// deviation formats the square root of a variance.
func deviation(variance *big.Rat) Digits {
	if root, ok := calc.ExactSquareRoot(variance); ok {
		return nearly(root)
	}
	const precision = 1200 // bits, for 4 decimals of the largest
	root, _ := new(big.Float).Sqrt(new(big.Float).SetPrec(precision).SetRat(variance)).Rat(nil)
	return roughly(root)
}

// Exactly formats a decimal with every digit.
func Exactly(r *big.Rat) Digits {
	places, _ := r.FloatPrec()
	text := calc.DecimalText(r, places)
	if len(text) > maxDigits {
		f, _ := r.Float64()
		text = calc.FloatText(f, calc.MaxPlaces)
	}
	return Digits(text)
}

// nearly formats a number with every digit if it has few decimals, otherwise rounded.
func nearly(r *big.Rat) Digits {
	if places, exact := r.FloatPrec(); exact && places <= calc.MaxPlaces {
		return Exactly(r)
	}
	return roughly(r)
}

// roughly formats a number with 4 decimals, or a small one with 4 digits.
func roughly(r *big.Rat) Digits {
	if r.Sign() != 0 && new(big.Rat).Abs(r).Cmp(big.NewRat(1, 1000)) < 0 {
		return Digits(calc.Significant(r, calc.DefaultPlaces))
	}
	return Digits(calc.DecimalText(r, calc.DefaultPlaces))
}

// Summary is the result of tools that describe a sample.
type Summary struct {
	Count               int         `json:"count"`
	Sum                 Digits      `json:"sum" doc:"With every digit, as the median, the quartiles and all that is taken from the list."`
	Mean                Digits      `json:"mean" doc:"With every digit if it has an end within 15 decimals, else rounded to 4; the same holds for variance and standardDeviation."`
	Median              Digits      `json:"median"`
	Mode                any         `json:"mode" doc:"The numbers that occur most, or 'no mode' if each occurs once."`
	Variance            Digits      `json:"variance" doc:"Of the whole population."`
	StandardDeviation   Digits      `json:"standardDeviation" doc:"Of the whole population."`
	Min                 Digits      `json:"min"`
	Max                 Digits      `json:"max"`
	Range               Digits      `json:"range"`
	Quartiles           quartiles   `json:"quartiles" doc:"Interpolated linearly, as percentiles are."`
	RequestedPercentile *Percentile `json:"requestedPercentile,omitempty"`
	Ignored             []string    `json:"ignored,omitempty" doc:"Entries that are no numbers and were left out."`
}

// Digits is a number with its known digits.
type Digits = tool.Number

type quartiles struct {
	Q1 Digits `json:"q1"`
	Q2 Digits `json:"q2"`
	Q3 Digits `json:"q3"`
}

// Percentile is a requested percentile and its value.
type Percentile struct {
	Percentile float64 `json:"percentile"`
	Value      Digits  `json:"value"`
}
