package textfind

import (
	"context"
	"iter"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

const (
	monthName = `(?i:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?`
	dayName   = `\d{1,2}(?i:st|nd|rd|th)?`
)

var dateForm = regexp.MustCompile(`^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2})|\d{4}\x{5e74}\d{1,2}\x{6708}\d{1,2}\x{65e5}` +
	`|` + monthName + ` ` + dayName + `,? \d{4}|` + monthName + ` \d{4}|` + monthName + ` ` + dayName +
	`|` + dayName + ` (?:of )?` + monthName + `,? \d{4}|` + dayName + `[ -](?:of )?` + monthName + `(?:-\d{4})?)`)

// findDates yields dates without their time of day: 2024-01-15, 15/01/2024, 15.1.2024,
// 2024年1月15日, January 15, 2024, 15th of January, Jan 2024 and similar. Invalid days and
// months are no dates.
func findDates(ctx context.Context, text string) iter.Seq[string] {
	return scanStarts(ctx, text, startsDate, dateForm, func(before rune, match, after string) string {
		// 1.2.3.4 is an address and 10/2 a part of 10/2/4/8.
		next := firstRune(after)
		part := (next == '.' || next == '/' || next == '-') && len(after) > 1 && unicode.IsDigit(rune(after[1]))
		glued := inWord(before) || strings.ContainsRune("./-", before) || part || inWord(next) && next != 'T' && next != 't'
		if strings.HasSuffix(match, "\u65e5") {
			glued = unicode.IsDigit(before)
		}
		if glued || !isDate(match) {
			return ""
		}
		return match
	})
}

// startsDate reports whether a digit or the first letter of a month is at the start of
// a word.
func startsDate(before, c rune) bool {
	return startsNumber(before, c) || strings.ContainsRune("jfmasondJFMASOND", c) && !inWord(before)
}

// isDate checks the numbers of a date.
func isDate(match string) bool {
	fields := strings.FieldsFunc(match, func(c rune) bool { return c < '0' || c > '9' })
	var numbers []int
	for _, field := range fields {
		n, err := strconv.Atoi(field)
		if err != nil {
			return false
		}
		numbers = append(numbers, n)
	}
	if named := strings.ContainsFunc(match, func(c rune) bool { return c < unicode.MaxASCII && unicode.IsLetter(c) }); named {
		lower := strings.Contains(match, "may") || strings.Contains(match, "mar")
		if lower && len(numbers) < 2 { // may 5 people march 10 miles
			return false
		}
		first := numbers[0]
		return first >= 1 && first <= 31 || len(numbers) == 1 && len(fields[0]) == 4
	}
	if len(fields[0]) == 4 {
		return isDay(numbers[1], numbers[2]) && oneSeparator(match)
	}
	if len(fields[2]) == 2 && strings.Contains(match, ".") && len(match) < len("1.12.24") { // 1.2.10 is a version
		return false
	}
	return oneSeparator(match) && (isDay(numbers[0], numbers[1]) || isDay(numbers[1], numbers[0]))
}

func isDay(month, day int) bool { return month >= 1 && month <= 12 && day >= 1 && day <= 31 }

// oneSeparator refuses 2024-01/15.
func oneSeparator(match string) bool {
	kinds := 0
	for _, separator := range []string{"-", "/", "."} {
		if strings.Contains(match, separator) {
			kinds++
		}
	}
	return kinds <= 1
}
