package calc

import (
	"math"
	"math/big"
)

// maxRoot is the highest root that is computed exactly.
const maxRoot = 64

// power raises q to the power of exp.
func (q Quantity) power(exp Quantity) (Quantity, error) {
	if q.sign() == 0 && exp.sign() < 0 {
		return Quantity{}, divisionByZero()
	}
	if q.exact != nil && exp.exact != nil {
		if n, ok := exp.integer(); ok {
			return q.integerPower(n)
		}
		if r, ok := q.exactRoot(exp.exact.Denom()); ok {
			return r.integerPower(exp.exact.Num())
		}
	}
	if q.sign() < 0 && !isWhole(exp) {
		return Quantity{}, invalidResult("a negative number has no real power with a fraction as exponent. Use cbrt(x) for cube roots.")
	}
	return q.approximatePower(math.Pow(q.float(), exp.float()))
}

// approximatePower returns a quantity for a power of q, which is 0 only if q is 0.
func (q Quantity) approximatePower(f float64) (Quantity, error) {
	if f == 0 && q.sign() != 0 {
		return Quantity{}, tooSmallResult()
	}
	return approximate(f, "the power")
}

func isWhole(q Quantity) bool {
	f := q.float()
	return math.Trunc(f) == f && (q.exact == nil || q.exact.IsInt())
}

// integerPower checks the size of the result before computing it: 9^9^9 has 370 million
// digits.
func (q Quantity) integerPower(n *big.Int) (Quantity, error) {
	if one := q.exact.Num(); q.exact.IsInt() && one.IsInt64() && (one.Int64() == 1 || one.Int64() == -1) {
		if one.Sign() < 0 && n.Bit(0) == 1 {
			return whole(-1), nil
		}
		return whole(1), nil
	}
	bits := max(q.exact.Num().BitLen(), q.exact.Denom().BitLen())
	if !n.IsInt64() || n.Int64() > maxExactBits || n.Int64() < -maxExactBits || bits*int(max(n.Int64(), -n.Int64())) > 2*maxExactBits {
		exp, _ := new(big.Rat).SetInt(n).Float64()
		f := math.Pow(math.Abs(q.float()), exp)
		if q.sign() < 0 && n.Bit(0) == 1 { // the float64 of a long exponent is always even
			f = -f
		}
		return q.approximatePower(f)
	}
	abs := new(big.Int).Abs(n)
	r := new(big.Rat).SetFrac(new(big.Int).Exp(q.exact.Num(), abs, nil), new(big.Int).Exp(q.exact.Denom(), abs, nil))
	if n.Sign() < 0 {
		r.Inv(r)
	}
	return Settle(r)
}

// exactRoot returns the root of that degree if it is a fraction: the root of 64 is 4,
// where float64s give 3.9999999999999996.
func (q Quantity) exactRoot(degree *big.Int) (Quantity, bool) {
	if q.exact == nil || q.sign() < 0 || !degree.IsInt64() || degree.Int64() > maxRoot {
		return Quantity{}, false
	}
	num, ok := integerRoot(q.exact.Num(), degree)
	if !ok {
		return Quantity{}, false
	}
	den, ok := integerRoot(q.exact.Denom(), degree)
	if !ok {
		return Quantity{}, false
	}
	return Quantity{exact: new(big.Rat).SetFrac(num, den)}, true
}

// ExactSquareRoot returns the root of r, if it is a fraction too.
func ExactSquareRoot(r *big.Rat) (*big.Rat, bool) {
	root, ok := Quantity{exact: r}.exactRoot(big.NewInt(2))
	return root.exact, ok
}

func integerRoot(n, degree *big.Int) (*big.Int, bool) {
	var root *big.Int
	if degree.Int64() == 2 {
		root = new(big.Int).Sqrt(n) // exact beyond the precision of a float64
	} else {
		f, _ := new(big.Float).SetInt(n).Float64()
		guess := math.Round(math.Pow(f, 1/float64(degree.Int64())))
		if math.IsInf(guess, 0) {
			return nil, false
		}
		root, _ = new(big.Float).SetFloat64(guess).Int(nil)
	}
	return root, new(big.Int).Exp(root, degree, nil).Cmp(n) == 0
}

func (q Quantity) squareRoot() (Quantity, error) {
	if q.sign() < 0 {
		return Quantity{}, invalidResult("a negative number has no real square root.")
	}
	if r, ok := q.exactRoot(big.NewInt(2)); ok {
		return r, nil
	}
	return approximate(math.Sqrt(q.float()), "sqrt")
}

// maxFactorial is the largest number whose factorial fits a float64.
const maxFactorial = 170

func (q Quantity) factorial() (Quantity, error) {
	n := q.tidy()
	switch {
	case !n.IsInt() || n.Sign() < 0:
		return Quantity{}, invalidResult("a factorial needs a whole number of 0 or more.")
	case n.Num().Cmp(big.NewInt(maxFactorial)) > 0:
		return Quantity{}, invalidResult("factorials above 170! are too large.")
	}
	return Settle(new(big.Rat).SetInt(new(big.Int).MulRange(1, n.Num().Int64())))
}
