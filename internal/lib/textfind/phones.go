package textfind

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

// findPhones yields telephone numbers as people write them. Dates, amounts and IP
// addresses are not phone numbers.
func findPhones(ctx context.Context, text string) iter.Seq[string] {
	return scanStarts(ctx, text, startsPhone, phoneForm, func(before rune, match, after string) string {
		if inWord(before) || strings.ContainsRune("+-./,$€£#=", before) {
			return ""
		}
		for !isPhone(match, after) {
			// The number of groups of an international number is unknown: excess groups
			// belong to something else.
			last := strings.LastIndexAny(match, " .-")
			if match[0] != '+' || last < 0 {
				return ""
			}
			match, after = match[:last], match[last:]+after
		}
		return match
	})
}

// isPhone checks the digits of match, and whether it continues after it.
func isPhone(match, after string) bool {
	next := firstRune(after)
	goesOn := strings.ContainsRune("-./,", next) && len(after) > 1 && unicode.IsDigit(rune(after[1]))
	digits := 0
	for _, c := range match {
		if unicode.IsDigit(c) {
			digits++
		}
	}
	return digits >= 7 && digits <= 15 && !inWord(next) && next != '%' && !goesOn && !looksLikeDate(match)
}

func startsPhone(before, c rune) bool { return c == '+' || c == '(' || startsNumber(before, c) }

// looksLikeDate reports whether a whole match is a date.
func looksLikeDate(match string) bool {
	return dateForm.FindString(match) == match && isDate(match)
}
