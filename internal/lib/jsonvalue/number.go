package jsonvalue

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/helve-dev/helve/internal/lib/wellformed"
)

// Decimal is a number as written, so that 2^53+1 differs from 2^53 and 0.1 is exactly a
// tenth. Its value is 0.digits times ten to the exponent; zero has no digits.
type Decimal struct {
	negative bool
	digits   string // without zeros at either end
	exponent int
}

// Limits of numbers for calculations: they keep exact sums cheap. Any number can be
// compared.
const (
	MaxDecimalDigits   = 400
	MaxDecimalExponent = 400
)

// saturated replaces every exponent beyond it, so that none overflows.
const saturated = 1 << 40

// ParseDecimal parses a JSON number, also with a leading plus or zeros, as people write
// it in a string.
func ParseDecimal(s string) (d Decimal, ok bool) {
	s, negative := strings.CutPrefix(s, "-")
	if !negative {
		s = strings.TrimPrefix(s, "+")
	}
	mantissa, power := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, power = s[:i], s[i+1:]
		if digits := strings.TrimLeft(power, "+-"); len(power)-len(digits) > 1 || !wellformed.OnlyDigits(digits) {
			return d, false
		}
	}
	whole, fraction, dotted := strings.Cut(mantissa, ".")
	if !wellformed.OnlyDigits(whole) || dotted && !wellformed.OnlyDigits(fraction) {
		return d, false
	}
	exponent := 0
	if power != "" {
		var err error
		if exponent, err = strconv.Atoi(power); err != nil || exponent > saturated || exponent < -saturated {
			exponent = saturated
			if power[0] == '-' {
				exponent = -saturated
			}
		}
	}
	trimmed := strings.TrimLeft(whole+fraction, "0")
	d = Decimal{negative: negative, digits: strings.TrimRight(trimmed, "0")}
	d.exponent = exponent + len(whole) - (len(whole) + len(fraction) - len(trimmed))
	if d.digits == "" {
		return Decimal{}, true
	}
	return d, true
}

// Compare orders by value.
func (d Decimal) Compare(e Decimal) int {
	if a, b := d.sign(), e.sign(); a != b || a == 0 {
		return cmp.Compare(a, b)
	}
	order := cmp.Or(cmp.Compare(d.exponent, e.exponent), strings.Compare(d.digits, e.digits))
	return order * d.sign()
}

func (d Decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	default:
		return 1
	}
}

// key returns equal texts exactly for equal values.
func (d Decimal) key() string {
	return strconv.Itoa(d.sign()) + d.digits + "e" + strconv.Itoa(d.exponent)
}

// Usable reports whether the number is within the limits for calculations.
func (d Decimal) Usable() bool {
	return len(d.digits) <= MaxDecimalDigits && d.exponent <= MaxDecimalExponent && d.exponent >= -MaxDecimalExponent
}

// Sum adds usable numbers exactly.
type Sum struct {
	scaled   big.Int // the sum times ten to decimals
	decimals int     // as many as the number with the most decimals has
	powers   map[int]*big.Int
	n        int64
}

// Add adds d to the sum.
func (s *Sum) Add(d Decimal) {
	s.n++
	var term big.Int
	if _, ok := term.SetString("0"+d.digits, 10); !ok {
		return // cannot happen: they are digits
	}
	if d.negative {
		term.Neg(&term)
	}
	if more := len(d.digits) - d.exponent - s.decimals; more > 0 {
		s.scaled.Mul(&s.scaled, s.power(more))
		s.decimals += more
	}
	s.scaled.Add(&s.scaled, term.Mul(&term, s.power(s.decimals+d.exponent-len(d.digits))))
}

// power returns ten to n, cached, because numbers of one list mostly have equally many
// decimals.
func (s *Sum) power(n int) *big.Int {
	if p := s.powers[n]; p != nil {
		return p
	}
	if s.powers == nil {
		s.powers = map[int]*big.Int{}
	}
	p := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
	s.powers[n] = p
	return p
}

// Total returns the sum as JSON, with every digit.
func (s *Sum) Total() jsontext.Value {
	return decimalLiteral(new(big.Rat).SetFrac(&s.scaled, s.power(s.decimals)), s.decimals)
}

// Mean returns the sum divided by the count: exact if it has few decimals, otherwise
// the nearest 64-bit float.
func (s *Sum) Mean() jsontext.Value {
	const most = 30
	if s.n == 0 {
		return jsontext.Value("0")
	}
	divisor := new(big.Int).Mul(s.power(s.decimals), big.NewInt(s.n))
	mean := new(big.Rat).SetFrac(&s.scaled, divisor)
	if decimals, exact := mean.FloatPrec(); exact && decimals <= most {
		return decimalLiteral(mean, decimals)
	}
	if f, _ := mean.Float64(); f != 0 && !(f > maxFloat || f < -maxFloat) {
		return jsontext.Value(strconv.FormatFloat(f, 'g', -1, 64))
	}
	return jsontext.Value(new(big.Float).SetPrec(64).SetRat(mean).Text('g', 17))
}

const maxFloat = 1.7976931348623157e308

// decimalLiteral writes a number without an exponent.
func decimalLiteral(r *big.Rat, decimals int) jsontext.Value {
	text := r.FloatString(decimals)
	if strings.Contains(text, ".") {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return jsontext.Value(text)
}
