package pdf

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/helve-dev/helve/tool"
)

// maxColumns is the number of columns that are readable on a page.
const maxColumns = 40

// padding is the space around the contents of a cell, in points.
const padding = 3

// row is a row of a table to render.
type row struct {
	cells []string
	head  bool
}

// rowsOf returns the rows of a table, without those of nested tables.
func rowsOf(n *html.Node) (rows []row, columns int) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.DataAtom {
		case atom.Thead, atom.Tbody, atom.Tfoot:
			more, most := rowsOf(c)
			rows, columns = append(rows, more...), max(columns, most)
		case atom.Tr:
			r := row{head: true}
			for cell := c.FirstChild; cell != nil; cell = cell.NextSibling {
				if cell.DataAtom == atom.Td || cell.DataAtom == atom.Th {
					r.head = r.head && cell.DataAtom == atom.Th
					r.cells = append(r.cells, strings.Join(strings.Fields(content(cell)), " "))
				}
			}
			rows, columns = append(rows, r), max(columns, len(r.cells))
		default: // a caption, which comes first, or white space
		}
	}
	return rows, columns
}

// table renders a table over the width of the page.
func (w *writer) table(n *html.Node) error {
	rows, columns := rowsOf(n)
	switch {
	case columns == 0:
		return w.children(n)
	case columns > maxColumns:
		return tool.Fail(tool.ValidationError, "A table has %d columns; a page has room for %d.", columns, maxColumns)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Caption {
			if err := w.node(c); err != nil {
				return err
			}
		}
	}
	before := w.style
	w.newLine()
	s := style{size: bodySize * 0.9}
	if columns > 8 {
		s.size = bodySize * 0.6
	}
	w.look(s)
	for i := range rows {
		for j, cell := range rows[i].cells {
			rows[i].cells[j] = w.glyphs.legible(cell)
			s.wide = s.wide || w.glyphs.needsWide(rows[i].cells[j])
		}
	}
	w.look(s)
	widths := w.widths(rows, columns)
	for _, r := range rows {
		if err := w.alive(); err != nil {
			return err
		}
		s.bold = r.head
		w.look(s)
		w.row(r, widths)
	}
	w.look(before)
	w.pdf.SetX(w.left)
	w.air(bodySize * 0.6)
	return nil
}

// widths divides the page among columns according to their contents.
func (w *writer) widths(rows []row, columns int) []float64 {
	page, _ := w.pdf.GetPageSize()
	all := page - w.paper.right - w.left
	least := min(30, all/float64(columns))
	widths := make([]float64, columns)
	var sum float64
	for c := range widths {
		widths[c] = least
		for _, r := range rows {
			if c < len(r.cells) {
				long := r.cells[c]
				long = long[:min(len(long), 400)] // beyond that a cell has many lines anyway
				widths[c] = max(widths[c], min(w.width(strings.ToValidUTF8(long, ""))*1.1+2*padding, all/2))
			}
		}
		sum += widths[c]
	}
	for c := range widths {
		widths[c] *= all / sum
	}
	return widths
}

// row renders a row, on several pages if necessary.
func (w *writer) row(r row, widths []float64) {
	lines := make([][]string, len(widths))
	most := 1
	for c, cell := range r.cells {
		lines[c] = w.lines(cell, widths[c]-2*padding)
		most = max(most, len(lines[c]))
	}
	_, page := w.pdf.GetPageSize()
	high := w.lineHeight()
	w.pdf.SetDrawColor(150, 150, 150)
	for done := 0; done < most; {
		fits := int((page - w.paper.bottom - w.pdf.GetY() - 2*padding) / high)
		if fits < 1 || done == 0 && fits < most && float64(most)*high < (page-w.paper.top-w.paper.bottom)/3 {
			w.pdf.AddPage()
			fits = max(int((page-w.paper.bottom-w.pdf.GetY()-2*padding)/high), 1)
		}
		upTo := min(done+fits, most)
		x, y := w.left, w.pdf.GetY()
		box := float64(upTo-done)*high + 2*padding
		for c, width := range widths {
			w.pdf.Rect(x, y, width, box, "D")
			for i := done; i < min(upTo, len(lines[c])); i++ {
				w.pdf.SetXY(x+padding, y+padding+float64(i-done)*high)
				right := beginsRight(r.cells[c])
				if w.glyphs.needsSystem(lines[c][i]) {
					if right {
						w.pdf.SetX(x + width - padding - w.width(lines[c][i]))
					}
					w.set(lines[c][i], right)
					continue
				}
				text := visual(lines[c][i], right)
				w.pdf.CellFormat(width-2*padding, high, text, "", 0, map[bool]string{false: "L", true: "R"}[right], false, 0, "")
			}
			x += width
		}
		// SetY would start the line at the page's own margin.
		w.pdf.SetXY(w.left, y+box)
		done = upTo
	}
}

// lines breaks a cell into lines. The last line of a piece is incomplete, so it begins
// the next piece.
func (w *writer) lines(cell string, width float64) []string {
	if w.glyphs.needsSystem(cell) {
		return w.broken(cell, max(width, 8))
	}
	var all []string
	for cell != "" {
		now, rest := cell, ""
		if n := cutAt(cell, piece); n < len(cell) {
			now, rest = cell[:n], cell[n:]
		}
		broken := w.pdf.SplitText(now, max(width, 8))
		if final := len(broken) - 1; rest != "" && final > 0 {
			rest, broken = broken[final]+rest, broken[:final]
		}
		all = append(all, broken...)
		cell = rest
	}
	return all
}

// cutAt returns where to cut s so that at most the given number of bytes come before:
// at a space, otherwise between two characters.
func cutAt(s string, most int) int {
	if len(s) <= most {
		return len(s)
	}
	if i := strings.LastIndexByte(s[:most], ' '); i > 0 {
		return i
	}
	for most > 0 && s[most]&0xc0 == 0x80 {
		most--
	}
	return most
}
