package pdf

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"
)

// forms holds the shapes of an Arabic letter: isolated, final, initial and medial. A
// letter that never joins the next one has only the first two.
type forms [4]rune

// shapes maps each letter to its forms, and lam with a following alef. Unicode lists
// the forms of a letter in this order.
func shapes() (letters map[rune]*forms, ligatures map[string]*forms) {
	letters, ligatures = map[rune]*forms{}, map[string]*forms{}
	next := map[string]int{}
	const lastLigature = '\uFEFC'
	for _, block := range [][2]rune{{'\uFB50', '\uFBB1'}, {'\uFBD3', '\uFBE9'}, {'\uFBFC', '\uFBFF'}, {'\uFE80', lastLigature}} {
		for r := block[0]; r <= block[1]; r++ {
			base := norm.NFKC.String(string(r))
			if base == string(r) || next[base] > 3 {
				continue
			}
			form := next[base]
			next[base]++
			runes := []rune(base)
			switch {
			case len(runes) == 1:
				if letters[runes[0]] == nil {
					letters[runes[0]] = &forms{}
				}
				letters[runes[0]][form] = r
			case len(runes) == 2 && runes[0] == '\u0644':
				if ligatures[base] == nil {
					ligatures[base] = &forms{}
				}
				ligatures[base][form] = r
			default: // other ligatures are never required
			}
		}
	}
	return letters, ligatures
}

// joined replaces Arabic letters by their contextual shapes.
func (c *coverage) joined(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Arabic, r) }) {
		return s
	}
	if c.letters == nil {
		c.letters, c.ligatures = shapes()
	}
	const joiner, stretch = '\u200d', '\u0640'
	marks := func(r rune) bool { return unicode.Is(unicode.Mn, r) }
	runes := []rune(s)
	forward := func(r rune) bool { // joins the next letter
		f := c.letters[r]
		return r == joiner || r == stretch || f != nil && f[2] != 0
	}
	takes := func(r rune) bool { // joins the previous letter
		f := c.letters[r]
		return r == joiner || r == stretch || f != nil && f[1] != 0
	}
	var w strings.Builder
	joins := false // the previous letter joins this one
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		if marks(r) {
			w.WriteRune(r)
			continue
		}
		behind := func(i int) rune {
			for i++; i < len(runes); i++ {
				if !marks(runes[i]) {
					return runes[i]
				}
			}
			return 0
		}
		f, end := c.letters[r], r
		if i+1 < len(runes) && c.ligatures[string(runes[i:i+2])] != nil {
			f = c.ligatures[string(runes[i:i+2])]
			i++
			end = 0
		}
		if f == nil {
			w.WriteRune(r)
			joins = forward(r)
			continue
		}
		form := 0
		if joins && f[1] != 0 {
			form = 1
		}
		if f[2] != 0 && end != 0 && takes(behind(i)) {
			form += 2
		}
		w.WriteRune(f[form])
		joins = end != 0 && forward(r)
	}
	return w.String()
}

// rightToLeft reports whether any part of s is written from right to left.
func rightToLeft(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		p, _ := bidi.LookupRune(r)
		return p.Class() == bidi.R || p.Class() == bidi.AL
	})
}

// visual returns a line in visual order, from left to right. right is set for a line of
// a right-to-left text.
func visual(line string, right bool) string {
	var w strings.Builder
	for _, run := range visualRuns(line, right) {
		if run.right {
			run.text = backwards(run.text)
		}
		w.WriteString(run.text)
	}
	return w.String()
}

// run is a part of a line with one direction.
type run struct {
	text  string // in reading order
	right bool
}

func backwards(s string) string { return bidi.ReverseString(s) }

// visualRuns splits a line into its runs, from left to right.
func visualRuns(line string, right bool) []run {
	if !right && !rightToLeft(line) {
		return []run{{line, false}}
	}
	mark := "\u200e" // forces the direction of the text on the line
	if right {
		mark = "\u200f"
	}
	var p bidi.Paragraph
	if _, err := p.SetString(mark + line); err != nil {
		return []run{{line, false}}
	}
	order, err := p.Order()
	if err != nil {
		return []run{{line, false}}
	}
	var runs []run
	var back []bool // whether a run belongs to right-to-left text
	for i := range order.NumRuns() {
		part := order.Run(i)
		fromRight := part.Direction() == bidi.RightToLeft
		back = append(back, right || fromRight || 0 < i && i+1 < order.NumRuns() && !lettered(part.String()))
		runs = append(runs, run{strings.ReplaceAll(part.String(), mark, ""), fromRight})
	}
	for i := 0; i < len(runs); {
		end := i + 1
		for back[i] && end < len(runs) && back[end] {
			end++
		}
		slices.Reverse(runs[i:end])
		i = end
	}
	return runs
}

// beginsRight reports whether the first letter of a text is written from right to left.
func beginsRight(text string) bool {
	for _, r := range text {
		switch p, _ := bidi.LookupRune(r); p.Class() {
		case bidi.L:
			return false
		case bidi.R, bidi.AL:
			return true
		default: // it has no direction
		}
	}
	return false
}

// lettered reports whether a left-to-right run has letters; a run without letters is a
// number within right-to-left text.
func lettered(run string) bool {
	return strings.ContainsFunc(run, func(r rune) bool {
		p, _ := bidi.LookupRune(r)
		return p.Class() == bidi.L
	})
}
