package preview

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// hiddenKind replaces a value of which only the type may be shown.
func hiddenKind(k jsontext.Kind) string { return bullets + " (" + kindName(k) + ")" }

// hiddenText replaces a string that is hidden because of its name. It shows a rough length:
// enough to see that a value is present, too little to help guess it.
func hiddenText(text string) string {
	length := "64 or more characters"
	switch n := utf8.RuneCountInString(text); {
	case n == 0:
		length = "empty"
	case n < 16:
		length = "1 to 15 characters"
	case n < 64:
		length = "16 to 63 characters"
	}
	return bullets + " (string, " + length + ")"
}

func kindName(k jsontext.Kind) string {
	switch k {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case '0':
		return "number"
	case 'n':
		return "null"
	default:
		return "boolean"
	}
}

// more returns the phrase for the left-out items: "1 more item", "12,345 more items".
func more(n int, noun string) string { return count(n, "more "+noun) }

// count returns "1 item", "12,345 items".
func count(n int, noun string) string {
	text := thousands(n) + " " + noun
	if n != 1 {
		text += "s"
	}
	return text
}

// thousands returns 1234567 as 1,234,567.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	var b strings.Builder
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteByte(digits[i])
	}
	return b.String()
}
