package clitools

import (
	"strings"
	"unicode/utf8"
)

// readable converts a program's output to text of a limited number of characters.
func readable(out []byte, most int) (text string, cut bool) {
	text = strings.ToValidUTF8(string(out), "\uFFFD")
	if utf8.RuneCountInString(text) <= most {
		return text, false
	}
	n := 0
	for at := range text {
		if n == most {
			return text[:at], true
		}
		n++
	}
	return text, false
}
