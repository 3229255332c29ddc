package calc

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

var constants = map[string]float64{
	"pi": math.Pi, "π": math.Pi, "tau": 2 * math.Pi, "e": math.E, "phi": math.Phi,
}

// function is a function that an expression can call.
type function struct {
	least, most int // number of arguments
	run         func(args []Quantity) (Quantity, error)
}

const anyNumber = MaxExpression // of arguments

func (f function) arity() string {
	switch {
	case f.most == anyNumber:
		return "at least 1 argument"
	case f.least != f.most:
		return fmt.Sprintf("%d or %d arguments", f.least, f.most)
	case f.least == 1:
		return "1 argument"
	default:
		return fmt.Sprintf("%d arguments", f.least)
	}
}

// naturalLog is the natural logarithm; messages use the name by which it was called.
func naturalLog(name string) function { return logarithm(name, math.E, math.Log) }

// functions lists all functions. Angles are radians.
var functions = map[string]function{
	"abs": one(func(q Quantity) (Quantity, error) {
		if q.sign() < 0 {
			return q.negated(), nil
		}
		return q, nil
	}),
	"sign":      one(func(q Quantity) (Quantity, error) { return whole(int64(q.sign())), nil }),
	"sqrt":      one(Quantity.squareRoot),
	"factorial": one(Quantity.factorial),
	"floor":     one(func(q Quantity) (Quantity, error) { return Settle(floored(q.tidy())) }),
	"ceil":      one(func(q Quantity) (Quantity, error) { return Settle(ceiled(q.tidy())) }),
	"trunc": one(func(q Quantity) (Quantity, error) {
		return Settle(new(big.Rat).SetInt(Truncated(q.tidy())))
	}),
	"round": {1, 2, roundTo},
	"cbrt":  one(cubeRoot),
	"pow":   two(func(a, b Quantity) (Quantity, error) { return a.power(b) }),
	"mod":   two(func(a, b Quantity) (Quantity, error) { return a.modulo(b) }),
	"min":   {1, anyNumber, func(args []Quantity) (Quantity, error) { return slices.MinFunc(args, Quantity.cmp), nil }},
	"max":   {1, anyNumber, func(args []Quantity) (Quantity, error) { return slices.MaxFunc(args, Quantity.cmp), nil }},
	"sum":   {1, anyNumber, sumOf},
	"avg":   {1, anyNumber, meanOf},
	"mean":  {1, anyNumber, meanOf},
	"gcd":   two(divisor),
	"lcm":   two(multiple),
	"exp":   real1("exp", math.Exp),
	"ln":    naturalLog("ln"),
	"log":   {1, 2, logTo},
	"log10": logarithm("log10", 10, math.Log10),
	"log2":  logarithm("log2", 2, math.Log2),
	"sin":   real1("sin", angular(math.Sin)),
	"cos":   real1("cos", angular(math.Cos)),
	"tan":   one(tangent),
	"asin":  real1("asin", math.Asin),
	"acos":  real1("acos", math.Acos),
	"atan":  real1("atan", math.Atan),
	"atan2": two(func(y, x Quantity) (Quantity, error) {
		return approximate(math.Atan2(y.float(), x.float()), "atan2")
	}),
	"sinh":    real1("sinh", math.Sinh),
	"cosh":    real1("cosh", math.Cosh),
	"tanh":    real1("tanh", math.Tanh),
	"asinh":   real1("asinh", math.Asinh),
	"acosh":   real1("acosh", math.Acosh),
	"atanh":   real1("atanh", math.Atanh),
	"hypot":   two(func(a, b Quantity) (Quantity, error) { return approximate(math.Hypot(a.float(), b.float()), "hypot") }),
	"degrees": real1("degrees", func(x float64) float64 { return x * (180 / math.Pi) }),
	"radians": real1("radians", func(x float64) float64 { return x * (math.Pi / 180) }),
}

func one(run func(Quantity) (Quantity, error)) function {
	return function{1, 1, func(args []Quantity) (Quantity, error) { return run(args[0]) }}
}

func two(run func(a, b Quantity) (Quantity, error)) function {
	return function{2, 2, func(args []Quantity) (Quantity, error) { return run(args[0], args[1]) }}
}

func real1(name string, f func(float64) float64) function {
	return one(func(q Quantity) (Quantity, error) { return approximate(f(q.float()), name) })
}

// logarithm is exact for whole powers of a whole base: log10(1000) is 3, where float64s
// give 2.9999999999999996.
func logarithm(name string, base float64, f func(float64) float64) function {
	return one(func(q Quantity) (Quantity, error) {
		if q.sign() <= 0 {
			return Quantity{}, invalidResult("%s needs a number above 0.", name)
		}
		out := f(q.float())
		near := math.Round(out)
		if math.Abs(out-near) < 1e-9 && math.Trunc(base) == base {
			if p, err := whole(int64(base)).power(whole(int64(near))); err == nil && p.cmp(q) == 0 {
				return whole(int64(near)), nil
			}
		}
		return approximate(out, name)
	})
}

// logTo returns the natural logarithm, or the logarithm to the base of the second
// argument.
func logTo(args []Quantity) (Quantity, error) {
	log := naturalLog("log")
	x, err := log.run(args[:1])
	if err != nil || len(args) == 1 {
		return x, err
	}
	base, err := log.run(args[1:])
	if err != nil {
		return Quantity{}, err
	}
	out, err := x.over(base)
	if err != nil {
		return Quantity{}, err
	}
	near := whole(int64(math.Round(min(max(out.float(), -2000), 2000))))
	if p, err := args[1].power(near); err == nil && p.exact != nil && p.cmp(args[0]) == 0 {
		return near, nil
	}
	return out, nil
}

func tangent(q Quantity) (Quantity, error) {
	if math.Abs(math.Cos(q.float())) < 1e-15 { // pi/2 is not a float64, so it is never quite 0
		return Quantity{}, invalidResult("tan has no value at odd multiples of pi/2.")
	}
	return approximate(angular(math.Tan)(q.float()), "tan")
}

// angular returns f with 0 for results within the precision of the angle: pi is not a
// float64, so sin(pi) is never quite 0.
func angular(f func(float64) float64) func(float64) float64 {
	return func(x float64) float64 {
		y := f(x)
		if math.Abs(x) > 1 && math.Abs(y) < noise*math.Abs(x) {
			return 0
		}
		return y
	}
}

func cubeRoot(q Quantity) (Quantity, error) {
	if q.sign() < 0 {
		root, err := cubeRoot(q.negated())
		return root.negated(), err
	}
	if root, ok := q.exactRoot(big.NewInt(3)); ok {
		return root, nil
	}
	return approximate(math.Cbrt(q.float()), "cbrt")
}

func floored(r *big.Rat) *big.Rat {
	n := Truncated(r)
	if r.Sign() < 0 && !r.IsInt() {
		n.Sub(n, big.NewInt(1))
	}
	return new(big.Rat).SetInt(n)
}

func ceiled(r *big.Rat) *big.Rat {
	down := floored(new(big.Rat).Neg(r))
	return down.Neg(down)
}

func roundTo(args []Quantity) (Quantity, error) {
	places := 0
	if len(args) == 2 {
		n, ok := args[1].integer()
		if !ok || n.CmpAbs(big.NewInt(MaxPlaces)) > 0 {
			return Quantity{}, tool.Fail(tool.ValidationError, "round(x, n) needs a whole number n of decimals between -%d and %d.",
				MaxPlaces, MaxPlaces)
		}
		places = int(n.Int64())
	}
	return Settle(Rounded(args[0].tidy(), places))
}

func sumOf(args []Quantity) (Quantity, error) {
	total := whole(0)
	for _, q := range args {
		var err error
		if total, err = total.plus(q); err != nil {
			return Quantity{}, err
		}
	}
	return total, nil
}

func meanOf(args []Quantity) (Quantity, error) {
	total, err := sumOf(args)
	if err != nil {
		return Quantity{}, err
	}
	return total.over(whole(int64(len(args))))
}

func divisor(a, b Quantity) (Quantity, error) {
	x, okX := a.integer()
	y, okY := b.integer()
	if !okX || !okY {
		return Quantity{}, invalidResult("gcd and lcm need whole numbers.")
	}
	return Settle(new(big.Rat).SetInt(new(big.Int).GCD(nil, nil, new(big.Int).Abs(x), new(big.Int).Abs(y))))
}

func multiple(a, b Quantity) (Quantity, error) {
	common, err := divisor(a, b)
	if err != nil || common.sign() == 0 {
		return common, err
	}
	parts, err := a.over(common)
	if err != nil {
		return Quantity{}, err
	}
	product, err := parts.times(b)
	if err != nil || product.sign() >= 0 {
		return product, err
	}
	return product.negated(), nil
}

// sortedNames returns the names of a table in order.
func sortedNames[T any](table map[string]T) string {
	return strings.Join(slices.Sorted(maps.Keys(table)), ", ")
}
