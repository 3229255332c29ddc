package grapheme

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/helve-dev/helve/internal/lib/textcount"
	"github.com/rivo/uniseg"
)

// echoed is the number of characters of a text that an answer repeats.
const echoed = 50

// Echo returns text as an answer repeats it: only the beginning of a long text.
func Echo(text string) string {
	if textcount.Characters(text) <= echoed {
		return text
	}
	return Cut(text, echoed) + "..."
}

// Cut returns the longest beginning of text of no more than most characters that splits no
// user-perceived character, such as a flag or a letter with its accents. It is empty if
// the first one alone is longer.
func Cut(text string, most int) string {
	end, count := 0, 0
	rest, state := text, -1
	for rest != "" {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if count += textcount.Characters(cluster); count > most {
			break
		}
		end += len(cluster)
	}
	return text[:end]
}

// Truncate cuts text to no more than most characters, ending in suffix if something was cut.
// A suffix that leaves no room for text is dropped.
func Truncate(text string, most int, suffix string, atWord bool) (cut string, truncated bool) {
	if textcount.Characters(text) <= most {
		return text, false
	}
	if textcount.Characters(suffix) >= most {
		suffix = ""
	}
	start := Cut(text, most-textcount.Characters(suffix))
	if start == "" {
		if start = Cut(text, most); start != "" {
			suffix = ""
		}
	}
	next, _ := utf8.DecodeRuneInString(text[len(start):])
	if atWord && !textcount.IsBlank(next) {
		if space := strings.LastIndexFunc(start, textcount.IsBlank); space > 0 {
			start = start[:space]
		}
	}
	if atWord {
		start = strings.TrimRightFunc(start, textcount.IsBlank)
	}
	return start + suffix, true
}

// Reverse reverses text and keeps user-perceived characters together.
func Reverse(text string) string { return strings.Join(reversed(Split(text)), "") }

func reversed(parts []string) []string {
	slices.Reverse(parts)
	return parts
}

// Split splits text into user-perceived characters.
func Split(text string) []string {
	parts := make([]string, 0, len(text))
	state := -1
	for text != "" {
		var cluster string
		cluster, text, _, state = uniseg.FirstGraphemeClusterInString(text, state)
		parts = append(parts, cluster)
	}
	return parts
}
