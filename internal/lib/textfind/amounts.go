package textfind

import (
	"context"
	"iter"
	"regexp"
	"strings"
	"unicode"
)

// amount is a number with separators of thousands and decimals.
const amount = `\d[\d.,\x{a0}\x{202f}']*`

// moneyForm matches an amount with the sign, the code or the name of a currency before or
// after it.
var moneyForm = regexp.MustCompile(`(?i)(?:\p{Sc}|\b(?:` + codes + `)\b)[ \x{a0}\x{202f}]?` + amount + magnitude +
	`|` + amount + magnitude + `[ \x{a0}\x{202f}]?(?:\p{Sc}|(?:` + codes + `|dollars?|euros?|cents?|pounds?|yen|lira)\b)`)

const (
	codes     = `USD|EUR|GBP|JPY|CNY|CHF|TRY|TL|INR|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RUB|BRL|MXN|ZAR|KRW|SGD|HKD|AED|ILS`
	magnitude = `(?:[ \x{a0}]?(?:thousand|million|billion|trillion|[kmb]n?)\b)?`
)

var percentageForm = regexp.MustCompile(`(?i)\d[\d.,]*[ \x{a0}\x{202f}]?(?:%|\x{2030}|percent\b|per cent\b)`)

// findMoney yields amounts of money.
func findMoney(ctx context.Context, text string) iter.Seq[string] {
	return scan(ctx, text, moneyForm, wholeAmount)
}

// findPercentages yields percentages.
func findPercentages(ctx context.Context, text string) iter.Seq[string] {
	return scan(ctx, text, percentageForm, wholeAmount)
}

// wholeAmount refuses an amount that begins within a word or number, and leaves out the
// punctuation after it.
func wholeAmount(before rune, match, _ string) string {
	if first := firstRune(match); inWord(before) && (inWord(first) || unicode.IsDigit(first)) ||
		(before == '.' || before == ',') && unicode.IsDigit(first) {
		return ""
	}
	return strings.TrimRight(match, ".,' \u00a0\u202f")
}
