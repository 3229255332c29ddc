package pdf

import (
	"bytes"
	"context"
	"strings"

	"codeberg.org/go-pdf/fpdf"
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

	bodySize   = 11   // of letters, in points
	lineFactor = 1.35 // height of a line for the size of its letters

	// maxWritten is the most pages a document is made of.
	maxWritten = 5000
)

// writer sets a document.
type writer struct {
	ctx    context.Context //nolint:containedctx // it lives as long as one call
	pdf    *fpdf.Fpdf
	paper  layout
	glyphs *coverage

	style style
	left  float64 // where lines begin
	space bool    // a space is due before the next word
}

// style is how letters look.
type style struct {
	size         float64
	bold, italic bool
	mono, grey   bool
	link         string
}

func newWriter(ctx context.Context, l layout) (*writer, error) {
	glyphs, err := newCoverage()
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
	w := &writer{ctx: ctx, pdf: pdf, paper: l, glyphs: glyphs, left: l.left, style: style{size: bodySize}}
	w.look(w.style)
	return w, pdf.Error()
}

// compose sets content of a format.
func (w *writer) compose(format, content string) error {
	switch format {
	case "markdown":
		var page bytes.Buffer
		// What HTML there is in it is set like any other, so it need not be taken out.
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

// page sets HTML.
func (w *writer) page(source string) error {
	root, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return tool.Fail(tool.ValidationError, "The HTML could not be understood, perhaps because it is nested too deeply; simplify it.").Because(err)
	}
	return w.node(root)
}

// plain sets text line by line as it stands.
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

// alive ends the work with the call, and when the document grows past all use.
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

// look changes how letters look from here on.
func (w *writer) look(s style) {
	w.style = s
	family, mark := prose, ""
	if s.mono {
		family = mono
	}
	if s.bold {
		mark = "B"
	}
	if s.italic && !s.mono { // there is no slanted one of that font
		mark += "I"
	}
	w.pdf.SetFont(family, mark, s.size)
	switch {
	case s.link != "":
		w.pdf.SetTextColor(0, 0, 180)
	case s.grey:
		w.pdf.SetTextColor(90, 90, 90)
	default:
		w.pdf.SetTextColor(0, 0, 0)
	}
}

// piece is how much is set at a time: fpdf takes time by the square of it.
const piece = 300

// write sets text where the line is, and goes on in the next line where it is full.
func (w *writer) write(s string) {
	for s = w.glyphs.legible(s); s != ""; {
		n := cutAt(s, piece)
		if w.style.link != "" {
			w.pdf.WriteLinkString(w.lineHeight(), s[:n], w.style.link)
		} else {
			w.pdf.Write(w.lineHeight(), s[:n])
		}
		s = s[n:]
	}
}

// newLine ends the line if anything is in it.
func (w *writer) newLine() {
	if w.pdf.GetX() > w.left+0.1 {
		w.pdf.Ln(w.lineHeight())
	}
	w.pdf.SetX(w.left)
	w.space = false
}

// air leaves room between blocks, but not at the top of a page.
func (w *writer) air(points float64) {
	if w.pdf.GetY() > w.paper.top+0.1 {
		w.pdf.Ln(points)
		w.pdf.SetX(w.left)
	}
}

// indent moves the beginning of lines, as far as there is room.
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
