package webapi

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// row writes the cells of a table's row on one line, as Markdown does, unless they contain
// blocks: then the table is only layout, and the cells follow one another.
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
			cells = append(cells, strings.ReplaceAll(strings.Join(strings.Fields(cell.w.String()), " "), "|", `\|`))
			cells = append(cells, make([]string, spanned(c))...)
		}
	}
	switch {
	case strings.Join(cells, "") == "":
		return
	case len(cells) == 1:
		r.write(strings.ReplaceAll(cells[0], `\|`, "|"))
		return
	}
	r.write("| " + strings.Join(cells, " | ") + " |")
	if table := tableOf(n); table != r.headed { // after its first row Markdown wants a line of dashes
		r.headed, r.gap = table, 1
		r.write("|" + strings.Repeat(" --- |", len(cells)))
	}
}

// maxSpan bounds the columns that a cell takes.
const maxSpan = 64

// spanned returns how many columns a cell takes beside its own; they are empty in Markdown.
func spanned(cell *html.Node) int {
	n, err := strconv.Atoi(strings.TrimSpace(attribute(cell, "colspan")))
	if err != nil {
		return 0
	}
	return min(max(n, 1), maxSpan) - 1
}

// tableOf returns the table of a row, nil if it is in none.
func tableOf(row *html.Node) *html.Node {
	table := row.Parent
	for table != nil && table.DataAtom != atom.Table {
		table = table.Parent
	}
	return table
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

// preformatted writes text line by line unchanged between fences, except that it shortens
// runs of blank lines. Every line has the indent of the list or quotation around it, because
// Markdown ends the block at a line without.
func (r *renderer) preformatted(n *html.Node) {
	var text strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			text.WriteString(d.Data)
		} else if d.DataAtom == atom.Br {
			text.WriteByte('\n')
		}
	}
	code := strings.TrimRight(text.String(), " \t\r\n")
	if code == "" {
		return
	}
	fence := fenceOf(code)
	r.write(fence + languageOfCode(n))
	begun, blank := false, false
	for line := range strings.Lines(code) {
		if line = strings.TrimRight(line, " \t\r\n"); line == "" {
			blank = begun
			continue
		}
		if blank {
			r.w.WriteString("\n" + strings.TrimRight(r.indent, " "))
		}
		begun, blank = true, false
		r.w.WriteString("\n" + r.indent + line)
	}
	r.w.WriteString("\n" + r.indent + fence)
}

// fenceOf returns a fence that is longer than any run of its characters in the code.
func fenceOf(code string) string {
	fence := "```"
	for strings.Contains(code, fence) {
		fence += strings.Repeat("`", len(fence)) // doubled, so that code of nothing else costs little
	}
	return fence
}

// codeLanguage is the class by which HTML names the language of code.
var codeLanguage = regexp.MustCompile(`(?:^|\s)lang(?:uage)?-([\w+#.-]{1,30})(?:\s|$)`)

// languageOfCode returns the language that a block of code, or the code in it, declares.
func languageOfCode(pre *html.Node) string {
	name := codeLanguage.FindStringSubmatch(attribute(pre, "class"))
	for d := range pre.Descendants() {
		if name == nil && d.DataAtom == atom.Code {
			name = codeLanguage.FindStringSubmatch(attribute(d, "class"))
		}
	}
	if name == nil {
		return ""
	}
	return name[1]
}
