package utilities

import (
	"math"
	"math/big"
	"strconv"

	"github.com/helve-dev/helve/tool"
)

// quantity is a number of a calculation. It is an exact fraction for as long as
// that is possible and cheap, so that 0.1+0.2 is 0.3, 2^100 has all its digits
// and 1/3*3 is 1; roots that do not come out even, logarithms and the like make
// it a float64.
type quantity struct {
	exact  *big.Rat // nil if the value is only known as approx
	approx float64
}

// maxExactBits is the longest numerator or denominator that is worth its time.
// It holds every number a float64 can hold, and 170 factorial.
const maxExactBits = 4096

// largest is the largest float64: what is beyond it no reader of JSON takes.
var largest = new(big.Rat).SetFloat64(math.MaxFloat64)

func invalidResult(format string, args ...any) error {
	return tool.Fail(tool.ValidationError, "Result is not a valid number: "+format, args...)
}

func tooLargeResult() error {
	return invalidResult("a value is larger than 1.8e308. Use smaller numbers.")
}

func divisionByZero() error {
	return invalidResult("something is divided by zero. Change the divisor.")
}

func whole(n int64) quantity { return quantity{exact: new(big.Rat).SetInt64(n)} }

// settle makes a quantity of an exact value, or of the nearest float64 if it
// has grown too long.
func settle(r *big.Rat) (quantity, error) {
	if new(big.Rat).Abs(r).Cmp(largest) > 0 {
		return quantity{}, tooLargeResult()
	}
	if r.Num().BitLen() > maxExactBits || r.Denom().BitLen() > maxExactBits {
		f, _ := r.Float64()
		return quantity{approx: f}, nil
	}
	return quantity{exact: r}, nil
}

// approximate makes a quantity of what a float64 operation, called name in
// messages, yielded.
func approximate(f float64, name string) (quantity, error) {
	switch {
	case math.IsNaN(f):
		return quantity{}, invalidResult("%s is not defined for this value.", name)
	case math.IsInf(f, 0):
		return quantity{}, tooLargeResult()
	}
	return quantity{approx: f}, nil
}

func (q quantity) float() float64 {
	if q.exact == nil {
		return q.approx
	}
	f, _ := q.exact.Float64()
	return f
}

func (q quantity) sign() int {
	if q.exact != nil {
		return q.exact.Sign()
	}
	switch {
	case q.approx > 0:
		return 1
	case q.approx < 0:
		return -1
	default:
		return 0
	}
}

// integer returns the value if it is a whole number for certain.
func (q quantity) integer() (*big.Int, bool) {
	if q.exact == nil || !q.exact.IsInt() {
		return nil, false
	}
	return q.exact.Num(), true
}

// tidy returns the value as a fraction; a float64 loses its last digits, which
// are noise, so that floor(2*sin(pi/6)) is 1.
func (q quantity) tidy() *big.Rat {
	if q.exact != nil {
		return q.exact
	}
	return ratOf(q.approx, 14)
}

// ratOf reads a float64 by its decimal digits, digits of them or, if that is
// -1, as many as tell it from its neighbours: 0.1 is 1/10 then.
func ratOf(f float64, digits int) *big.Rat {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(f, 'e', max(digits-1, -1), 64))
	if !ok {
		return new(big.Rat) // not a finite number; callers have none
	}
	return r
}

func (q quantity) cmp(other quantity) int {
	if q.exact != nil && other.exact != nil {
		return q.exact.Cmp(other.exact)
	}
	switch a, b := q.float(), other.float(); {
	case a < b:
		return -1
	case a > b:
		return 1
	default:
		return 0
	}
}

func (q quantity) negated() quantity {
	if q.exact != nil {
		return quantity{exact: new(big.Rat).Neg(q.exact)}
	}
	return quantity{approx: -q.approx}
}

func (q quantity) plus(other quantity) (quantity, error) {
	if q.exact != nil && other.exact != nil {
		return settle(new(big.Rat).Add(q.exact, other.exact))
	}
	return approximate(q.float()+other.float(), "the sum")
}

func (q quantity) minus(other quantity) (quantity, error) { return q.plus(other.negated()) }

func (q quantity) times(other quantity) (quantity, error) {
	if q.exact != nil && other.exact != nil {
		return settle(new(big.Rat).Mul(q.exact, other.exact))
	}
	return approximate(q.float()*other.float(), "the product")
}

func (q quantity) over(other quantity) (quantity, error) {
	if other.sign() == 0 {
		return quantity{}, divisionByZero()
	}
	if q.exact != nil && other.exact != nil {
		return settle(new(big.Rat).Quo(q.exact, other.exact))
	}
	return approximate(q.float()/other.float(), "the quotient")
}

// modulo is the remainder of a division towards zero: it has the sign of q.
func (q quantity) modulo(other quantity) (quantity, error) {
	if other.sign() == 0 {
		return quantity{}, divisionByZero()
	}
	if q.exact == nil || other.exact == nil {
		return approximate(math.Mod(q.float(), other.float()), "the remainder")
	}
	parts := new(big.Rat).Quo(q.exact, other.exact)
	count := new(big.Rat).SetInt(truncated(parts))
	return settle(new(big.Rat).Sub(q.exact, count.Mul(count, other.exact)))
}

// truncated drops what is behind the point.
func truncated(r *big.Rat) *big.Int { return new(big.Int).Quo(r.Num(), r.Denom()) }

// rounded rounds to places decimals, halves away from zero as people do;
// negative places round to tens, hundreds and so on.
func rounded(r *big.Rat, places int) *big.Rat {
	scale := new(big.Rat).SetInt(powerOfTen(max(places, -places)))
	if places < 0 {
		scale.Inv(scale)
	}
	half := big.NewRat(int64(r.Sign()), 2)
	n := truncated(half.Add(half, new(big.Rat).Mul(r, scale)))
	return new(big.Rat).Quo(new(big.Rat).SetInt(n), scale)
}

func powerOfTen(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }
