package pdftext

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/helve-dev/helve/internal/lib/textcut"
)

// Limits on the work for a page.
const (
	maxDecoded  = 32 << 20  // bytes of one stream, unpacked
	maxUnpacked = 512 << 20 // bytes of all streams, counted each time they are unpacked
	maxForms    = 8         // forms within forms
	maxTokens   = 20_000_000
)

// stream unpacks a stream; nil if it is not a stream, too large or broken.
func (d *Document) stream(o types.Object) []byte {
	sd, ok := d.resolve(o).(types.StreamDict)
	if !ok || d.unpacked > maxUnpacked {
		return nil
	}
	if err := sd.DecodeWithLimit(maxDecoded); err != nil {
		d.unpacked += maxDecoded // the work of a failed attempt is unknown
		return nil
	}
	d.unpacked += len(sd.Content)
	return sd.Content
}

// Text is the text of pages of a document.
type Text struct {
	// Pages are the texts of the pages that have any, in order, and Numbers the numbers of
	// those pages.
	Pages   []string
	Numbers []int
	// Cut is set if some was omitted because of its size.
	Cut bool
}

// Text returns the text of the pages that are wanted, at most this many bytes.
func (d *Document) Text(ctx context.Context, most int, wanted func(page int) bool) (all *Text, err error) {
	defer func() {
		if p := recover(); p != nil { // a bug of the library that unpacks streams
			all, err = nil, Damaged(fmt.Errorf("panic: %v", p))
		}
	}()
	all = &Text{}
	in := &interpreter{ctx: ctx, doc: d, fonts: map[string]*font{}, left: most, tokens: maxTokens}
	for i, p := range d.pages {
		if !wanted(i + 1) {
			continue
		}
		in.out.Reset()
		in.state = state{ctm: unit}
		in.run(d.contents(p.dict["Contents"]), p.resources, 0)
		in.annotations(p)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if s := strings.TrimSpace(in.out.String()); s != "" {
			all.Pages = append(all.Pages, s)
			all.Numbers = append(all.Numbers, i+1)
			in.left -= 2 // for the separators between the pages
		}
		if in.left <= 0 || in.tokens <= 0 {
			all.Cut = true
			break
		}
	}
	return all, nil
}

// contents joins the streams of a page.
func (d *Document) contents(o types.Object) []byte {
	list, ok := d.resolve(o).(types.Array)
	if !ok {
		return d.stream(o)
	}
	var all bytes.Buffer
	for _, part := range list {
		if all.Write(d.stream(part)); all.Len() > maxDecoded {
			break
		}
		all.WriteByte('\n')
	}
	return all.Bytes()
}

// matrix holds the first two columns of a transformation.
type matrix [6]float64

var unit = matrix{1, 0, 0, 1, 0, 0}

// times returns the transformation that applies m first, then n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3], m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// state is the graphics state that q saves and Q restores, and the text state.
type state struct {
	ctm, line, at  matrix
	font           *font
	size, leading  float64
	charGap, space float64
	stretch        float64
}

// interpreter interprets the drawing operators of pages and keeps only their text.
type interpreter struct {
	ctx   context.Context
	doc   *Document
	fonts map[string]*font
	state state
	saved []state
	out   strings.Builder
	// x, y is the end of the last text, size its height.
	x, y, size float64
	left       int // remaining bytes of text
	tokens     int // remaining bytes of content
}

// run interprets a content stream.
func (in *interpreter) run(data []byte, resources types.Dict, depth int) {
	l := &lexer{data: data}
	var args []any
	for in.left > 0 {
		token, ok := l.next()
		if in.tokens--; !ok || in.tokens <= 0 || in.tokens%4096 == 0 && in.ctx.Err() != nil {
			return
		}
		op, isOperator := token.(operator)
		switch {
		case !isOperator:
			if len(args) < 64 {
				args = append(args, token)
			}
			continue
		case op == "ID": // the bytes of an image follow
			if end := bytes.Index(data[l.at:], []byte("EI")); end >= 0 {
				l.at += end + 2
			}
		case op == "Do" && len(args) > 0 && depth < maxForms:
			in.form(args[0], resources, depth)
		case op == "Tf" && len(args) > 1:
			in.state.font, in.state.size = in.fontNamed(args[0], resources), number(args, 1)
		default:
			in.operate(op, args)
		}
		args = args[:0]
	}
}

// form interprets a form, which is stored for repeated use.
func (in *interpreter) form(named any, resources types.Dict, depth int) {
	n, _ := named.(name)
	o := in.doc.dict(resources["XObject"])[string(n)]
	dict := in.doc.dict(o)
	if in.doc.name(dict["Subtype"]) == "Form" {
		in.draw(o, dict, resources, depth)
	}
}

// draw interprets the content of a form.
func (in *interpreter) draw(o types.Object, dict, resources types.Dict, depth int) {
	if own := in.doc.dict(dict["Resources"]); own != nil {
		resources = own
	}
	before, saved := in.state, in.saved
	in.saved = nil
	if list, ok := in.doc.resolve(dict["Matrix"]).(types.Array); ok && len(list) == len(unit) {
		var m matrix
		for i := range m {
			m[i] = in.doc.number(list[i])
		}
		in.state.ctm = m.times(in.state.ctm)
	}
	in.run(in.doc.stream(o), resources, depth+1)
	in.state, in.saved = before, saved
}

// fontNamed returns a font; each font is parsed only once.
func (in *interpreter) fontNamed(named any, resources types.Dict) *font {
	n, _ := named.(name)
	o := in.doc.dict(resources["Font"])[string(n)]
	dict := in.doc.dict(o)
	ref, ok := o.(types.IndirectRef)
	if !ok {
		return in.doc.newFont(dict)
	}
	f := in.fonts[ref.String()]
	if f == nil {
		f = in.doc.newFont(dict)
		in.fonts[ref.String()] = f
	}
	return f
}

func number(args []any, i int) float64 {
	if i >= len(args) {
		return 0
	}
	v, _ := args[i].(float64)
	return v
}

func matrixOf(args []any) (m matrix) {
	for i := range m {
		m[i] = number(args, i)
	}
	return m
}

// operate interprets an operator that needs no resources.
func (in *interpreter) operate(op operator, args []any) {
	s := &in.state
	switch op {
	case "q":
		if len(in.saved) < 256 {
			in.saved = append(in.saved, *s)
		}
	case "Q":
		if n := len(in.saved); n > 0 {
			*s, in.saved = in.saved[n-1], in.saved[:n-1]
		}
	case "cm":
		s.ctm = matrixOf(args).times(s.ctm)
	case "BT":
		s.line, s.at = unit, unit
	case "Tc":
		s.charGap = number(args, 0)
	case "Tw":
		s.space = number(args, 0)
	case "TL":
		s.leading = number(args, 0)
	case "Tz":
		s.stretch = number(args, 0)/100 - 1
	case "Td":
		in.move(number(args, 0), number(args, 1))
	case "TD":
		s.leading = -number(args, 1)
		in.move(number(args, 0), number(args, 1))
	case "T*":
		in.move(0, -s.leading)
	case "Tm":
		s.line = matrixOf(args)
		s.at = s.line
	case "'", `"`:
		in.move(0, -s.leading)
		in.show(args[max(len(args)-1, 0):])
	case "Tj":
		in.show(args)
	case "TJ":
		if len(args) > 0 {
			list, _ := args[0].([]any)
			in.show(list)
		}
	}
}

func (in *interpreter) move(x, y float64) {
	in.state.line = matrix{1, 0, 0, 1, x, y}.times(in.state.line)
	in.state.at = in.state.line
}

// show shows strings; numbers among them move the position by thousandths of the size.
func (in *interpreter) show(list []any) {
	s := &in.state
	if s.font == nil {
		return
	}
	forward := func(by float64) { s.at = matrix{1, 0, 0, 1, by * (1 + s.stretch), 0}.times(s.at) }
	for _, item := range list {
		switch v := item.(type) {
		case float64:
			forward(-v / 1000 * s.size)
		case text:
			decoded, width := s.font.decode(string(v))
			now := s.at.times(s.ctm)
			in.write(decoded, now[4], now[5], s.size*math.Hypot(now[2], now[3]))
			forward(width/1000*s.size + s.charGap*float64(utf8.RuneCountInString(decoded)) + s.space*float64(strings.Count(decoded, " ")))
			end := s.at.times(s.ctm)
			in.x, in.y = end[4], end[5]
		}
	}
}

// write adds text at a position of the page, after a space or line break if the
// distance from the previous text requires one.
func (in *interpreter) write(s string, x, y, size float64) {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, s)
	if s == "" || in.left <= 0 {
		return
	}
	high := max(in.size, size, 0.1)
	before := in.out.String()
	switch gap := x - in.x; {
	case before == "":
	case math.Abs(y-in.y) > 1.7*high:
		in.keep("\n\n")
	case math.Abs(y-in.y) > 0.5*high || gap < -2*high:
		in.keep("\n")
	case gap > 1.5*high:
		in.keep("   ") // the next column
	case gap > 0.15*high && !strings.HasSuffix(before, " ") && !strings.HasPrefix(s, " "):
		in.keep(" ")
	}
	in.size = size
	in.keep(s)
}

func (in *interpreter) keep(s string) {
	s = strings.ToValidUTF8(s, "")
	if len(s) > in.left {
		s = textcut.Head(s, in.left)
		in.left = 0
	}
	in.left -= len(s)
	in.out.WriteString(s)
}
