package utilities

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// decimalText writes a fraction with at most places decimals, as JSON and
// people write numbers: no zeros at the end, no -0.
func decimalText(r *big.Rat, places int) string {
	text := r.FloatString(places)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if text == "-0" {
		return "0"
	}
	return text
}

// tooLongToSpell is where float64s are written with an exponent, because the
// digits that would follow are not known.
const tooLongToSpell = 1e21

// decimal writes a quantity with at most places decimals. Every digit of an
// exact one is right.
func (q quantity) decimal(places int) string {
	if q.exact != nil {
		return decimalText(q.exact, places)
	}
	if math.Abs(q.approx) >= tooLongToSpell {
		return strconv.FormatFloat(q.approx, 'g', -1, 64)
	}
	return decimalText(ratOf(q.approx, -1), places)
}

// grouped puts commas between the thousands of a decimal number.
func grouped(text string) string {
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

// roundedFloat rounds to places decimals, but never to fewer than digits
// significant ones, so that small values do not become 0; digits may be 0.
func roundedFloat(f float64, places, digits int) float64 {
	if f == 0 || math.IsNaN(f) || math.IsInf(f, 0) {
		return f
	}
	if digits > 0 {
		exponent := int(math.Floor(math.Log10(math.Abs(f))))
		places = max(places, digits-1-exponent)
	}
	out, _ := rounded(ratOf(f, -1), places).Float64()
	return out
}
