package webapi

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mmcdole/gofeed"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// Limits on a feed.
const (
	maxEntries = 200
	maxEntry   = 2000 // characters of the text of an entry
)

// isFeed reports whether a body is an RSS, Atom or JSON feed.
func isFeed(media string, raw []byte) bool {
	head := bytes.TrimSpace(bytes.TrimPrefix(raw[:min(len(raw), 4*sniffed)], []byte("\uFEFF")))
	if isJSONType(media) {
		return media == "application/feed+json" || bytes.HasPrefix(head, []byte("{")) && bytes.Contains(head, []byte("jsonfeed.org/version/"))
	}
	if media == "application/rss+xml" || media == "application/atom+xml" {
		return true
	}
	return slices.Contains([]string{"rss", "feed", "RDF"}, rootOf(head))
}

// rootOf returns the name of the root element in the beginning of an XML document.
func rootOf(head []byte) string {
	if !bytes.HasPrefix(head, []byte("<")) {
		return ""
	}
	dec := xml.NewDecoder(bytes.NewReader(head))
	dec.Strict = false
	dec.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // names are ASCII
	for {
		token, err := dec.RawToken()
		if err != nil {
			return ""
		}
		if root, ok := token.(xml.StartElement); ok {
			return root.Name.Local
		}
	}
}

var xmlHead = regexp.MustCompile(`^\s*<\?xml[^>]{0,200}\?>`)

// readFeed renders a feed as text. Entities that a feed defines are not expanded, and
// nothing that it refers to is fetched.
func (r *fetchWebPageResult) readFeed(args *fetchWebPageArgs, raw []byte, contentType string) error {
	if declared := charsetParameter(contentType); declared != "" && !isJSONType(r.ContentType) {
		// The parser obeys the declaration in the XML; that of the server takes precedence.
		text, charset := decodeNamed(raw, contentType, false)
		raw, r.Charset = xmlHead.ReplaceAll([]byte(text), nil), charset
	}
	feed, err := parseFeed(raw)
	if err != nil {
		return tool.Fail(tool.ExecutionError,
			"the feed at this address is damaged and cannot be read; http_request returns it as it is").Because(err)
	}
	if args.IncludeRawHTML {
		r.HTML = valid(string(raw))
	}
	r.Title, r.Language = textcut.Excerpt(plain(feed.Title), maxTitle), textcut.First(feed.Language, 35)
	if args.ExtractMetadata {
		for name, value := range map[string]string{
			"title": r.Title, "description": plain(feed.Description), "feed": feed.FeedType, "link": feed.Link,
		} {
			if value != "" {
				r.Metadata[name] = textcut.Excerpt(value, maxMetaValue)
			}
		}
	}
	if args.ExtractLinks {
		r.Links = []pageLink{}
	}
	var w strings.Builder
	fmt.Fprintf(&w, "# %s\n\n%s", r.Title, textcut.Excerpt(plain(feed.Description), maxEntry))
	for i, e := range feed.Items {
		if i == maxEntries {
			r.Truncated = true
			break
		}
		title := textcut.Excerpt(plain(e.Title), maxTitle)
		fmt.Fprintf(&w, "\n\n## %s\n", title)
		for _, line := range []string{published(e), webAddress(e.Link), textcut.Excerpt(plain(cmp.Or(e.Description, e.Content)), maxEntry)} {
			if line != "" {
				w.WriteString(line + "\n")
			}
		}
		if to := webAddress(e.Link); to != "" && args.ExtractLinks {
			r.Links = append(r.Links, pageLink{title, to})
		}
	}
	r.Text = w.String()
	return nil
}

// parseFeed parses a feed. A panic of the library counts as a damaged feed.
func parseFeed(raw []byte) (feed *gofeed.Feed, err error) {
	defer func() {
		if p := recover(); p != nil {
			feed, err = nil, fmt.Errorf("panic: %v", p)
		}
	}()
	return gofeed.NewParser().Parse(bytes.NewReader(raw))
}

func published(e *gofeed.Item) string {
	for _, at := range []*time.Time{e.PublishedParsed, e.UpdatedParsed} {
		if at != nil {
			return at.UTC().Format(time.RFC3339)
		}
	}
	return textcut.Excerpt(plain(cmp.Or(e.Published, e.Updated)), 40)
}

// webAddress returns an address of the web, "" for any other.
func webAddress(raw string) string {
	u, err := parseURL(raw)
	if err != nil {
		return ""
	}
	return u.String()
}
