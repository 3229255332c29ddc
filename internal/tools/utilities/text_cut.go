package utilities

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// echoed is how many characters of a text are repeated in an answer about it.
const echoed = 50

// textLength counts characters as these tools do everywhere: Unicode code points.
func textLength(text string) int { return utf8.RuneCountInString(text) }

// echoText is text as an answer repeats it: its start only, where it is long.
func echoText(text string) string {
	if textLength(text) <= echoed {
		return text
	}
	return cutText(text, echoed) + "..."
}

// cutText returns the longest start of text of no more than most characters that
// splits none a reader sees as one, such as a flag or a letter with its accents. It is
// empty where the first of those alone is longer.
func cutText(text string, most int) string {
	end, count := 0, 0
	rest, state := text, -1
	for rest != "" {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if count += textLength(cluster); count > most {
			break
		}
		end += len(cluster)
	}
	return text[:end]
}

// truncateText cuts text to no more than most characters, of which the last are
// suffix where something was cut. A suffix that leaves no room for text is dropped.
func truncateText(text string, most int, suffix string, atWord bool) (cut string, truncated bool) {
	if textLength(text) <= most {
		return text, false
	}
	if textLength(suffix) >= most {
		suffix = ""
	}
	start := cutText(text, most-textLength(suffix))
	if start == "" {
		if start = cutText(text, most); start != "" {
			suffix = ""
		}
	}
	next, _ := utf8.DecodeRuneInString(text[len(start):])
	if atWord && !isBlank(next) {
		if space := strings.LastIndexFunc(start, isBlank); space > 0 {
			start = start[:space]
		}
	}
	if atWord {
		start = strings.TrimRightFunc(start, isBlank)
	}
	return start + suffix, true
}

// reverseText turns text round, and keeps together what a reader sees as one
// character.
func reverseText(text string) string { return strings.Join(reversed(graphemes(text)), "") }

func reversed(parts []string) []string {
	slices.Reverse(parts)
	return parts
}

// graphemes splits text into what a reader sees as characters.
func graphemes(text string) []string {
	parts := make([]string, 0, len(text))
	state := -1
	for text != "" {
		var cluster string
		cluster, text, _, state = uniseg.FirstGraphemeClusterInString(text, state)
		parts = append(parts, cluster)
	}
	return parts
}

// isBlank reports white space; a byte order mark counts as it, as in JavaScript.
func isBlank(c rune) bool { return unicode.IsSpace(c) || c == '\ufeff' }
