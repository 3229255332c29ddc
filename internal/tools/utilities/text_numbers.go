package utilities

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

// findNumbers yields numbers as they are written: with a sign, commas between
// thousands, a fraction and an exponent. A hyphen after a word or number is no sign.
func findNumbers(ctx context.Context, text string) iter.Seq[string] {
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

// findValues yields the numbers that no earlier one is equal to: 1,000.0 is 1000.
func findValues(ctx context.Context, text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		seen := map[string]bool{}
		for found := range findNumbers(ctx, text) {
			value := exactValue(found)
			if !seen[value] && !yield(found) {
				return
			}
			seen[value] = true
		}
	}
}

// exactValue is the same for numbers that are equal, and for no others: digits
// without zeros around them, and the power of ten that the first stands for.
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

// wholeThousands keeps the commas of match where they part thousands, as in
// 12,345.6, and stops before the first where they part a list, as in 1,234,5.
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

// numberValue is a number that was found as JSON has it, nothing for one that is
// beyond all numbers computers commonly have.
func numberValue(found string) json.RawMessage {
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
