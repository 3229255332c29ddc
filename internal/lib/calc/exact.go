package calc

import (
	"math"
	"math/big"
	"strconv"

	"github.com/helve-dev/helve/tool"
)

// Quantity is a number in a calculation. It is an exact fraction as long as that is
// possible and cheap, so that 0.1+0.2 is 0.3, 2^100 has all its digits and 1/3*3 is 1.
// Irrational roots, logarithms and similar functions make it a float64.
type Quantity struct {
	exact  *big.Rat // nil if the value is only known as approx
	approx float64
}

// maxExactBits limits numerators and denominators. It allows every float64, and 170
// factorial.
const maxExactBits = 4096

// Largest is the largest float64; readers of JSON accept no larger number.
var Largest = new(big.Rat).SetFloat64(math.MaxFloat64)

func invalidResult(format string, args ...any) error {
	return tool.Fail(tool.ValidationError, "Result is not a valid number: "+format, args...)
}

// TooLargeResult returns the error for a value beyond the largest float64.
func TooLargeResult() error {
	return invalidResult("a value is larger than 1.8e308. Use smaller numbers.")
}

func tooSmallResult() error {
	return invalidResult("a value is nearer to 0 than 4.9e-324. Use larger numbers.")
}

func divisionByZero() error {
	return invalidResult("something is divided by zero. Change the divisor.")
}

func whole(n int64) Quantity { return Quantity{exact: new(big.Rat).SetInt64(n)} }

// Settle returns a quantity for an exact value, or for the nearest float64 if the value
// is too long.
func Settle(r *big.Rat) (Quantity, error) {
	if new(big.Rat).Abs(r).Cmp(Largest) > 0 {
		return Quantity{}, TooLargeResult()
	}
	if r.Num().BitLen() > maxExactBits || r.Denom().BitLen() > maxExactBits {
		f, _ := r.Float64()
		if f == 0 && r.Sign() != 0 {
			return Quantity{}, tooSmallResult()
		}
		return Quantity{approx: f}, nil
	}
	return Quantity{exact: r}, nil
}

// approximate returns a quantity for the result of a float64 operation; name is its
// name in messages.
func approximate(f float64, name string) (Quantity, error) {
	switch {
	case math.IsNaN(f):
		return Quantity{}, invalidResult("%s is not defined for this value.", name)
	case math.IsInf(f, 0):
		return Quantity{}, TooLargeResult()
	}
	return Quantity{approx: f}, nil
}

func (q Quantity) float() float64 {
	if q.exact == nil {
		return q.approx
	}
	f, _ := q.exact.Float64()
	return f
}

func (q Quantity) sign() int {
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

// integer returns the value if it is certainly a whole number.
func (q Quantity) integer() (*big.Int, bool) {
	if q.exact == nil || !q.exact.IsInt() {
		return nil, false
	}
	return q.exact.Num(), true
}

// tidy returns the value as a fraction; a float64 loses its inexact last digits, so
// that floor(2*sin(pi/6)) is 1.
func (q Quantity) tidy() *big.Rat {
	if q.exact != nil {
		return q.exact
	}
	return RatOf(q.approx, 14)
}

// RatOf converts a float64 by its decimal digits: the given number of digits or, if
// that is -1, the shortest form that identifies it, so that 0.1 becomes 1/10.
func RatOf(f float64, digits int) *big.Rat {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(f, 'e', max(digits-1, -1), 64))
	if !ok {
		return new(big.Rat) // not a finite number; callers have none
	}
	return r
}

func (q Quantity) cmp(other Quantity) int {
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

func (q Quantity) negated() Quantity {
	if q.exact != nil {
		return Quantity{exact: new(big.Rat).Neg(q.exact)}
	}
	return Quantity{approx: -q.approx}
}

func (q Quantity) plus(other Quantity) (Quantity, error) {
	if q.exact != nil && other.exact != nil {
		return Settle(new(big.Rat).Add(q.exact, other.exact))
	}
	a, b := q.float(), other.float()
	sum := a + b
	if math.Abs(sum) < noise*max(math.Abs(a), math.Abs(b)) {
		sum = 0 // all known digits have cancelled out
	}
	return approximate(sum, "the sum")
}

// noise is the relative error of a float64 operation.
const noise = 1e-14

func (q Quantity) minus(other Quantity) (Quantity, error) { return q.plus(other.negated()) }

func (q Quantity) times(other Quantity) (Quantity, error) {
	if q.exact != nil && other.exact != nil {
		return Settle(new(big.Rat).Mul(q.exact, other.exact))
	}
	return approximate(q.float()*other.float(), "the product")
}

func (q Quantity) over(other Quantity) (Quantity, error) {
	if other.sign() == 0 {
		return Quantity{}, divisionByZero()
	}
	if q.exact != nil && other.exact != nil {
		return Settle(new(big.Rat).Quo(q.exact, other.exact))
	}
	return approximate(q.float()/other.float(), "the quotient")
}

// modulo returns the remainder of a division towards zero: it has the sign of q.
func (q Quantity) modulo(other Quantity) (Quantity, error) {
	if other.sign() == 0 {
		return Quantity{}, divisionByZero()
	}
	if q.exact == nil || other.exact == nil {
		return approximate(math.Mod(q.float(), other.float()), "the remainder")
	}
	parts := new(big.Rat).Quo(q.exact, other.exact)
	count := new(big.Rat).SetInt(Truncated(parts))
	return Settle(new(big.Rat).Sub(q.exact, count.Mul(count, other.exact)))
}

// Truncated drops the decimals.
func Truncated(r *big.Rat) *big.Int { return new(big.Int).Quo(r.Num(), r.Denom()) }

// Rounded rounds to places decimals, halves away from zero; negative places round to
// tens, hundreds and so on.
func Rounded(r *big.Rat, places int) *big.Rat {
	scale := new(big.Rat).SetInt(PowerOfTen(max(places, -places)))
	if places < 0 {
		scale.Inv(scale)
	}
	half := big.NewRat(int64(r.Sign()), 2)
	n := Truncated(half.Add(half, new(big.Rat).Mul(r, scale)))
	return new(big.Rat).Quo(new(big.Rat).SetInt(n), scale)
}

// PowerOfTen returns 10 to the power of n.
func PowerOfTen(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }
