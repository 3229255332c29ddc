package webapi

import (
	"strings"

	"golang.org/x/net/html"
)

// plain returns a short text without its HTML: tags removed, entities decoded, white space
// collapsed.
func plain(text string) string {
	if !strings.ContainsAny(text, "<&") {
		return strings.Join(strings.Fields(valid(text)), " ")
	}
	var w strings.Builder
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return strings.Join(strings.Fields(valid(w.String())), " ")
		case html.TextToken:
			w.Write(z.Text())
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			if name, _ := z.TagName(); string(name) == "br" || string(name) == "p" {
				w.WriteByte(' ')
			}
		case html.CommentToken, html.DoctypeToken:
		}
	}
}
