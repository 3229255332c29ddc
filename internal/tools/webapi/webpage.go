package webapi

import (
	"bytes"
	"context"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// Limits on the parts of a page, in characters where nothing else is said.
const (
	maxTextChars = 50_000
	maxLinks     = 1000
	maxLinkText  = 200
	maxHref      = 2000
	maxMetadata  = 100 // entries
	maxMetaValue = 1000

	contentTruncated = "[Content truncated]"
	htmlTruncated    = "[HTML truncated]"
)

// read fills in the parts of the result that the arguments ask for.
func (r *fetchWebPageResult) read(ctx context.Context, call *tool.Call, args *fetchWebPageArgs, resp *http.Response) error {
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxHTML+1))
	if err != nil {
		return err
	}
	cut := len(raw) > maxHTML
	raw = raw[:min(len(raw), maxHTML)]
	contentType := resp.Header.Get("Content-Type")
	if text, more, ok := gunzipped(raw, cut); ok { // Content-Encoding would have been undone
		raw, cut = text, more
		if !isText(mediaType(contentType, nil)) {
			contentType = "" // it was that of the compressed file
		}
	}
	media := mediaType(contentType, raw[:min(len(raw), sniffed)])
	if args.ExtractMetadata {
		r.Metadata = map[string]string{}
	}
	r.ContentType = media
	encoded := resp.Header.Get("Content-Encoding") // no longer correct after decompression
	done, err := beginParsing(ctx)
	if err != nil {
		return err
	}
	defer done()
	switch {
	case len(raw) == 0:
		return nil
	case encoded != "" && encoded != "identity":
		return tool.Fail(tool.Unsupported, "the page is encoded as %.40q, which cannot be read", encoded)
	case isPDF(media, raw):
		err = r.readPDF(ctx, call, args, raw, cut)
	case isFeed(media, raw):
		err = r.readFeed(args, raw, contentType)
	case media == "text/html" || media == "application/xhtml+xml":
		err = r.readHTML(call, args, raw, contentType, cut)
	case isText(media):
		r.Text, r.Charset = decodeNamed(raw, contentType, cut)
	default:
		return tool.Fail(tool.Unsupported, "the address leads to a file of the type %s, which is no page of text; use download_file to get it",
			valid(media))
	}
	if err != nil {
		return err
	}
	if strings.ContainsRune(r.Text[:min(len(r.Text), sniffed)], 0) {
		return tool.Fail(tool.Unsupported, "the address leads to binary data, which is no page of text; use download_file to get it")
	}
	r.finish(call, args, cut)
	return nil
}

// finish cuts the text, and removes it where the arguments do not ask for it.
func (r *fetchWebPageResult) finish(call *tool.Call, args *fetchWebPageArgs, cut bool) {
	r.Text = strings.TrimSpace(r.Text)
	if !args.ExtractText {
		r.Text = ""
	} else if n := utf8.RuneCountInString(r.Text); n > maxTextChars {
		r.Text, r.Truncated = clipped(r.Text, maxTextChars, contentTruncated), true
		call.Note("The text was cut to %d of %d characters.", maxTextChars, n)
	} else if (cut || r.Truncated && isPDF(r.ContentType, nil)) && r.Text != "" {
		r.Text, r.Truncated = r.Text+"\n\n"+contentTruncated, true
	}
	if cut {
		call.Note("The page is longer than %d MB; the rest was not read.", maxHTML>>20)
		r.Truncated = true
	}
}

// clipped returns the first characters of a text that is longer, and the mark.
func clipped(text string, most int, mark string) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return strings.TrimRight(textcut.First(text, most), " \n") + "\n\n" + mark
}

func (r *fetchWebPageResult) readHTML(call *tool.Call, args *fetchWebPageArgs, raw []byte, contentType string, cut bool) error {
	page, charset := decodeNamed(raw, contentType, cut)
	r.Charset = charset
	if args.IncludeRawHTML {
		r.HTML = page
		if cut {
			r.HTML += htmlTruncated
		}
	}
	doc, language, ok := parseHTML(page)
	if !ok {
		call.Note("The page is too large or too deeply nested to be turned into text; its HTML comes with includeRawHtml.")
		return nil
	}
	base, err := url.Parse(r.URL)
	if err != nil {
		return tool.Fail(tool.Internal, "the address of the page cannot be parsed").Because(err)
	}
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Base && n.Namespace == "" && attribute(n, "href") != "" {
			if to, err := base.Parse(attribute(n, "href")); err == nil {
				base = to
			}
			break
		}
	}
	r.Title = untamed(takeTitle(doc))
	r.Language = languageOf(doc, language)
	if args.ExtractMetadata {
		r.readMetadata(doc)
	}
	if args.ExtractLinks {
		r.readLinks(doc, base)
	}
	if args.ExtractText {
		r.Text = readableText(doc, base)
	}
	return nil
}

// readMetadata collects the title and the meta elements; the first of a name counts.
func (r *fetchWebPageResult) readMetadata(doc *html.Node) {
	if r.Title != "" {
		r.Metadata["title"] = r.Title
	}
	for n := range doc.Descendants() {
		if n.DataAtom != atom.Meta || len(r.Metadata) >= maxMetadata {
			continue
		}
		name := attribute(n, "name")
		if name == "" {
			name = attribute(n, "property")
		}
		name = strings.ToLower(strings.TrimSpace(name))
		value := strings.Join(strings.Fields(attribute(n, "content")), " ")
		if _, there := r.Metadata[name]; there || name == "" || value == "" || len(name) > maxLinkText {
			continue
		}
		r.Metadata[name] = textcut.Excerpt(value, maxMetaValue)
	}
}

// readLinks collects the links to web addresses, in the order of the page.
func (r *fetchWebPageResult) readLinks(doc *html.Node, base *url.URL) {
	r.Links = []pageLink{}
	seen := map[pageLink]bool{}
	for n := range doc.Descendants() {
		if n.DataAtom != atom.A || n.Namespace != "" {
			continue
		}
		to, err := base.Parse(strings.TrimSpace(attribute(n, "href")))
		if err != nil || attribute(n, "href") == "" || to.Scheme != "http" && to.Scheme != "https" || to.Hostname() == "" ||
			len(to.String()) > maxHref {
			continue
		}
		link := pageLink{textcut.Excerpt(untamed(textOf(n)), maxLinkText), to.String()}
		if seen[link] {
			continue
		}
		if len(r.Links) == maxLinks {
			r.Truncated = true
			return
		}
		seen[link] = true
		r.Links = append(r.Links, link)
	}
}

// textOf returns the text below n, or that of its first picture.
func textOf(n *html.Node) string {
	var w bytes.Buffer
	alt := ""
	for d := range n.Descendants() {
		switch {
		case d.Type == html.TextNode && w.Len() < maxHref:
			w.WriteString(d.Data)
			w.WriteByte(' ')
		case d.DataAtom == atom.Img && alt == "":
			alt = attribute(d, "alt")
		}
	}
	if text := strings.Join(strings.Fields(w.String()), " "); text != "" {
		return text
	}
	return strings.Join(strings.Fields(alt), " ")
}

// languageOf returns the language that a page declares, cut to what a tag may be.
func languageOf(doc *html.Node, declared string) string {
	const longestTag = 35
	if declared == "" {
		for n := range doc.Descendants() {
			if n.DataAtom == atom.Meta && strings.EqualFold(attribute(n, "http-equiv"), "content-language") {
				declared = attribute(n, "content")
				break
			}
		}
	}
	declared, _, _ = strings.Cut(declared, ",")
	return textcut.First(strings.TrimSpace(declared), longestTag)
}

// charsetParameter returns the encoding that a content type names.
func charsetParameter(contentType string) string {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return ""
	}
	return params["charset"]
}
