package utilities

import (
	"math"
	"math/big"
)

// maxRoot is the highest root that is tried exactly.
const maxRoot = 64

// power raises q to the power of exp.
func (q quantity) power(exp quantity) (quantity, error) {
	if q.sign() == 0 && exp.sign() < 0 {
		return quantity{}, divisionByZero()
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
		return quantity{}, invalidResult("a negative number has no real power with a fraction as exponent. Use cbrt(x) for cube roots.")
	}
	return approximate(math.Pow(q.float(), exp.float()), "the power")
}

func isWhole(q quantity) bool {
	f := q.float()
	return math.Trunc(f) == f && (q.exact == nil || q.exact.IsInt())
}

// integerPower looks at the size of the outcome before it is worked out:
// 9^9^9 has 370 million digits.
func (q quantity) integerPower(n *big.Int) (quantity, error) {
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
		return approximate(f, "the power")
	}
	abs := new(big.Int).Abs(n)
	r := new(big.Rat).SetFrac(new(big.Int).Exp(q.exact.Num(), abs, nil), new(big.Int).Exp(q.exact.Denom(), abs, nil))
	if n.Sign() < 0 {
		r.Inv(r)
	}
	return settle(r)
}

// exactRoot returns the root of that degree if it is a fraction: of 64 it is 4,
// where float64s say 3.9999999999999996.
func (q quantity) exactRoot(degree *big.Int) (quantity, bool) {
	if q.exact == nil || q.sign() < 0 || !degree.IsInt64() || degree.Int64() > maxRoot {
		return quantity{}, false
	}
	num, ok := integerRoot(q.exact.Num(), degree)
	if !ok {
		return quantity{}, false
	}
	den, ok := integerRoot(q.exact.Denom(), degree)
	if !ok {
		return quantity{}, false
	}
	return quantity{exact: new(big.Rat).SetFrac(num, den)}, true
}

func integerRoot(n, degree *big.Int) (*big.Int, bool) {
	var root *big.Int
	if degree.Int64() == 2 {
		root = new(big.Int).Sqrt(n) // exact beyond what a float64 can tell
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

func (q quantity) squareRoot() (quantity, error) {
	if q.sign() < 0 {
		return quantity{}, invalidResult("a negative number has no real square root.")
	}
	if r, ok := q.exactRoot(big.NewInt(2)); ok {
		return r, nil
	}
	return approximate(math.Sqrt(q.float()), "sqrt")
}

// maxFactorial is the largest whose factorial fits a float64.
const maxFactorial = 170

func (q quantity) factorial() (quantity, error) {
	n := q.tidy()
	switch {
	case !n.IsInt() || n.Sign() < 0:
		return quantity{}, invalidResult("a factorial needs a whole number of 0 or more.")
	case n.Num().Cmp(big.NewInt(maxFactorial)) > 0:
		return quantity{}, invalidResult("factorials above 170! are too large.")
	}
	return settle(new(big.Rat).SetInt(new(big.Int).MulRange(1, n.Num().Int64())))
}
