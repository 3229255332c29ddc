package webapi

import (
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// clutter lists elements that surround the content on every page of a site, or that are
// controls and not text.
var clutter = []atom.Atom{
	atom.Aside, atom.Button, atom.Datalist, atom.Dialog, atom.Footer, atom.Input, atom.Menu, atom.Nav, atom.Progress, atom.Select,
	atom.Textarea,
}

var clutterRoles = []string{
	"alertdialog", "banner", "complementary", "contentinfo", "dialog", "menu", "menubar", "navigation", "search", "toolbar",
}

func (r *renderer) isClutter(n *html.Node) bool {
	switch {
	case slices.Contains(clutter, n.DataAtom), slices.Contains(clutterRoles, attribute(n, "role")):
		return true
	case n.DataAtom == atom.Header:
		return !r.inMain
	case n.DataAtom == atom.Form:
		// Some sites wrap the whole page in one form.
		return 2*textLength(n) < r.total
	default:
		return false
	}
}

// textLength returns the length of all text below n, in bytes.
func textLength(n *html.Node) int {
	length := 0
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			length += len(d.Data)
		}
	}
	return length
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
