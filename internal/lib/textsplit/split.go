// Package textsplit splits long texts for services that take short ones.
//
// It promises that the parts joined are the text, that no part is longer than the limit,
// and that no character is split. It splits between paragraphs if it can, otherwise between
// lines, sentences or words. It knows no abbreviations, so a sentence may be split at one.
package textsplit

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/helve-dev/helve/internal/lib/textcut"
)

// ends are the places where a text may be split, the best first. A part ends with the match.
var ends = []*regexp.Regexp{
	regexp.MustCompile(`\n[ \t\r]*\n\s*`),
	regexp.MustCompile(`\n\s*`),
	regexp.MustCompile(`[.!?…]["')\]»”]*\s+|[。！？]`),
	regexp.MustCompile(`\s+`),
}

// Split returns the parts of a text, each of at most this many bytes, which must be four or
// more. An empty text has no parts.
func Split(text string, most int) []string {
	most = max(most, utf8.UTFMax)
	var parts []string
	for len(text) > most {
		at := end(text, most)
		parts = append(parts, text[:at])
		text = text[at:]
	}
	if text != "" {
		parts = append(parts, text)
	}
	return parts
}

// end returns the length of the first part: up to the last good place in its second half.
func end(text string, most int) int {
	head := textcut.Head(text, most)
	for _, e := range ends {
		half := len(head) / 2
		for half > 0 && !utf8.RuneStart(head[half]) {
			half--
		}
		all := e.FindAllStringIndex(head[half:], -1)
		if len(all) > 0 {
			if at := half + all[len(all)-1][1]; at > 0 {
				return at
			}
		}
	}
	if head == "" { // no character begins here: the text is not UTF-8
		return most
	}
	return len(head)
}

// Around returns a text without the white space around it, and that white space.
func Around(text string) (before, core, after string) {
	core = strings.TrimSpace(text)
	if core == "" {
		return text, "", ""
	}
	at := strings.Index(text, core)
	return text[:at], core, text[at+len(core):]
}
