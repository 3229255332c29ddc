package webapi

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// row writes the cells of a table's row on one line, unless they contain blocks: then
// the table is only layout, and the cells follow one another.
func (r *renderer) row(n *html.Node) {
	if holdsBlocks(n) {
		r.children(n)
		return
	}
	var cells []string
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Td || c.DataAtom == atom.Th {
			cell := renderer{surroundings: surroundings{item: -1, inMain: r.inMain}, total: r.total}
			cell.children(c)
			cells = append(cells, strings.Join(strings.Fields(cell.w.String()), " "))
		}
	}
	if strings.Join(cells, "") != "" {
		r.write(strings.TrimRight(strings.Join(cells, " | "), " "))
	}
}

func holdsBlocks(row *html.Node) bool {
	for n := range row.Descendants() {
		block := slices.Contains(apart, n.DataAtom) || n.DataAtom == atom.Ul || n.DataAtom == atom.Ol
		if block && !soleParagraph(n) {
			return true
		}
	}
	return false
}

// soleParagraph reports whether n is a paragraph that is all of its cell.
func soleParagraph(n *html.Node) bool {
	return n.DataAtom == atom.P && n.PrevSibling == nil && n.NextSibling == nil
}

// preformatted writes text line by line unchanged, except that it shortens runs of
// blank lines.
func (r *renderer) preformatted(n *html.Node) {
	var text strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			text.WriteString(d.Data)
		} else if d.DataAtom == atom.Br {
			text.WriteByte('\n')
		}
	}
	for line := range strings.Lines(text.String()) {
		if line = strings.TrimRight(line, " \t\r\n"); line != "" {
			r.write(line)
		}
		r.gap++
	}
}
