package pdf

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// headings holds the font sizes of h1 to h6, relative to the text.
var headings = map[atom.Atom]float64{atom.H1: 1.9, atom.H2: 1.5, atom.H3: 1.25, atom.H4: 1.1, atom.H5: 1, atom.H6: 0.9}

// node renders a part of a page.
func (w *writer) node(n *html.Node) error {
	switch n.Type {
	case html.TextNode:
		w.words(n.Data)
		return nil
	case html.ElementNode:
		return w.element(n)
	default:
		return w.children(n)
	}
}

func (w *writer) children(n *html.Node) error {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if err := w.node(c); err != nil {
			return err
		}
	}
	return nil
}

// words renders running text, in which any white space is one space.
func (w *writer) words(s string) {
	if s == "" {
		return
	}
	blank := func(b byte) bool { return strings.IndexByte(" \t\n\r\f", b) >= 0 }
	w.space = w.space || blank(s[0])
	text := strings.Join(strings.Fields(s), " ")
	if text == "" {
		return
	}
	if w.space && w.pdf.GetX() > w.left+0.1 {
		text = " " + text
	}
	w.write(text)
	w.space = blank(s[len(s)-1])
}

func (w *writer) element(n *html.Node) error {
	if err := w.alive(); err != nil {
		return err
	}
	now := w.style
	switch n.DataAtom {
	case atom.Head, atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Iframe, atom.Svg, atom.Math, atom.Object,
		atom.Audio, atom.Video:
		return nil
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		now.size, now.bold = bodySize*headings[n.DataAtom], true
		return w.block(n, now, now.size*0.8, now.size*0.4)
	case atom.Br:
		w.pdf.Ln(w.lineHeight())
		w.pdf.SetX(w.left)
		w.space = false
		return nil
	case atom.Hr:
		w.rule()
		return nil
	case atom.Img:
		w.words(" [" + strings.TrimSpace("image "+attribute(n, "alt")) + "] ")
		return nil
	case atom.Input:
		w.words(map[bool]string{true: "[x] ", false: "[ ] "}[has(n, "checked")])
		return nil
	case atom.Pre:
		return w.code(n)
	case atom.Ul, atom.Ol, atom.Menu:
		return w.list(n)
	case atom.Blockquote, atom.Dd:
		now.grey = n.DataAtom == atom.Blockquote
		w.newLine()
		undo := w.indent(18)
		defer undo()
		return w.block(n, now, 0, 0)
	case atom.Table:
		return w.table(n)
	case atom.P, atom.Figure, atom.Dl:
		return w.block(n, now, 0, bodySize*0.6)
	case atom.Div, atom.Section, atom.Article, atom.Header, atom.Footer, atom.Main, atom.Nav, atom.Aside, atom.Address, atom.Figcaption,
		atom.Li, atom.Form, atom.Fieldset, atom.Details, atom.Summary,
		atom.Caption, atom.Dt, atom.Body, atom.Html, atom.Center, atom.Hgroup, atom.Option, atom.Tr, atom.Legend:
		return w.block(n, inline(n, now), 0, 0)
	default:
		w.look(inline(n, now))
		err := w.children(n)
		w.look(now)
		return err
	}
}

// inline returns the style of an element within a line.
func inline(n *html.Node, now style) style {
	switch n.DataAtom {
	case atom.B, atom.Strong, atom.Th, atom.Dt, atom.Caption:
		now.bold = true
	case atom.I, atom.Em, atom.Cite, atom.Var, atom.Dfn:
		now.italic = true
	case atom.Code, atom.Kbd, atom.Samp, atom.Tt:
		now.mono = true
	case atom.Small, atom.Sub, atom.Sup:
		now.size = max(now.size*0.8, bodySize*0.6)
	case atom.A:
		now.link = address(attribute(n, "href"))
	default: // other elements do not change the style
	}
	return now
}

// block renders an element that begins and ends a line.
func (w *writer) block(n *html.Node, s style, above, below float64) error {
	before := w.style
	w.newLine()
	w.air(above)
	w.look(s)
	err := w.children(n)
	w.newLine()
	w.look(before)
	w.air(below)
	return err
}

func (w *writer) rule() {
	w.newLine()
	w.air(4)
	width, _ := w.pdf.GetPageSize()
	y := w.pdf.GetY()
	w.pdf.SetDrawColor(150, 150, 150)
	w.pdf.Line(w.left, y, width-w.paper.right, y)
	w.air(6)
}

// code renders preformatted text.
func (w *writer) code(n *html.Node) error {
	before := w.style
	w.newLine()
	w.air(2)
	undo := w.indent(9)
	w.look(style{size: bodySize * 0.9, mono: true})
	err := w.plain(strings.TrimSuffix(content(n), "\n"))
	undo()
	w.look(before)
	w.air(bodySize * 0.6)
	return err
}

// list renders the items of a list with their marks.
func (w *writer) list(n *html.Node) error {
	w.newLine()
	undo := w.indent(18)
	number, err := strconv.Atoi(attribute(n, "start"))
	if err != nil {
		number = 1
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && c.DataAtom == atom.Li {
			mark := "•"
			if n.DataAtom == atom.Ol {
				mark = strconv.Itoa(number) + "."
				number++
			}
			w.mark(mark)
		}
		if err := w.node(c); err != nil {
			return err
		}
	}
	undo()
	w.newLine()
	if w.left < w.paper.left+1 {
		w.air(bodySize * 0.6)
	}
	return nil
}

// mark renders the mark of an item, left of the text.
func (w *writer) mark(s string) {
	w.newLine()
	if _, height := w.pdf.GetPageSize(); w.pdf.GetY()+w.lineHeight() > height-w.paper.bottom {
		w.pdf.AddPage() // otherwise the item would break the page and leave its mark behind
	}
	w.pdf.SetX(max(w.left-4-w.pdf.GetStringWidth(s), w.paper.left))
	w.pdf.CellFormat(w.pdf.GetStringWidth(s), w.lineHeight(), s, "", 0, "R", false, 0, "")
	w.pdf.SetX(w.left)
}

// address returns a link if it leads outside the document.
func address(href string) string {
	for _, scheme := range []string{"http://", "https://", "mailto:"} {
		if strings.HasPrefix(strings.ToLower(href), scheme) {
			return href
		}
	}
	return ""
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, key string) bool {
	for _, a := range n.Attr {
		if a.Key == key {
			return true
		}
	}
	return false
}

// content returns the text of a node and its descendants.
func content(n *html.Node) string {
	var w strings.Builder
	for d := range n.Descendants() {
		switch {
		case d.Type == html.TextNode:
			w.WriteString(d.Data)
		case d.DataAtom == atom.Br:
			w.WriteByte('\n')
		}
	}
	return w.String()
}
