package webapi

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"

	"codeberg.org/readeck/go-readability"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits on the work for one page.
const (
	maxTags = 200_000
	// maxWeight limits the sum of the depths of all nodes for the search for the main
	// content, which walks the tree repeatedly.
	maxWeight = 2_000_000
	maxTitle  = 300
)

// parsing limits the number of pages that are parsed concurrently: trees are many times
// the size of their pages, and more of them than processors would only cost memory.
var parsing = make(chan struct{}, runtime.GOMAXPROCS(0))

// beginParsing waits until a page may be parsed; the caller calls done.
func beginParsing(ctx context.Context) (done func(), err error) {
	select {
	case parsing <- struct{}{}:
		return func() { <-parsing }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// makeReadable replaces the markup in p by its readable text.
func (p *page) makeReadable(ctx context.Context, resp *http.Response) error {
	done, err := beginParsing(ctx)
	if err != nil {
		return err
	}
	defer done()
	base := &url.URL{}
	if resp.Request != nil {
		base = resp.Request.URL
	}
	text, ok := readable(p.text, base)
	p.text = text
	switch {
	case !ok:
		p.empty = "(the page is too large or too deeply nested to be turned into text; ask again with format raw)"
	case text == "":
		p.empty = "(the page holds no readable text; ask again with format raw to see its HTML)"
	}
	return nil
}

// readable returns the title and the text of an HTML page, or only the main content if
// it can be found. It fails for pages above the limits.
func readable(page string, base *url.URL) (string, bool) {
	doc, _, ok := parseHTML(page)
	if !ok {
		return "", false
	}
	return readableText(doc, base), true
}

// parseHTML parses a page within the limits, and returns the language that its html tag
// declares.
func parseHTML(page string) (doc *html.Node, language string, ok bool) {
	tamed, tags := tame(page)
	if tags > maxTags {
		return nil, "", false
	}
	doc, err := html.Parse(bytes.NewReader(tamed))
	if err != nil {
		return nil, "", false
	}
	for n := range doc.Descendants() {
		if n.Data == tamedPrefix+"html" {
			language = attribute(n, "lang")
			break
		}
	}
	restore(doc)
	return doc, language, true
}

// readableText returns the title and text of a tree, which it changes.
func readableText(doc *html.Node, base *url.URL) string {
	title := takeTitle(doc)
	prune(doc)
	text := mainContent(doc, base)
	if text == "" {
		text = render(doc, false)
	}
	return untamed(titled(title, text))
}

// untamed restores the names of tags that occur in text, as in a title about HTML.
func untamed(text string) string { return strings.ReplaceAll(text, tamedPrefix, "") }

// mainContent finds the article in a page that appears to have one.
func mainContent(doc *html.Node, base *url.URL) string {
	if weight(doc, 0, 0) > maxWeight || !readability.CheckDocument(doc) {
		return ""
	}
	parser := readability.NewParser()
	parser.DisableJSONLD = true
	article, err := parser.ParseDocument(doc, base)
	if err != nil || article.Node == nil {
		return ""
	}
	return render(article.Node, true)
}

func weight(n *html.Node, depth, sum int) int {
	sum += depth
	for c := n.FirstChild; c != nil && sum <= maxWeight; c = c.NextSibling {
		sum = weight(c, depth+1, sum)
	}
	return sum
}

// takeTitle returns the text of the first title element outside pictures.
func takeTitle(doc *html.Node) string {
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Title && n.Namespace == "" && n.FirstChild != nil {
			title := []rune(strings.Join(strings.Fields(n.FirstChild.Data), " "))
			return string(title[:min(len(title), maxTitle)])
		}
	}
	return ""
}

// prune removes elements without text for people, before any work is spent on them.
func prune(doc *html.Node) {
	var out []*html.Node
	for n := range doc.Descendants() {
		if n.Type == html.CommentNode || isHidden(n) {
			out = append(out, n)
		}
	}
	for _, n := range out {
		n.Parent.RemoveChild(n)
	}
}

var silent = []atom.Atom{
	atom.Audio, atom.Canvas, atom.Embed, atom.Iframe, atom.Link, atom.Map, atom.Meta, atom.Noembed, atom.Noframes, atom.Noscript,
	atom.Object, atom.Script, atom.Style, atom.Svg, atom.Template, atom.Title, atom.Video,
}

func isHidden(n *html.Node) bool {
	if n.Type != html.ElementNode {
		return false
	}
	if slices.Contains(silent, n.DataAtom) {
		return true
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return true
		case "aria-hidden":
			if strings.EqualFold(a.Val, "true") {
				return true
			}
		case "style":
			style := strings.ToLower(strings.Join(strings.Fields(a.Val), ""))
			if strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden") {
				return true
			}
		}
	}
	return false
}

// titled puts the title before text unless text begins with it.
func titled(title, text string) string {
	first, _, _ := strings.Cut(text, "\n")
	if title == "" || strings.TrimLeft(first, "# ") == title {
		return text
	}
	return strings.TrimSpace("# " + title + "\n\n" + text)
}
