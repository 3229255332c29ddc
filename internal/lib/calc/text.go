package calc

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

const (
	// MaxPlaces is the number of meaningful decimals of a float64.
	MaxPlaces = 15
	// DefaultPlaces is the default number of decimals.
	DefaultPlaces = 4
)

// DecimalText formats a fraction with at most places decimals, as in JSON: no trailing
// zeros, no -0.
func DecimalText(r *big.Rat, places int) string {
	text := r.FloatString(places)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if text == "-0" {
		return "0"
	}
	return text
}

// tooLongToSpell is the limit from which float64s are formatted with an exponent,
// because the remaining digits are unknown.
const tooLongToSpell = 1e21

// Decimal formats a quantity with at most places decimals, or with as many significant
// digits if it is nearer to 0 than the last of these decimals can show: 0.00003*2.5 must
// not become 0.0001. Every digit of an exact value is right. It reports whether digits were
// omitted.
func (q Quantity) Decimal(places int) (text string, cut bool) {
	if q.exact == nil && math.Abs(q.approx) >= tooLongToSpell {
		return strconv.FormatFloat(q.approx, 'g', -1, 64), false
	}
	value := q.exact
	if value == nil {
		value = RatOf(q.approx, -1)
	}
	text = DecimalText(value, places)
	below := places > 0 && new(big.Rat).Abs(value).Cmp(new(big.Rat).SetFrac(big.NewInt(1), PowerOfTen(places))) < 0
	if value.Sign() != 0 && (below || text == "0") {
		text = Significant(value, max(places, 1))
	}
	shown, ok := new(big.Rat).SetString(text)
	return text, !ok || shown.Cmp(value) != 0
}

// FloatText formats a float64 with at most places decimals, as Decimal does.
func FloatText(f float64, places int) string {
	text, _ := Quantity{approx: f}.Decimal(places)
	return text
}

// longestFraction is the maximum number of decimals that are written out.
const longestFraction = 20

// Significant formats a small fraction with at most digits significant digits.
func Significant(r *big.Rat, digits int) string {
	const precision = 128 // bits, for the maximum number of digits
	text := new(big.Float).SetPrec(precision).SetRat(r).Text('e', digits-1)
	mantissa, exponent, _ := strings.Cut(text, "e")
	if strings.Contains(mantissa, ".") {
		mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	}
	power, err := strconv.Atoi(exponent)
	if err != nil || power < -longestFraction {
		return mantissa + "e" + exponent
	}
	value, _ := new(big.Rat).SetString(mantissa + "e" + exponent)
	return DecimalText(value, digits-1-power)
}

// Grouped inserts commas between the thousands of a decimal number.
func Grouped(text string) string {
	if strings.ContainsRune(text, 'e') {
		return text
	}
	sign := ""
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		sign, text = "-", rest
	}
	digits, fraction, hasFraction := strings.Cut(text, ".")
	var w strings.Builder
	w.WriteString(sign)
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			w.WriteByte(',')
		}
		w.WriteByte(digits[i])
	}
	if hasFraction {
		w.WriteString("." + fraction)
	}
	return w.String()
}

// RoundFloat rounds to places decimals, but never to fewer than digits significant
// ones, so that small values do not become 0; digits may be 0.
func RoundFloat(f float64, places, digits int) float64 {
	if f == 0 || math.IsNaN(f) || math.IsInf(f, 0) {
		return f
	}
	if digits > 0 {
		exponent := int(math.Floor(math.Log10(math.Abs(f))))
		places = max(places, digits-1-exponent)
	}
	out, _ := Rounded(RatOf(f, -1), places).Float64()
	return out
}
