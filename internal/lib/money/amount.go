package money

import (
	"github.com/cockroachdb/apd/v3"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

const (
	// maxText is the longest number that is read.
	maxText = 100
	// maxWhole is the most digits before the decimal point.
	maxWhole = 15
)

// context has more digits than any sum: 15 before the point, 4 behind it, and room for
// 10^40 summands.
var context = apd.BaseContext.WithPrecision(60)

// Amount is an exact number of units of a currency. The zero value is 0.
type Amount struct{ d apd.Decimal }

// Number reads a number that is neither negative nor too large for an amount.
func Number(n tool.Number) (Amount, error) {
	var a Amount
	if len(n) > maxText {
		return a, tool.Fail(tool.ValidationError, "it has %d characters; an amount has at most %d digits before the point", len(n), maxWhole)
	}
	if _, _, err := a.d.SetString(string(n)); err != nil || a.d.Form != apd.Finite {
		return a, tool.Fail(tool.ValidationError, "%q is no number; write it in digits, such as 12.50", textcut.Excerpt(string(n), maxText))
	}
	a.d.Reduce(&a.d)
	switch {
	case a.d.IsZero():
		a.d = apd.Decimal{}
	case a.d.Negative:
		return a, tool.Fail(tool.ValidationError, "%s is negative; an amount is 0 or more", n)
	case a.d.NumDigits()+int64(a.d.Exponent) > maxWhole:
		return a, tool.Fail(tool.ValidationError, "%s is too large; an amount has at most %d digits before the point", n, maxWhole)
	case -a.d.Exponent > maxText:
		return a, tool.Fail(tool.ValidationError, "%s has too many decimals; no currency has more than 4", n)
	}
	return a, nil
}

// Parse reads an amount of a currency that [Currency] has returned. It refuses a negative
// amount, one of more than 15 digits before the point, and more decimals than the currency
// has.
func Parse(n tool.Number, currency string) (Amount, error) {
	a, err := Number(n)
	if err != nil {
		return a, err
	}
	places, _ := digits(currency)
	if has := int(-a.d.Exponent); has > places {
		return a, tool.Fail(tool.ValidationError, "%s has %d decimals, and %s has %d", n, has, currency, places)
	}
	return a.to(places), nil
}

// to returns the amount with a number of decimals, halves rounded up.
func (a Amount) to(places int) (b Amount) {
	if _, err := context.Quantize(&b.d, &a.d, -int32(places)); err != nil {
		return a // it has too many digits to round, which an amount cannot
	}
	return b
}

// Add returns the sum.
func (a Amount) Add(b Amount) (sum Amount) {
	_, _ = context.Add(&sum.d, &a.d, &b.d) // its conditions are not errors: it fits the precision
	return sum
}

// Over returns the amount divided by n with two decimals at least, and as many as the
// amount has. It returns 0 for n 0.
func (a Amount) Over(n int) (quotient Amount) {
	if n == 0 {
		return quotient
	}
	_, _ = context.Quo(&quotient.d, &a.d, apd.New(int64(n), 0))
	return quotient.to(max(2, int(-a.d.Exponent)))
}

// Percent returns how much of the total the amount is, with two decimals.
func (a Amount) Percent(total Amount) (percent Amount) {
	if total.d.IsZero() {
		return percent
	}
	hundred := Amount{*apd.New(100, 0)}
	_, _ = context.Mul(&percent.d, &a.d, &hundred.d)
	_, _ = context.Quo(&percent.d, &percent.d, &total.d)
	return percent.to(2)
}

// Compare returns -1, 0 or 1 as a is less than, equal to or greater than b.
func (a Amount) Compare(b Amount) int { return a.d.Cmp(&b.d) }

// Number returns the amount as a JSON number without an exponent.
func (a Amount) Number() tool.Number { return tool.Number(a.d.Text('f')) }
