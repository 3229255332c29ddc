package pdf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"unicode"

	"github.com/go-text/typesetting/di"
	fontfile "github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/language"
	"github.com/go-text/typesetting/shaping"
	"golang.org/x/image/math/fixed"

	"github.com/helve-dev/helve/tool"
)

// em is the size at which fonts are measured.
const em = 1000

// maxClusters is the number of clusters of a document's font, which have two-byte
// codes.
const maxClusters = 0xfffe

// systemFont is a font of the machine with its clusters that a document uses. A cluster
// is the shaper's output for a syllable or a single character, with all parts in place.
// Each cluster is one glyph of the embedded font, so that a reader of the document can
// find the text of each.
type systemFont struct {
	lent     *tool.Font
	face     *fontfile.Face
	clusters map[string]uint16
	used     []cluster
}

// cluster is one glyph of an embedded font.
type cluster struct {
	text  string
	width int
	drawn []byte
}

// openFont opens a font of the machine.
func openFont(lent *tool.Font) (*systemFont, error) {
	faces, err := fontfile.ParseTTC(bytes.NewReader(lent.Data))
	if err != nil || lent.Index >= len(faces) {
		return nil, fmt.Errorf("font %s: %w", lent.Name, err)
	}
	nothing := cluster{drawn: newCharstring(0).end()} // glyph 0
	return &systemFont{lent: lent, face: faces[lent.Index], clusters: map[string]uint16{}, used: []cluster{nothing}}, nil
}

// draws reports whether the font has an outline for a character.
func (f *systemFont) draws(r rune) bool {
	glyph, ok := f.face.NominalGlyph(r)
	if !ok || glyph == 0 {
		return false
	}
	_, ok = f.face.GlyphDataOutline(glyph)
	return ok
}

// shape shapes a text of one script and direction: it returns the glyphs from left to
// right, and their width.
func (f *systemFont) shape(shaper *shaping.HarfbuzzShaper, s string, right bool) (glyphs []uint16, width float64) {
	text := []rune(s)
	in := shaping.Input{Text: text, RunEnd: len(text), Face: f.face, Size: fixed.I(em), Script: scriptIn(text)}
	if right {
		in.Direction = di.DirectionRTL
	}
	out := shaper.ShapeNoExtents(in).Glyphs
	for len(out) > 0 {
		n := 1
		for n < len(out) && out[n].TextIndex() == out[0].TextIndex() {
			n++
		}
		first := out[0].TextIndex()
		glyph := f.glyphOf(out[:n], string(text[first:min(first+out[0].RunesCount(), len(text))]))
		glyphs = append(glyphs, glyph)
		width += float64(f.used[glyph].width)
		out = out[n:]
	}
	return glyphs, width
}

// glyphOf returns the glyph of a cluster, and creates it at first use. If the font is
// full, it returns an empty glyph.
func (f *systemFont) glyphOf(parts []shaping.Glyph, text string) uint16 {
	key := []byte(text)
	for _, p := range parts {
		key = binary.BigEndian.AppendUint32(key, uint32(p.GlyphID))
		for _, v := range []fixed.Int26_6{p.XOffset, p.YOffset, p.Advance} {
			key = binary.BigEndian.AppendUint32(key, uint32(v)) // bits of a key
		}
	}
	if known, ok := f.clusters[string(key)]; ok || len(f.used) > maxClusters {
		return known
	}
	points := func(v fixed.Int26_6) float64 { return float64(v) / 64 }
	width := 0.0
	for _, p := range parts {
		width += points(p.Advance)
	}
	c := newCharstring(int(math.Round(width)))
	pen := 0.0
	for _, p := range parts {
		if o, ok := f.face.GlyphDataOutline(p.GlyphID); ok {
			c.outline(o.Segments, em/float64(f.face.Upem()), pen+points(p.XOffset), points(p.YOffset))
		}
		pen += points(p.Advance)
	}
	glyph := uint16(len(f.used)) // limited above
	f.used = append(f.used, cluster{text: text, width: int(math.Round(width)), drawn: c.end()})
	f.clusters[string(key)] = glyph
	return glyph
}

// scriptIn returns the script of a text, given by its first letter.
func scriptIn(text []rune) language.Script {
	for _, r := range text {
		if s := language.LookupScript(r); s != language.Common && s != language.Inherited {
			return s
		}
	}
	return language.Common
}

// joins reports whether a character belongs to the surrounding text, whatever its
// script.
func joins(r rune) bool {
	s := language.LookupScript(r)
	return s == language.Common || s == language.Inherited || unicode.Is(unicode.Mn, r)
}

// together reports whether two letters may be shaped as one text.
func together(a, b rune) bool {
	chinese := func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo)
	}
	return language.LookupScript(a) == language.LookupScript(b) || chinese(a) && chinese(b)
}
