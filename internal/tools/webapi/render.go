package webapi

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// renderer writes a tree as plain text: paragraphs separated by one blank line, headings,
// lists, quotations, tables and fenced code as in Markdown, links as their text.
type renderer struct {
	surroundings
	w     strings.Builder
	gap   int    // line ends to write before the next word
	space bool   // a space to write before the next word
	first string // begins the next line instead of indent
	total int    // length of all text in the tree
	// headed is the table whose first row was written.
	headed *html.Node
}

// surroundings is the state that the elements around a node set.
type surroundings struct {
	indent string // begins every line
	item   int    // number of the last item of an ordered list, -1 in others
	inMain bool   // within an article, where a header is part of the content
}

// maxIndent keeps lines readable, and the output in proportion to the input.
const maxIndent = 16

// render returns the readable text of the tree below n. inMain is set if n is the main
// content of its page.
func render(n *html.Node, inMain bool) string {
	r := renderer{surroundings: surroundings{item: -1, inMain: inMain}, total: textLength(n)}
	r.node(n)
	return r.w.String()
}

var apart = []atom.Atom{
	atom.Blockquote, atom.Dl, atom.Figure, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Hr, atom.P, atom.Pre, atom.Table,
}

var lines = []atom.Atom{
	atom.Address, atom.Article, atom.Br, atom.Caption, atom.Center, atom.Dd, atom.Details, atom.Div, atom.Dt, atom.Fieldset, atom.Figcaption,
	atom.Form, atom.Header, atom.Legend, atom.Li, atom.Main, atom.Ol, atom.Section, atom.Summary, atom.Tbody, atom.Td, atom.Tfoot,
	atom.Th, atom.Thead,
	atom.Tr, atom.Ul,
}

func (r *renderer) node(n *html.Node) {
	switch {
	case n.Type == html.TextNode:
		r.text(n.Data)
		return
	case n.Type == html.ElementNode && r.isClutter(n):
		return
	}
	r.breakFor(n)
	outer, first := r.surroundings, r.first
	r.enter(n)
	switch n.DataAtom {
	case atom.Pre:
		r.preformatted(n)
	case atom.Tr:
		r.row(n)
	case atom.Img:
		r.text(attribute(n, "alt"))
	default:
		r.children(n)
	}
	if n.DataAtom == atom.Li {
		outer.item = r.item // continues with the next item
	}
	if r.first != "" {
		r.first = first // n wrote nothing, so its marker must not apply to the following text
	}
	r.surroundings = outer
	r.breakFor(n)
}

// enter returns the surroundings for the contents of n.
func (r *renderer) enter(n *html.Node) {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		r.first = cmp.Or(r.first, r.indent) + strings.Repeat("#", int(n.Data[1]-'0')) + " "
	case atom.Ol:
		r.item = 0
	case atom.Ul:
		r.item = -1
	case atom.Li:
		r.beginItem()
	case atom.Blockquote:
		r.deeper("> ")
	case atom.Article, atom.Main:
		r.inMain = true
	default: // other elements change nothing
	}
}

func (r *renderer) children(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		r.node(c)
	}
}

func (r *renderer) breakFor(n *html.Node) {
	switch {
	case slices.Contains(apart, n.DataAtom):
		r.gap = 2
	case slices.Contains(lines, n.DataAtom):
		r.gap = max(r.gap, 1)
	}
}

func (r *renderer) beginItem() {
	marker := "- "
	if r.item >= 0 {
		r.item++
		marker = fmt.Sprintf("%d. ", r.item)
	}
	r.first = r.indent + marker
	r.deeper(strings.Repeat(" ", len(marker))) // Markdown takes less for the end of the item
}

func (r *renderer) deeper(by string) {
	if len(r.indent) < maxIndent {
		r.indent += by
	}
}

// text writes running text, in which any white space is one space.
func (r *renderer) text(s string) {
	for s != "" {
		end := strings.IndexFunc(s, unicode.IsSpace)
		switch {
		case end == 0:
			r.space = true
			s = strings.TrimLeftFunc(s, unicode.IsSpace)
			continue
		case end < 0:
			end = len(s)
		}
		r.write(s[:end])
		s = s[end:]
	}
}

// write writes s after the pending line ends or space.
func (r *renderer) write(s string) {
	switch {
	case r.w.Len() == 0 || r.gap > 0:
		if r.w.Len() > 0 {
			r.w.WriteString("\n\n"[:min(r.gap, 2)])
		}
		r.w.WriteString(cmp.Or(r.first, r.indent))
		r.first = ""
	case r.space:
		r.w.WriteByte(' ')
	}
	r.gap, r.space = 0, false
	r.w.WriteString(s)
}
