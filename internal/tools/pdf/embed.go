package pdf

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"

	"codeberg.org/go-pdf/fpdf"
)

// embedded holds the parts of a document that use fonts of the machine. fpdf does not
// support such fonts, but can copy objects of other documents: each text becomes a form
// whose resources name its font.
type embedded struct {
	objects map[string][]byte
	places  map[string]map[int]string
	names   map[string]string // of forms in the pages' resources
	forms   map[string]string // names by contents
	fonts   map[*systemFont]string
}

func newEmbedded() *embedded {
	return &embedded{
		objects: map[string][]byte{},
		places:  map[string]map[int]string{},
		names:   map[string]string{},
		forms:   map[string]string{},
		fonts:   map[*systemFont]string{},
	}
}

// reference is the key of an object. fpdf replaces it by the object's number.
type reference string

// next returns the key of a new object, with the number of characters that fpdf
// replaces.
func (e *embedded) next() reference {
	key := fmt.Sprintf("%040d", len(e.objects))
	e.objects[key] = nil
	return reference(key)
}

// set stores an object made of texts and references.
func (e *embedded) set(key reference, parts ...any) {
	var data []byte
	places := map[int]string{}
	for _, p := range parts {
		if to, ok := p.(reference); ok {
			places[len(data)] = string(to)
			data = append(data, to...)
			data = append(data, " 0 R "...)
			continue
		}
		data = fmt.Append(data, p)
	}
	e.objects[string(key)] = append(data, "\nendobj"...)
	e.places[string(key)] = places
}

// streamOf returns a stream as part of an object, after the entries of its dictionary.
func streamOf(entries string, data []byte) string {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	_, _ = w.Write(data) // writing to memory cannot fail
	_ = w.Close()
	return fmt.Sprintf("<<%s/Filter/FlateDecode/Length %d>>stream\n%s\nendstream", entries, out.Len(), out.Bytes())
}

// form returns the name of a form that shows glyphs of a font with the baseline at 0.
func (e *embedded) form(f *systemFont, glyphs []uint16, width float64, s style) string {
	font, ok := e.fonts[f]
	if !ok {
		font = string(e.next())
		e.fonts[f] = font
	}
	slant := 0.0
	if s.italic {
		slant = 0.2
	}
	r, g, b := s.colour()
	colour := fmt.Sprintf("%.3f %.3f %.3f ", float64(r)/255, float64(g)/255, float64(b)/255)
	var shown strings.Builder
	fmt.Fprintf(&shown, "%srg ", colour)
	if s.bold { // the outlines are drawn too
		fmt.Fprintf(&shown, "%sRG 2 Tr %.3f w ", colour, s.size/30)
	}
	fmt.Fprintf(&shown, "BT/F %.2f Tf 1 0 %.1f 1 0 0 Tm<", s.size, slant)
	for _, glyph := range glyphs {
		fmt.Fprintf(&shown, "%04X", glyph)
	}
	shown.WriteString(">Tj ET")
	key := font + shown.String()
	if name, ok := e.forms[key]; ok {
		return name
	}
	object := e.next()
	entries := fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[%.2f %.2f %.2f %.2f]", -2*s.size, -2*s.size, width+2*s.size, 3*s.size)
	e.set(object, "<<"+entries+"/Resources<</Font<</F ", reference(font),
		fmt.Sprintf(">>>>/Length %d>>stream\n%s\nendstream", shown.Len(), shown.String()))
	name := fmt.Sprintf("/HF%d", len(e.forms))
	e.forms[key], e.names[name] = name, string(object)
	return name
}

// finish passes all objects to the document.
func (e *embedded) finish(pdf *fpdf.Fpdf) {
	for n, f := range slices.SortedFunc(maps.Keys(e.fonts), func(a, b *systemFont) int { return strings.Compare(e.fonts[a], e.fonts[b]) }) {
		e.font(reference(e.fonts[f]), f, fmt.Sprintf("HELV%c%c+%s", 'A'+n/26%26, 'A'+n%26, plainName(f.lent.Name)))
	}
	pdf.ImportObjects(e.objects)
	pdf.ImportObjPos(e.places)
	pdf.ImportTemplates(e.names)
}

// font writes the objects of one font.
func (e *embedded) font(key reference, f *systemFont, name string) {
	descendant, descriptor, program, meaning := e.next(), e.next(), e.next(), e.next()
	e.set(key, "<</Type/Font/Subtype/Type0/BaseFont/"+name+"/Encoding/Identity-H/DescendantFonts[", descendant, "]/ToUnicode ", meaning, ">>")
	widths, drawn := make([]string, len(f.used)), make([][]byte, len(f.used))
	for i, c := range f.used {
		widths[i], drawn[i] = fmt.Sprint(c.width), c.drawn
	}
	e.set(descendant,
		"<</Type/Font/Subtype/CIDFontType0/BaseFont/"+name+"/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/FontDescriptor ",
		descriptor,
		"/DW 1000/W[0["+strings.Join(widths, " ")+"]]>>")
	ascent, descent := 880.0, -120.0
	if extents, ok := f.face.FontHExtents(); ok {
		scale := em / float64(f.face.Upem())
		ascent, descent = float64(extents.Ascender)*scale, float64(extents.Descender)*scale
	}
	e.set(descriptor,
		fmt.Sprintf("<</Type/FontDescriptor/FontName/%s/Flags 4/FontBBox[-1000 %.0f 2000 %.0f]/ItalicAngle 0/Ascent %.0f/Descent "+
			"%.0f/CapHeight 700/StemV 80/FontFile3 ",
			name, descent, ascent, ascent, descent), program, ">>")
	e.set(program, streamOf("/Subtype/CIDFontType0C", cffFont(name, drawn)))
	e.set(meaning, streamOf("", meanings(f.used)))
}

// meanings returns the table of the text of each glyph.
func meanings(used []cluster) []byte {
	var w bytes.Buffer
	w.WriteString("/CIDInit/ProcSet findresource begin 12 dict begin begincmap/CIDSystemInfo<</Registry(Adobe)/Ordering(UCS)/Supplement " +
		"0>>def/CMapName/Adobe-Identity-UCS def/CMapType 2 def 1 begincodespacerange<0000><FFFF>endcodespacerange\n")
	const block = 100 // the maximum of the format
	for from := 1; from < len(used); from += block {
		upTo := min(from+block, len(used))
		fmt.Fprintf(&w, "%d beginbfchar\n", upTo-from)
		for i := from; i < upTo; i++ {
			fmt.Fprintf(&w, "<%04X><", i)
			for _, unit := range utf16.Encode([]rune(used[i].text)) {
				fmt.Fprintf(&w, "%04X", unit)
			}
			w.WriteString(">\n")
		}
		w.WriteString("endbfchar\n")
	}
	w.WriteString("endcmap CMapName currentdict/CMap defineresource pop end end") //nolint:dupword // each end is an operator of PostScript
	return w.Bytes()
}

// plainName returns a font's name in the characters that a document allows.
func plainName(name string) string {
	name = strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, name)
	return "F" + name[:min(len(name), 60)]
}
