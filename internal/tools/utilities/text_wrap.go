package utilities

import (
	"strings"
	"unicode/utf8"

	"github.com/helve-dev/helve/tool"
	"github.com/rivo/uniseg"
)

// maxTextOutput is the longest text a tool here makes of a shorter one, in bytes.
const maxTextOutput = 4 << 20

func tooMuchText() error {
	return tool.Fail(tool.ValidationError, "The outcome would be longer than %d bytes: send a shorter text or ask for less.", maxTextOutput)
}

// wrapper breaks lines where Unicode allows it: after spaces and hyphens, and
// between characters of scripts without spaces.
type wrapper struct {
	room       int // columns of a line without its indent
	indent     string
	breakWords bool
	out        strings.Builder
	lines      int
}

// wrap adds one line of the original, which becomes one line at least.
func (w *wrapper) wrap(line string) {
	var row strings.Builder
	used := 0 // columns of row, the blanks at its end among them
	rest, state := line, -1
	for rest != "" && w.out.Len() <= maxTextOutput {
		var part string
		part, rest, state = lineSegment(rest, state)
		wide := uniseg.StringWidth(strings.TrimRightFunc(part, isBlank))
		if row.Len() > 0 && used+wide > w.room {
			if strings.TrimFunc(row.String(), isBlank) != "" { // blanks before a word that does not fit go
				w.add(row.String())
			}
			row.Reset()
			used = 0
		}
		if wide > w.room && w.breakWords {
			part = w.breakWord(part)
		}
		row.WriteString(part)
		used += uniseg.StringWidth(part)
	}
	w.add(row.String())
}

// lineSegment returns the start of text up to where a line may be broken, and the
// rest. Some breaks that Unicode allows are none here: within addresses and paths,
// which are to be copied, and after the hyphens that an option such as --all has
// first.
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
		if last >= utf8.RuneSelf || next >= utf8.RuneSelf || isBlank(rune(last)) {
			return text[:size], rest, state
		}
		address = address || strings.Contains(text[before:size], "://") || first && strings.HasPrefix(part, "www.")
		if last == '-' && !address && !(first && strings.Trim(part, "-") == "") {
			return text[:size], rest, state
		}
	}
}

// breakWord adds the lines that word fills, and returns what is left of it.
func (w *wrapper) breakWord(word string) string {
	start, used := 0, 0
	at, state := 0, -1
	for rest := word; rest != ""; {
		var cluster string
		var wide int
		cluster, rest, wide, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if used+wide > w.room && used > 0 && strings.TrimRightFunc(cluster, isBlank) != "" {
			w.add(word[start:at])
			start, used = at, 0
		}
		used += wide
		at += len(cluster)
	}
	return word[start:]
}

// add ends a line; blanks at its end are invisible and go.
func (w *wrapper) add(row string) {
	w.out.WriteString(strings.TrimRightFunc(w.indent+row, isBlank))
	w.out.WriteByte('\n')
	w.lines++
}
