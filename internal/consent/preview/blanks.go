package preview

import (
	"strings"
	"unicode"
)

// Runs of blanks from these lengths on push the following text out of sight, so they are
// replaced by their number.
const (
	manyBlanks = 32
	manyBreaks = 8
)

// omitted represents the sign … where the preview writes it. It is not valid in UTF-8 text.
const omitted = '\xfe'

// collapse replaces long runs of blanks and line breaks by their number, and reports
// whether there were any.
func collapse(text string) (shown string, some bool) {
	var out strings.Builder
	done := 0
	for i := 0; i < len(text); {
		if c := text[i]; c > ' ' && c < 0x80 {
			i++
			continue
		}
		end, blanks, breaks := blankRun(text, i)
		if blanks+breaks >= manyBlanks || breaks >= manyBreaks {
			out.WriteString(text[done:i])
			out.WriteString(string([]byte{omitted}) + " " + inWords(blanks, breaks) + " " + string([]byte{omitted}))
			done, some = end, true
		}
		i = max(end, i+1)
	}
	if !some {
		return text, false
	}
	out.WriteString(text[done:])
	return out.String(), true
}

// blankRun counts the blanks and line breaks from a position on.
func blankRun(text string, from int) (end, blanks, breaks int) {
	for i, r := range text[from:] {
		switch {
		case r == '\n' || r == '\v' || r == '\f' || r == 0x85 || r == 0x2028 || r == 0x2029:
			breaks++
		case r == '\r':
			if !strings.HasPrefix(text[from+i+1:], "\n") {
				breaks++
			}
		case unicode.IsSpace(r) || blank(r):
			blanks++
		default:
			return from + i, blanks, breaks
		}
	}
	return len(text), blanks, breaks
}

func inWords(blanks, breaks int) string {
	switch {
	case breaks == 0:
		return count(blanks, "blank")
	case blanks == 0:
		return count(breaks, "line break")
	}
	return count(breaks, "line break") + " and " + count(blanks, "blank")
}
