package pdf

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// segment is a part of a line in one font, from left to right.
type segment struct {
	text  string
	font  *systemFont // nil for the built-in fonts
	right bool        // read from right to left
}

// segments splits a text of one direction by font, in reading order.
func (c *coverage) segments(s string, right bool) (all []segment) {
	var now *systemFont
	var letter rune // the last letter that has a script
	begun := 0
	for i, r := range s {
		font := c.fontOf(r)
		if now != nil && joins(r) && (now.draws(r) || r == joiner || r == nonJoiner || unicode.Is(unicode.Variation_Selector, r)) {
			font = now
		}
		apart := font != nil && !joins(r) && letter != 0 && !together(letter, r)
		if i > begun && (font != now || apart) {
			all = append(all, segment{s[begun:i], now, right})
			begun = i
		}
		if !joins(r) {
			letter = r
		}
		now = font
	}
	if begun < len(s) {
		all = append(all, segment{s[begun:], now, right})
	}
	return all
}

const (
	nonJoiner = '\u200c'
	joiner    = '\u200d'
)

// ordered splits a line into segments from left to right.
func (c *coverage) ordered(line string, right bool) (all []segment) {
	for _, run := range visualRuns(line, right) {
		part := c.segments(run.text, run.right)
		if run.right {
			slices.Reverse(part)
		}
		all = append(all, part...)
	}
	return all
}

// width returns the width of a line in the current style.
func (w *writer) width(line string) (width float64) {
	if !w.glyphs.needsSystem(line) {
		return w.pdf.GetStringWidth(line)
	}
	for _, s := range w.glyphs.segments(line, rightToLeft(line)) {
		if s.font == nil {
			width += w.pdf.GetStringWidth(s.text)
			continue
		}
		_, wide := s.font.shape(&w.glyphs.shaper, s.text, s.right)
		width += wide * w.style.size / em
	}
	return width
}

// set draws a line of one height from x on. right is set for a line of a right-to-left
// text.
func (w *writer) set(line string, right bool) {
	high := w.lineHeight()
	if !w.glyphs.needsSystem(line) {
		text := visual(line, right)
		w.pdf.CellFormat(w.pdf.GetStringWidth(text), high, text, "", 0, "L", false, 0, w.style.link)
		return
	}
	_, page := w.pdf.GetPageSize()
	if auto, bottom := w.pdf.GetAutoPageBreak(); auto && w.pdf.GetY()+high > page-bottom {
		x := w.pdf.GetX()
		w.pdf.AddPage()
		w.pdf.SetX(x)
	}
	for _, s := range w.glyphs.ordered(line, right) {
		if s.font == nil {
			text := s.text
			if s.right {
				text = backwards(text)
			}
			w.pdf.CellFormat(w.pdf.GetStringWidth(text), high, text, "", 0, "L", false, 0, w.style.link)
			continue
		}
		glyphs, wide := s.font.shape(&w.glyphs.shaper, s.text, s.right)
		wide *= w.style.size / em
		x, y := w.pdf.GetXY()
		form := w.embedded.form(s.font, glyphs, wide, w.style)
		base := page - (y + high/2 + 0.3*w.style.size) // as fpdf computes it
		w.pdf.RawWriteStr(fmt.Sprintf("q 1 0 0 1 %.2f %.2f cm %s Do Q", x, base, form))
		if w.style.link != "" {
			w.pdf.LinkString(x, y, wide, high, w.style.link)
		}
		w.pdf.SetX(x + wide)
	}
}

// units splits text where a line may end: after spaces, and between Chinese characters.
func units(s string) (all []string) {
	state := -1
	for s != "" {
		var unit string
		unit, s, _, state = uniseg.FirstLineSegmentInString(s, state)
		all = append(all, pieces(unit)...)
	}
	return all
}

// broken breaks a text into lines of a width.
func (w *writer) broken(s string, width float64) (lines []string) {
	line, used := "", 0.0
	for _, unit := range units(s) {
		for unit != "" {
			wide := w.width(unit)
			if used+w.width(strings.TrimRight(unit, " ")) <= width {
				line, used = line+unit, used+wide
				break
			}
			if wide > width { // no line is long enough
				n := w.fitting(unit, width-used, line == "")
				line, unit = line+unit[:n], unit[n:]
			}
			lines = append(lines, strings.TrimRight(line, " "))
			line, used = "", 0
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// fitting returns the number of bytes of a too long word that fit in the line, without
// separating characters from their accents. An empty line takes at least one character.
func (w *writer) fitting(word string, room float64, empty bool) int {
	used, rest, state := 0.0, word, -1
	for rest != "" {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if used += w.width(cluster); used > room {
			if n := len(word) - len(rest) - len(cluster); n > 0 || !empty {
				return n
			}
			return len(cluster)
		}
	}
	return len(word)
}
