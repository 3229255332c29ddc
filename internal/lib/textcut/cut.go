package textcut

import (
	"strings"
	"unicode/utf8"
)

// Mark is the mark that [Clip] and [Fit] put in place of cut text.
const Mark = "…"

// Head returns the longest beginning of text of at most this many bytes that ends with
// a complete character.
func Head(text string, most int) string {
	if len(text) <= most {
		return text
	}
	most = max(most, 0)
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// Tail returns the longest end of text of at most this many bytes that begins with a
// complete character.
func Tail(text string, most int) string {
	if len(text) <= most {
		return text
	}
	from := len(text) - max(most, 0)
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return text[from:]
}

// Clip returns text if it has at most this many bytes, otherwise its beginning as valid
// UTF-8, followed by [Mark].
func Clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:max(most, 0)], "") + Mark
}

// Fit is Clip with [Mark] included in the limit. If the limit is below the length of
// Mark it returns Mark alone.
func Fit(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return Clip(text, most-len(Mark))
}

// First returns the first characters of text, at most most.
func First(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for at := range text {
		if most <= 0 {
			return text[:at]
		}
		most--
	}
	return text
}

// Last returns the last characters of text, at most most.
func Last(text string, most int) string {
	from := len(text)
	for range most {
		if from == 0 {
			break
		}
		_, size := utf8.DecodeLastRuneInString(text[:from])
		from -= size
	}
	return text[from:]
}

// Excerpt returns text if it has at most this many characters, otherwise the first of
// them followed by "...".
func Excerpt(text string, most int) string {
	if first := First(text, most); len(first) < len(text) {
		return first + "..."
	}
	return text
}

// FitChars returns text if it has at most this many characters, otherwise a beginning
// of this length that ends in [Mark].
func FitChars(text string, most int) string {
	if len(First(text, most)) == len(text) {
		return text
	}
	return First(text, most-1) + Mark
}
