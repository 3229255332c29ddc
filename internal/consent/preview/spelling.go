package preview

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxSpelled is the number of words of one text of which a warning is given.
const maxSpelled = 5

// words warns of words that are written with letters that look like others: a command or a
// name that reads as a known one and is not.
func (f *findings) words(path func() string, text string) {
	if ascii(strings.Map(lineless, text)) {
		return
	}
	var alike []string
	genuine := 0 // words of another script without a likeness
	for word := range strings.FieldsFuncSeq(withoutHosts(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r)
	}) {
		switch like := plainly(word); {
		case ascii(word), slices.Contains(alike, word):
		case ascii(like):
			alike = append(alike, word)
		case !strings.ContainsFunc(word, latin):
			genuine++
		}
	}
	// In a text of another script, a word of that script alone is one of its words.
	if genuine >= len(alike) {
		alike = slices.DeleteFunc(alike, func(word string) bool { return !strings.ContainsFunc(word, latin) && !styled(word) })
	}
	for i, word := range alike {
		if i == maxSpelled {
			f.warn(path(), "there are "+more(len(alike)-i, "word")+" written to look like others")
			return
		}
		f.warn(path(), "the word "+hostName(word)+" is written to look like "+hostName(plainly(word)))
	}
}

// withoutHosts returns a text without the hosts of its addresses, which have warnings of
// their own.
func withoutHosts(text string) string {
	if bareHost(text) != "" {
		return ""
	}
	var b strings.Builder
	for {
		before, rest, more := strings.Cut(text, "://")
		b.WriteString(before)
		if !more {
			return b.String()
		}
		b.WriteString(" ")
		text = rest[authorityEnd(rest):]
	}
}

// lineless removes the control characters of ordinary texts.
func lineless(r rune) rune {
	if r == '\n' || r == '\r' || r == '\t' {
		return -1
	}
	return r
}

func latin(r rune) bool { return r < 0x80 && unicode.IsLetter(r) }

// styled reports whether a word has letters that are forms of others: wide, bold, script.
func styled(word string) bool { return strings.ContainsFunc(word, form) }

func form(r rune) bool { return r >= 0xff21 && r <= 0xff5a || r >= 0x1d400 && r <= 0x1d7ff }

// plainly returns a word with the letters that its own look like.
func plainly(word string) string {
	return skeleton(strings.Map(func(r rune) rune {
		if form(r) {
			for _, plain := range norm.NFKC.String(string(r)) {
				return plain
			}
		}
		return r
	}, word))
}
