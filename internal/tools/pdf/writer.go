package pdf

import (
	"bytes"
	"context"
	"strings"

	"codeberg.org/go-pdf/fpdf"
	"github.com/go-fonts/dejavu/dejavusans"
	"github.com/go-fonts/dejavu/dejavusansbold"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	markdown "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gobolditalic"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/net/html"

	"github.com/helve-dev/helve/tool"
)

const (
	prose = "go"
	mono  = "gomono"
	wide  = "dejavu" // for characters that the others lack

	bodySize   = 11   // of letters, in points
	lineFactor = 1.35 // height of a line for the size of its letters

	// maxWritten is the maximum number of pages of a created document.
	maxWritten = 5000
)

// writer renders a document.
type writer struct {
	ctx      context.Context
	pdf      *fpdf.Fpdf
	paper    layout
	glyphs   *coverage
	embedded *embedded

	style   style
	hasWide bool    // the document has the font for the other scripts
	left    float64 // the left edge of lines
	space   bool    // a space precedes the next word
}

// style is the style of letters.
type style struct {
	size         float64
	bold, italic bool
	mono, grey   bool
	wide         bool
	link         string
}

// newWriter starts a document of content, with the built-in fonts and those of the
// machine.
func newWriter(ctx context.Context, l layout, machine tool.Fonts, content string) (*writer, error) {
	glyphs, err := newCoverage(machine, content)
	if err != nil {
		return nil, err
	}
	pdf := fpdf.New("P", "pt", l.size, "")
	pdf.SetMargins(l.left, l.top, l.right)
	pdf.SetAutoPageBreak(true, l.bottom)
	pdf.SetCellMargin(0)
	for _, f := range []struct {
		family, style string
		data          []byte
	}{
		{prose, "", goregular.TTF}, {prose, "B", gobold.TTF}, {prose, "I", goitalic.TTF}, {prose, "BI", gobolditalic.TTF},
		{mono, "", gomono.TTF}, {mono, "B", gomonobold.TTF},
	} {
		pdf.AddUTF8FontFromBytes(f.family, f.style, f.data)
	}
	pdf.AddPage()
	w := &writer{ctx: ctx, pdf: pdf, paper: l, glyphs: glyphs, embedded: newEmbedded(), left: l.left, style: style{size: bodySize}}
	w.look(w.style)
	return w, pdf.Error()
}

// compose renders content in a format.
func (w *writer) compose(format, content string) error {
	switch format {
	case "markdown":
		var page bytes.Buffer
		// HTML in it is rendered like any other HTML, so it is not removed.
		md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(markdown.WithUnsafe()))
		if err := md.Convert([]byte(content), &page); err != nil {
			return tool.Fail(tool.ValidationError, "The Markdown could not be understood; simplify it.").Because(err)
		}
		return w.page(page.String())
	case "html":
		return w.page(content)
	default:
		return w.plain(content)
	}
}

// page renders HTML.
func (w *writer) page(source string) error {
	root, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return tool.Fail(tool.ValidationError,
			"The HTML could not be understood, perhaps because it is nested too deeply; simplify it.").Because(err)
	}
	return w.node(root)
}

// plain renders text line by line.
func (w *writer) plain(content string) error {
	content = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\f", "\n", "\t", "    ").Replace(content)
	for line := range strings.SplitSeq(content, "\n") {
		if err := w.alive(); err != nil {
			return err
		}
		w.write(line)
		w.pdf.Ln(w.lineHeight())
	}
	return nil
}

// alive ends the work when the call ends, and when the document becomes too large.
func (w *writer) alive() error {
	if w.pdf.PageCount() > maxWritten {
		return tool.Fail(tool.ValidationError, "The document would have more than %d pages; make it shorter.", maxWritten)
	}
	if err := w.pdf.Error(); err != nil {
		return tool.Fail(tool.ExecutionError, "The PDF could not be made of this content; simplify it.").Because(err)
	}
	return w.ctx.Err()
}

func (w *writer) lineHeight() float64 { return w.style.size * lineFactor }

// look sets the style of the following letters.
func (w *writer) look(s style) {
	w.style = s
	family, mark := prose, ""
	if s.mono {
		family = mono
	}
	if s.bold {
		mark = "B"
	}
	if s.italic && !s.mono && !s.wide { // these fonts have no italic variant
		mark += "I"
	}
	if s.wide {
		family = wide
		w.addWide()
	}
	w.pdf.SetFont(family, mark, s.size)
	w.pdf.SetTextColor(s.colour())
}

// colour returns the red, green and blue of letters.
func (s style) colour() (r, g, b int) {
	switch {
	case s.link != "":
		return 0, 0, 180
	case s.grey:
		return 90, 90, 90
	}
	return 0, 0, 0
}

// piece is the amount of text set at a time: fpdf takes quadratic time.
const piece = 300

// write adds text to the current line and continues in the next line when it is full.
func (w *writer) write(s string) {
	s = w.glyphs.legible(s)
	if w.glyphs.needsWide(s) && !w.style.wide {
		before := w.style
		now := before
		now.wide = true
		w.look(now)
		defer w.look(before)
	}
	if rightToLeft(s) || w.glyphs.needsSystem(s) {
		w.writeLines(s)
		return
	}
	for s != "" {
		n := cutAt(s, piece)
		if w.style.link != "" {
			w.pdf.WriteLinkString(w.lineHeight(), s[:n], w.style.link)
		} else {
			w.pdf.Write(w.lineHeight(), s[:n])
		}
		s = s[n:]
	}
}

// addWide adds the font for the other scripts to the document.
func (w *writer) addWide() {
	if !w.hasWide {
		w.hasWide = true
		w.pdf.AddUTF8FontFromBytes(wide, "", dejavusans.TTF)
		w.pdf.AddUTF8FontFromBytes(wide, "B", dejavusansbold.TTF)
	}
}

// writeLines is write for text that is partly right-to-left or needs a font of the
// machine. It breaks lines in reading order and draws each in visual order. A full line
// of a right-to-left text starts at the right edge.
func (w *writer) writeLines(s string) {
	page, _ := w.pdf.GetPageSize()
	line, used, right := "", 0.0, beginsRight(s)
	set := func() {
		if right && w.pdf.GetX() <= w.left+0.1 {
			w.pdf.SetX(max(w.left, page-w.paper.right-w.width(line)))
		}
		w.set(line, right)
		line, used = "", 0
	}
	words, all := pieces, page-w.paper.right-w.left
	if w.glyphs.needsSystem(s) {
		words = units
	}
	for _, word := range words(s) {
		for word != "" {
			if used+w.width(strings.TrimSuffix(word, " ")) <= page-w.paper.right-w.pdf.GetX() {
				line, used = line+word, used+w.width(word)
				break
			}
			if w.width(word) > all { // no line is long enough
				n := w.fitting(word, page-w.paper.right-w.pdf.GetX()-used, line == "" && w.pdf.GetX() <= w.left+0.1)
				line, word = line+word[:n], word[n:]
			}
			line = strings.TrimSuffix(line, " ")
			set()
			w.pdf.Ln(w.lineHeight())
			w.pdf.SetX(w.left)
		}
	}
	set()
}

// pieces splits text after its spaces, and splits words that are too long to be
// measured repeatedly.
func pieces(s string) (all []string) {
	for _, word := range strings.SplitAfter(s, " ") {
		for word != "" {
			n := cutAt(word, piece)
			all, word = append(all, word[:n]), word[n:]
		}
	}
	return all
}

// newLine ends the line if it is not empty.
func (w *writer) newLine() {
	if w.pdf.GetX() > w.left+0.1 {
		w.pdf.Ln(w.lineHeight())
	}
	w.pdf.SetX(w.left)
	w.space = false
}

// air adds space between blocks, but not at the top of a page.
func (w *writer) air(points float64) {
	if w.pdf.GetY() > w.paper.top+0.1 {
		w.pdf.Ln(points)
		w.pdf.SetX(w.left)
	}
}

// indent moves the left edge of lines, as far as there is room.
func (w *writer) indent(points float64) (undo func()) {
	const least = 100
	before := w.left
	if width, _ := w.pdf.GetPageSize(); width-w.paper.right-w.left-points > least {
		w.left += points
	}
	w.pdf.SetLeftMargin(w.left)
	w.pdf.SetX(w.left)
	return func() {
		w.left = before
		w.pdf.SetLeftMargin(before)
		w.pdf.SetX(before)
	}
}
