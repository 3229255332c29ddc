package utilities

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// jsonDecimal is a number as it is written, so that 2^53+1 differs from 2^53 and
// 0.1 is a tenth. Its value is 0.digits times ten to the exponent; zero has no
// digits.
type jsonDecimal struct {
	negative bool
	digits   string // without zeros at either end
	exponent int
}

// Bounds of numbers that are calculated with: they keep exact sums cheap. Any
// number can be compared.
const (
	maxDecimalDigits   = 400
	maxDecimalExponent = 400
)

// saturated stands for every exponent beyond it, so that none overflows.
const saturated = 1 << 40

// parseJSONDecimal reads a number of JSON, also with a leading plus or zeros, as
// people write it in a string.
func parseJSONDecimal(s string) (d jsonDecimal, ok bool) {
	s, negative := strings.CutPrefix(s, "-")
	if !negative {
		s = strings.TrimPrefix(s, "+")
	}
	mantissa, power := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, power = s[:i], s[i+1:]
		if digits := strings.TrimLeft(power, "+-"); len(power)-len(digits) > 1 || !onlyDigits(digits) {
			return d, false
		}
	}
	whole, fraction, dotted := strings.Cut(mantissa, ".")
	if !onlyDigits(whole) || dotted && !onlyDigits(fraction) {
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
	d = jsonDecimal{negative: negative, digits: strings.TrimRight(trimmed, "0")}
	d.exponent = exponent + len(whole) - (len(whole) + len(fraction) - len(trimmed))
	if d.digits == "" {
		return jsonDecimal{}, true
	}
	return d, true
}

func onlyDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// compare orders by value.
func (d jsonDecimal) compare(e jsonDecimal) int {
	if a, b := d.sign(), e.sign(); a != b || a == 0 {
		return cmp.Compare(a, b)
	}
	order := cmp.Or(cmp.Compare(d.exponent, e.exponent), strings.Compare(d.digits, e.digits))
	return order * d.sign()
}

func (d jsonDecimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	default:
		return 1
	}
}

// key is equal for equal values and for no others.
func (d jsonDecimal) key() string {
	return strconv.Itoa(d.sign()) + d.digits + "e" + strconv.Itoa(d.exponent)
}

// usable reports whether the number is within what is calculated with.
func (d jsonDecimal) usable() bool {
	return len(d.digits) <= maxDecimalDigits && d.exponent <= maxDecimalExponent && d.exponent >= -maxDecimalExponent
}

// jsonSum adds usable numbers exactly.
type jsonSum struct {
	scaled   big.Int // the sum times ten to decimals
	decimals int     // as many as the number with the most of them has
	powers   map[int]*big.Int
	n        int64
}

func (s *jsonSum) add(d jsonDecimal) {
	s.n++
	var term big.Int
	if _, ok := term.SetString("0"+d.digits, 10); !ok {
		return // cannot be: they are digits
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

// power is ten to n, made once: numbers of one list mostly have as many decimals.
func (s *jsonSum) power(n int) *big.Int {
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

// total is the sum as JSON, with every digit.
func (s *jsonSum) total() jsontext.Value {
	return decimalLiteral(new(big.Rat).SetFrac(&s.scaled, s.power(s.decimals)), s.decimals)
}

// mean is the sum by the count: exact where it has few decimals, otherwise the
// nearest 64-bit float.
func (s *jsonSum) mean() jsontext.Value {
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
