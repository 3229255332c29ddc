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

// findings are what the reader has to say beside the values.
type findings struct {
	hidden   []string
	warnings []string
	unsaid   int // warnings beyond the last
	unlisted int // hidden values beyond the last
}

// hide notes that something was hidden at a path.
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

// warn notes a sentence about a path.
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

// sentences returns the warnings and, where there were too many, their number.
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

// spellings holds the names of one object, by what careless readers make of
// them.
type spellings map[string]string

// add notes a name and returns the label of an earlier one that reads the same.
func (s spellings) add(name, label string) (other string, again bool) {
	folded := fold(name)
	if other, again = s[folded]; !again {
		s[folded] = label
	}
	return other, again
}

// fold takes from a name its case, its way of encoding and what is invisible.
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
