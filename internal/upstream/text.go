package upstream

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// plain reports whether a character may stand in what a model reads: people who look at
// the text must see it too. Marks of direction, characters without width, tags and
// private ones are not, nor are control characters but for line breaks and tabs.
func plain(r rune) bool {
	switch r {
	case '\n', '\t':
		return true
	case utf8.RuneError, 0x2028, 0x2029, 0x2800, 0x3164, 0xffa0:
		return false
	}
	return !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Cs, unicode.Co, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) &&
		!unicode.Is(unicode.Noncharacter_Code_Point, r)
}

// legible is a text of a server without what is not plain, of at most so many bytes.
func legible(text string, longest int) string {
	text = strings.TrimSpace(strings.Map(func(r rune) rune {
		if plain(r) {
			return r
		}
		return -1
	}, strings.ToValidUTF8(text, "")))
	return clip(text, longest)
}

// clip cuts a text to so many bytes and says so.
func clip(text string, longest int) string {
	const mark = "…"
	if len(text) <= longest {
		return text
	}
	return strings.ToValidUTF8(text[:max(0, longest-len(mark))], "") + mark
}

// hidden reports whether a text holds what is not plain.
func hidden(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return !plain(r) })
}
