package webapi

import (
	"bytes"
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The HTML parser follows the standard, which allows a small page to grow without
// limit: an unclosed formatting element (b, i, a, …) is opened again in every later
// paragraph, so 12 kB make 800,000 nodes; and each further html or body tag compares
// its attributes with those of all before. Neither happens to elements that are unknown
// to the standard, so these names are changed everywhere before parsing, and restored
// in the tree.

// wild lists names, in lower case, that cause the parser unlimited work.
var wild = []string{
	"a", "b", "big", "body", "code", "em", "font", "html", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
}

const tamedPrefix = "x-helve-"

// tame renames the tags of wild elements and returns an upper bound of the number of
// tags in page.
func tame(page string) (tamed []byte, tags int) {
	rest := []byte(page)
	out := make([]byte, 0, len(rest)+len(rest)/8)
	for {
		at := bytes.IndexByte(rest, '<')
		if at < 0 {
			return append(out, rest...), tags
		}
		tags++
		at++
		if at < len(rest) && rest[at] == '/' {
			at++
		}
		out, rest = append(out, rest[:at]...), rest[at:]
		if isWild(rest) {
			out = append(out, tamedPrefix...)
		}
	}
}

// longestWild is the length of the longest wild name.
const longestWild = 6

// isWild reports whether text begins with a complete wild name.
func isWild(text []byte) bool {
	end := bytes.IndexAny(text[:min(len(text), longestWild+1)], " \t\n\f\r/>")
	if end < 0 {
		return false
	}
	_, found := slices.BinarySearch(wild, string(bytes.ToLower(text[:end])))
	return found
}

// restore restores the names of the elements below n. The tags of html and body become
// divisions, because the parser has created both elements by itself.
func restore(n *html.Node) {
	for d := range n.Descendants() {
		if d.Type != html.ElementNode || len(d.Data) <= len(tamedPrefix) || d.Data[:len(tamedPrefix)] != tamedPrefix {
			continue
		}
		d.Data = d.Data[len(tamedPrefix):]
		if d.Data == "html" || d.Data == "body" {
			d.Data = "div"
		}
		d.DataAtom = atom.Lookup([]byte(d.Data))
	}
}
