package message

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxReadable bounds a readable text, in bytes.
const maxReadable = 400 << 10

// Readable returns the text of HTML: paragraphs apart, items of lists after a dash, the
// addresses of links behind their text. It goes through the tokens one by one, so nesting
// costs nothing.
func Readable(page string) string {
	w := writer{}
	z := html.NewTokenizer(strings.NewReader(page))
	for w.b.Len() < maxReadable {
		switch z.Next() {
		case html.ErrorToken: // the end
			return w.String()
		case html.TextToken:
			if w.mute == 0 {
				w.text(string(z.Text()))
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			w.open(z.Token())
		case html.EndTagToken:
			w.close(z.Token().DataAtom)
		default: // comments and the like
		}
	}
	return w.String()
}

// writer writes a readable text.
type writer struct {
	b     strings.Builder
	gap   int    // line ends before the next word
	space bool   // a space before the next word
	mute  int    // elements around that are not shown
	link  string // address of the link around
	begun int    // where the text of the link begins
}

func (w *writer) String() string { return strings.TrimSpace(w.b.String()) }

// silent reports whether an element's text is not shown.
func silent(a atom.Atom) bool {
	switch a {
	case atom.Head, atom.Style, atom.Script, atom.Title, atom.Template, atom.Noscript, atom.Svg, atom.Object:
		return true
	}
	return false
}

// breaks returns the line ends around an element.
func breaks(a atom.Atom) int {
	switch a {
	case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Blockquote, atom.Table, atom.Ul, atom.Ol, atom.Pre, atom.Hr:
		return 2
	case atom.Br, atom.Div, atom.Tr, atom.Li, atom.Dt, atom.Dd, atom.Section, atom.Article, atom.Header, atom.Footer, atom.Body, atom.Caption:
		return 1
	}
	return 0
}

func (w *writer) open(t html.Token) {
	if silent(t.DataAtom) {
		if t.Type == html.StartTagToken {
			w.mute++
		}
		return
	}
	if w.mute > 0 {
		if t.DataAtom != atom.Body {
			return
		}
		w.mute = 0 // a head that was not closed
	}
	w.gap = max(w.gap, breaks(t.DataAtom))
	switch t.DataAtom {
	case atom.Li:
		w.text("- ")
		w.space = true
	case atom.Td, atom.Th:
		w.space = true
	case atom.Img:
		w.text(attribute(t, "alt"))
	case atom.A:
		w.link, w.begun = attribute(t, "href"), w.b.Len()
	}
}

func (w *writer) close(a atom.Atom) {
	if silent(a) {
		w.mute = max(0, w.mute-1)
		return
	}
	if w.mute > 0 {
		return
	}
	if a == atom.A {
		w.closeLink()
	}
	w.gap = max(w.gap, breaks(a))
}

// closeLink writes the address of a link, unless it is the text.
func (w *writer) closeLink() {
	const longest = 300
	to := strings.TrimSpace(w.link)
	w.link = ""
	shown := strings.TrimSpace(w.b.String()[min(w.begun, w.b.Len()):])
	web := strings.HasPrefix(to, "http://") || strings.HasPrefix(to, "https://") || strings.HasPrefix(to, "mailto:")
	if !web || len(to) > longest || shown == "" || shown == to || "mailto:"+shown == to {
		return
	}
	w.space = true
	w.text("(" + to + ")")
}

// text writes running text, in which any white space is one space.
func (w *writer) text(s string) {
	for word := range strings.FieldsFuncSeq(s, unicode.IsSpace) {
		if first, _ := firstRune(s); unicode.IsSpace(first) {
			w.space = true
		}
		if w.b.Len() > maxReadable {
			return
		}
		w.word(word)
		s = s[strings.Index(s, word)+len(word):]
	}
	w.space = w.space || s != ""
}

func firstRune(s string) (rune, bool) {
	for _, r := range s {
		return r, true
	}
	return 0, false
}

func (w *writer) word(word string) {
	switch {
	case w.b.Len() == 0:
	case w.gap > 0:
		w.b.WriteString("\n\n"[:min(w.gap, 2)])
	case w.space:
		w.b.WriteByte(' ')
	}
	w.gap, w.space = 0, false
	w.b.WriteString(strings.ToValidUTF8(strings.ReplaceAll(word, "\x00", ""), "�"))
}

func attribute(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
