package preview

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const (
	maxHidden   = 100
	maxWarnings = 50
)

// findings holds the results of reading besides the values.
type findings struct {
	hidden   []string
	warnings []string
	unsaid   int // warnings beyond the last
	unlisted int // hidden values beyond the last
}

// hide records that something was hidden at a path.
func (f *findings) hide(path string) {
	if slices.Contains(f.hidden, path) {
		return
	}
	if len(f.hidden) >= maxHidden {
		f.unlisted++
		return
	}
	f.hidden = append(f.hidden, path)
}

// warn records a sentence about a path.
func (f *findings) warn(path, sentence string) {
	if len(f.warnings) >= maxWarnings {
		f.unsaid++
		return
	}
	if path != "" {
		sentence = path + ": " + sentence
	}
	f.warnings = append(f.warnings, sentence)
}

// sentences returns the warnings and, if there were too many, their number.
func (f *findings) sentences() []string {
	all := f.warnings
	if f.unlisted > 0 {
		all = append(all, "values were hidden at "+more(f.unlisted, "path"))
	}
	if f.unsaid > 0 {
		all = append(all, "there are "+more(f.unsaid, "warning"))
	}
	return all
}

// spellings maps the folded names of one object to their labels.
type spellings map[string]string

// add records a name and returns the label of an earlier name with the same folded form.
func (s spellings) add(name, label string) (other string, again bool) {
	folded := fold(name)
	if other, again = s[folded]; !again {
		s[folded] = label
	}
	return other, again
}

// fold removes case, encoding and invisible characters from a name.
func fold(name string) string {
	if ascii(name) {
		return strings.ToLower(name)
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || blank(r) {
			return -1
		}
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return unicode.ToLower(least)
	}, norm.NFKC.String(name))
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 || text[i] < ' ' || text[i] == 0x7f {
			return false
		}
	}
	return true
}

// maxIgnored is the number of ignored parameters that are named.
const maxIgnored = 20

// Ignored returns the sentence about parameters that the tool does not know and does not
// receive.
func Ignored(names []string) string {
	var list []string
	for _, name := range names[:min(len(names), maxIgnored)] {
		clean, _ := redact(name, "")
		list = append(list, hostName(clean))
	}
	text := "not parameters of the tool, so they are ignored: " + strings.Join(list, ", ")
	if rest := len(names) - len(list); rest > 0 {
		text += " and " + more(rest, "parameter")
	}
	return text
}
