package utilities

import (
	"context"
	"iter"
	"regexp"
	"strings"
	"unicode"
)

var phoneForm = regexp.MustCompile(`^(?:` + strings.Join([]string{
	`\+\d{1,3}(?:[ .\x{a0}-]?\(?\d{1,5}\)?){1,6}`,                                                // +44 (0)20 7946 0958
	`(?:1[ .-])?(?:\(\d{3}\)[ .-]?|\d{3}[ .-])\d{3}[ .-]\d{4}`,                                   // (555) 123-4567
	`\(0\d{1,4}\)[ /-]?\d{2,4}(?:[ -]?\d{2,4}){1,3}|0\d{1,4}[ ./-]\d{2,4}(?:[ .-]?\d{2,4}){1,3}`, // 0551 234 56 78
	`0\d{1,4}/\d{5,8}`, // 030/1234567
	`\d{3}-\d{4}`,      // 555-1234
	`\d{10,11}`,        // 5551234567
}, "|") + `)`)

// findPhones yields telephone numbers as people write them. Dates, amounts and
// addresses of machines are none.
func findPhones(ctx context.Context, text string) iter.Seq[string] {
	return scanStarts(ctx, text, startsPhone, phoneForm, func(before rune, match, after string) string {
		next := firstRune(after)
		goesOn := strings.ContainsRune("-./,", next) && len(after) > 1 && unicode.IsDigit(rune(after[1]))
		if inWord(before) || strings.ContainsRune("+-./,$€£#=", before) || inWord(next) || next == '%' || goesOn {
			return ""
		}
		digits := strings.Map(func(c rune) rune {
			if c < '0' || c > '9' {
				return -1
			}
			return c
		}, match)
		if len(digits) < 7 || len(digits) > 15 || looksLikeDate(match) {
			return ""
		}
		return match
	})
}

func startsPhone(before, c rune) bool { return c == '+' || c == '(' || startsNumber(before, c) }

// looksLikeDate reports a match that is a date as a whole.
func looksLikeDate(match string) bool {
	return dateForm.FindString(match) == match && isDate(match)
}
