package pdftext

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

// font holds the parts of a font that are needed to read its text.
type font struct {
	unicode *characters      // nil if the font has none
	wide    bool             // codes have two bytes
	table   *charmap.Charmap // for codes of one byte
	special map[int]string   // codes with a different meaning than in table
	widths  map[int]float64  // in thousandths of the size
	usual   float64          // the width of codes that widths does not contain
}

// glyphs maps the names of characters that are not letters; a single letter names
// itself, and uni0041 is a number.
var glyphs = map[string]string{
	"space": " ", "nbspace": " ", "period": ".", "comma": ",", "colon": ":", "semicolon": ";", "hyphen": "-", "sfthyphen": "-",
	"minus": "−", "endash": "–", "emdash": "—", "exclam": "!", "question": "?", "quotesingle": "'", "quotedbl": `"`, "quoteleft": "‘",
	"quoteright": "’", "quotedblleft": "“", "quotedblright": "”", "quotesinglbase": "‚", "quotedblbase": "„", "parenleft": "(",
	"parenright": ")", "bracketleft": "[", "bracketright": "]", "braceleft": "{", "braceright": "}", "slash": "/", "backslash": `\`,
	"bar": "|", "underscore": "_", "plus": "+", "equal": "=", "less": "<", "greater": ">", "asterisk": "*", "ampersand": "&",
	"percent": "%", "at": "@", "numbersign": "#", "dollar": "$", "asciitilde": "~", "asciicircum": "^", "grave": "`", "bullet": "•",
	"periodcentered": "·", "ellipsis": "…", "section": "§", "paragraph": "¶", "copyright": "©", "registered": "®", "trademark": "™",
	"degree": "°", "multiply": "×", "divide": "÷", "plusminus": "±", "Euro": "€", "sterling": "£", "yen": "¥", "cent": "¢",
	"zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
	"fi": "fi", "fl": "fl", "ff": "ff", "ffi": "ffi", "ffl": "ffl", "germandbls": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ",
	"oslash": "ø", "Oslash": "Ø", "aring": "å", "Aring": "Å", "dotlessi": "ı", "eth": "ð", "Eth": "Ð", "thorn": "þ", "Thorn": "Þ",
	"lslash": "ł", "Lslash": "Ł", "ccedilla": "ç", "Ccedilla": "Ç", "guillemotleft": "«", "guillemotright": "»", "guilsinglleft": "‹",
	"guilsinglright": "›",
}

// accents maps the endings of the names of accented letters.
var accents = map[string]string{
	"acute": "\u0301", "grave": "\u0300", "circumflex": "\u0302", "dieresis": "\u0308", "tilde": "\u0303", "caron": "\u030c",
	"ogonek": "\u0328", "breve": "\u0306", "macron": "\u0304",
}

// glyph returns the text of a glyph's name; "" if unknown.
func glyph(name string) string {
	name, _, _ = strings.Cut(name, ".") // a.alt means a
	if s, ok := glyphs[name]; ok || len(name) == 1 {
		if ok {
			return s
		}
		return name
	}
	for _, prefix := range []string{"uni", "u"} {
		if digits, ok := strings.CutPrefix(name, prefix); ok && len(digits) >= 4 {
			if v, err := strconv.ParseUint(digits, 16, 21); err == nil {
				return string(rune(v))
			}
		}
	}
	if accent, ok := accents[name[min(1, len(name)):]]; ok {
		return norm.NFC.String(name[:1] + accent)
	}
	return ""
}

// newFont parses a font's dictionary.
func (d *Document) newFont(dict types.Dict) *font {
	f := &font{table: charmap.Windows1252, widths: map[int]float64{}, usual: 500}
	if data := d.stream(dict["ToUnicode"]); data != nil {
		f.unicode = parseCharacters(data)
	}
	if d.name(dict["Subtype"]) == "Type0" {
		f.wide, f.usual = true, 1000
		if below, ok := d.resolve(dict["DescendantFonts"]).(types.Array); ok && len(below) > 0 {
			d.wideWidths(f, d.dict(below[0]))
		}
		return f
	}
	encoding := d.resolve(dict["Encoding"])
	base := d.name(encoding)
	if ed, ok := encoding.(types.Dict); ok {
		base = d.name(ed["BaseEncoding"])
		f.special = d.differences(ed["Differences"])
	}
	if base == "MacRomanEncoding" {
		f.table = charmap.Macintosh
	}
	first := int(d.number(dict["FirstChar"]))
	if widths, ok := d.resolve(dict["Widths"]).(types.Array); ok {
		for i, w := range widths[:min(len(widths), 256)] {
			f.widths[first+i] = d.number(w)
		}
	}
	return f
}

// differences parses the list of codes with a different meaning: a number, then the
// names of the glyphs from there on.
func (d *Document) differences(o types.Object) map[int]string {
	list, ok := d.resolve(o).(types.Array)
	if !ok {
		return nil
	}
	special := map[int]string{}
	code := 0
	for _, item := range list[:min(len(list), 1024)] {
		switch v := d.resolve(item).(type) {
		case types.Integer:
			code = v.Value()
		case types.Name:
			special[code] = glyph(string(v))
			code++
		}
	}
	return special
}

// wideWidths parses the widths of a font with two-byte codes: repeatedly either a first
// code and the widths from there on, or a first code, a last code and one width.
func (d *Document) wideWidths(f *font, dict types.Dict) {
	if dw := d.number(dict["DW"]); dw > 0 {
		f.usual = dw
	}
	list, ok := d.resolve(dict["W"]).(types.Array)
	if !ok {
		return
	}
	for i := 0; i+1 < len(list) && len(f.widths) < maxMappings; {
		first := int(d.number(list[i]))
		if each, ok := d.resolve(list[i+1]).(types.Array); ok {
			for j, w := range each[:min(len(each), maxMappings)] {
				f.widths[first+j] = d.number(w)
			}
			i += 2
			continue
		}
		if i+2 >= len(list) {
			return
		}
		final, w := int(d.number(list[i+1])), d.number(list[i+2])
		for c := first; c <= min(final, first+maxMappings); c++ {
			f.widths[c] = w
		}
		i += 3
	}
}

// Unknown is written for each character whose text the document does not say.
const Unknown = "\ufffd"

// decode returns the text of a string, and its width in thousandths of the size.
func (f *font) decode(s string) (decoded string, width float64) {
	var w strings.Builder
	for len(s) > 0 {
		n := 1 // whatever the map to Unicode says: codes of simple fonts have one byte (PDF 32000-1, 9.4.3)
		if f.wide {
			n = min(2, len(s))
		}
		code := codeNumber(s[:n])
		if known, ok := f.widths[code]; ok {
			width += known
		} else {
			width += f.usual
		}
		w.WriteString(f.character(s[:n], code))
		s = s[n:]
	}
	return w.String(), width
}

func (f *font) character(code string, number int) string {
	if f.unicode != nil {
		if s, ok := f.unicode.lookup(code); ok {
			return s
		}
		if s, ok := f.unicode.lookup("\x00" + code); ok && !f.wide { // some producers write the map with two bytes
			return s
		}
	}
	if s, ok := f.special[number]; ok {
		return cmp.Or(s, Unknown)
	}
	switch {
	case number == 0, !f.wide && strings.IndexByte("\t\n\r", byte(number)) >= 0:
		return ""
	case f.wide, number < ' ':
		return Unknown // the number of a glyph
	}
	return string(f.table.DecodeByte(byte(number)))
}
