package textfind

import (
	"context"
	"encoding/json"
	"iter"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

var numberForm = regexp.MustCompile(`^[-−]?(?:\d+(?:,\d{3}){1,8}(?:\.\d+)?|\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?|\.\d+)`)

// Numbers yields numbers as written: with a sign, commas between thousands, a fraction
// and an exponent. A hyphen after a word or number is not a sign.
func Numbers(ctx context.Context, text string) iter.Seq[string] {
	starts := func(before, c rune) bool {
		return startsNumber(before, c) || strings.ContainsRune("-−.", c)
	}
	return scanStarts(ctx, text, starts, numberForm, func(before rune, match, after string) string {
		if firstRune(match) == '-' || firstRune(match) == '−' {
			if inWord(before) || before == ')' || before == firstRune(match) {
				return ""
			}
		}
		if match[0] == '.' && (inWord(before) || before == '.') {
			return ""
		}
		if len(match) > 100 { // the form was tried on the next bytes only
			match += after[:len(after)-len(strings.TrimLeft(after, "0123456789"))]
		}
		return wholeThousands(match, after)
	})
}

// Values yields the numbers that differ from all earlier ones: 1,000.0 equals 1000.
func Values(ctx context.Context, text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		seen := map[string]bool{}
		for found := range Numbers(ctx, text) {
			value := exactValue(found)
			if !seen[value] && !yield(found) {
				return
			}
			seen[value] = true
		}
	}
}

// exactValue returns equal results exactly for equal numbers: the digits without
// surrounding zeros, and the power of ten of the first digit.
func exactValue(found string) string {
	text, negative := strings.CutPrefix(strings.NewReplacer(",", "", "−", "-", "E", "e").Replace(found), "-")
	digits, exponent, _ := strings.Cut(text, "e")
	power, _ := strconv.Atoi(exponent) // at most three digits, or none
	whole, fraction, _ := strings.Cut(digits, ".")
	all := strings.TrimLeft(whole+fraction, "0")
	power += len(whole) - (len(whole) + len(fraction) - len(all))
	if all = strings.TrimRight(all, "0"); all == "" {
		return "0"
	}
	if negative {
		all = "-" + all
	}
	return all + "e" + strconv.Itoa(power)
}

// wholeThousands keeps the commas of match that separate thousands, as in 12,345.6, and
// cuts before the first comma that separates a list, as in 1,234,5.
func wholeThousands(match, after string) string {
	lead, _, found := strings.Cut(match, ",")
	if !found {
		return match
	}
	digits := strings.TrimLeft(lead, "-−")
	fraction := strings.ContainsRune(match, '.')
	listed := !fraction && len(after) > 1 && after[0] == ',' && unicode.IsDigit(rune(after[1]))
	if len(digits) > 3 || listed || !fraction && unicode.IsDigit(firstRune(after)) {
		return lead
	}
	return match
}

// NumberValue returns a found number as JSON, or nil for a number beyond the range of
// common number types.
func NumberValue(found string) json.RawMessage {
	text := strings.NewReplacer(",", "", "−", "-").Replace(found)
	digits, negative := strings.CutPrefix(text, "-")
	digits = strings.TrimLeft(digits, "0")
	if digits == "" || !unicode.IsDigit(rune(digits[0])) {
		digits = "0" + digits
	}
	if negative {
		digits = "-" + digits
	}
	if value, err := strconv.ParseFloat(digits, 64); err != nil || math.IsInf(value, 0) {
		return nil
	}
	return json.RawMessage(digits)
}
