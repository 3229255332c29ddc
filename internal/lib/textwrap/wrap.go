package textwrap

import (
	"strings"
	"unicode/utf8"

	"github.com/helve-dev/helve/internal/lib/bounded"
	"github.com/helve-dev/helve/internal/lib/textcount"
	"github.com/rivo/uniseg"
)

// Wrapper breaks lines where Unicode allows it: after spaces and hyphens, and
// between characters of scripts without spaces.
type Wrapper struct {
	Room       int             // columns of a line without its indent
	Indent     string          // written before each line
	BreakWords bool            // also within words that are wider than Room
	Out        strings.Builder // the lines so far
	Lines      int             // in Out
}

// Wrap adds one line of the original, which becomes at least one line.
func (w *Wrapper) Wrap(line string) {
	var row strings.Builder
	used := 0 // columns of row, including the blanks at its end
	rest, state := line, -1
	for rest != "" && w.Out.Len() <= bounded.MaxText {
		var part string
		part, rest, state = lineSegment(rest, state)
		wide := uniseg.StringWidth(strings.TrimRightFunc(part, textcount.IsBlank))
		if row.Len() > 0 && used+wide > w.Room {
			if strings.TrimFunc(row.String(), textcount.IsBlank) != "" { // blanks before a word that does not fit are dropped
				w.add(row.String())
			}
			row.Reset()
			used = 0
		}
		if wide > w.Room && w.BreakWords {
			part = w.breakWord(part)
		}
		row.WriteString(part)
		used += uniseg.StringWidth(part)
	}
	w.add(row.String())
}

// lineSegment returns the start of text up to the next possible line break, and the
// rest. It ignores some breaks that Unicode allows: within addresses and paths, which
// people copy, and after the leading hyphens of an option such as --all.
func lineSegment(text string, state int) (segment, rest string, _ int) {
	address := false
	for size := 0; ; {
		first := size == 0
		var part string
		part, rest, _, state = uniseg.FirstLineSegmentInString(text[size:], state)
		before := max(size-len("://"), 0)
		size += len(part)
		if rest == "" {
			return text, "", state
		}
		last, next := text[size-1], rest[0]
		if last >= utf8.RuneSelf || next >= utf8.RuneSelf || textcount.IsBlank(rune(last)) {
			return text[:size], rest, state
		}
		address = address || strings.Contains(text[before:size], "://") || first && strings.HasPrefix(part, "www.")
		if last == '-' && !address && !(first && strings.Trim(part, "-") == "") {
			return text[:size], rest, state
		}
	}
}

// breakWord adds the lines that word fills, and returns the rest.
func (w *Wrapper) breakWord(word string) string {
	start, used := 0, 0
	at, state := 0, -1
	for rest := word; rest != ""; {
		var cluster string
		var wide int
		cluster, rest, wide, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if used+wide > w.Room && used > 0 && strings.TrimRightFunc(cluster, textcount.IsBlank) != "" {
			w.add(word[start:at])
			start, used = at, 0
		}
		used += wide
		at += len(cluster)
	}
	return word[start:]
}

// add ends a line and removes the invisible blanks at its end.
func (w *Wrapper) add(row string) {
	w.Out.WriteString(strings.TrimRightFunc(w.Indent+row, textcount.IsBlank))
	w.Out.WriteByte('\n')
	w.Lines++
}
