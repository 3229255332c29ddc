package personaldata

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"
	"time"

	xhtml "golang.org/x/net/html"

	"github.com/helve-dev/helve/internal/ports/store"
	"github.com/helve-dev/helve/internal/tools/personal/bookmarks"
)

// writeHTML writes bookmarks in the format of Netscape, which browsers read. Attributes that
// they do not know hold the rest.
func writeHTML(w io.Writer, items Items) error {
	out := bufio.NewWriter(w)
	fmt.Fprint(out, "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<META HTTP-EQUIV=\"Content-Type\" CONTENT=\"text/html; "+
		"charset=UTF-8\">\n<TITLE>Bookmarks</TITLE>\n<H1>Bookmarks</H1>\n<DL><p>\n")
	err := each(bookmarks.Collection, items, func(item *store.Item, v *bookmarks.Bookmark) error {
		fmt.Fprintf(out, "<DT><A HREF=\"%s\" ADD_DATE=\"%d\" LAST_MODIFIED=\"%d\"",
			html.EscapeString(v.URL), item.CreatedAt.Unix(), item.UpdatedAt.Unix())
		if len(v.Tags) > 0 {
			fmt.Fprintf(out, " TAGS=\"%s\"", html.EscapeString(strings.Join(v.Tags, ",")))
		}
		fmt.Fprintf(out, " DATA-ID=\"%s\" DATA-CATEGORY=\"%s\" DATA-FAVORITE=\"%t\">%s</A>\n",
			html.EscapeString(item.ID), html.EscapeString(v.Category), v.IsFavorite, html.EscapeString(v.Title))
		if v.Description != "" {
			fmt.Fprintf(out, "<DD>%s\n", html.EscapeString(v.Description))
		}
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Fprint(out, "</DL><p>\n")
	return out.Flush()
}

// htmlReader makes items of the tags of a file of bookmarks.
type htmlReader struct {
	to      receiver
	line    int // where the token ends
	begun   int // the line of the bookmark
	folders []string
	heading string // of the folder that begins with the next list
	text    *strings.Builder
	in      bookmarks.Input
	id      string
	added   time.Time
	changed time.Time
	open    bool // in is a bookmark that is not complete
}

// maxToken bounds a piece of a file of bookmarks. Some hold pictures.
const maxToken = 4 << 20

func readHTML(r io.Reader, to receiver) error {
	h := &htmlReader{to: to, line: 1, text: &strings.Builder{}}
	z := xhtml.NewTokenizer(r)
	z.SetMaxBuf(maxToken)
	for {
		kind := z.Next()
		if kind == xhtml.ErrorToken {
			if err := z.Err(); !errors.Is(err, io.EOF) {
				return err
			}
			return h.flush()
		}
		h.line += bytes.Count(z.Raw(), []byte("\n"))
		if err := h.token(kind, z.Token()); err != nil {
			return err
		}
	}
}

func (h *htmlReader) token(kind xhtml.TokenType, t xhtml.Token) error {
	switch {
	case kind == xhtml.TextToken:
		h.text.WriteString(t.Data)
		return nil
	case kind == xhtml.StartTagToken && t.Data == "a":
		if err := h.flush(); err != nil {
			return err
		}
		h.begin(t)
	case kind == xhtml.EndTagToken && t.Data == "a":
		h.in.Title = h.taken()
	case kind == xhtml.EndTagToken && t.Data == "h3":
		h.heading = h.taken()
	case kind == xhtml.StartTagToken && t.Data == "dl":
		err := h.flush()
		h.folders, h.heading = append(h.folders, h.heading), ""
		return err
	case kind == xhtml.EndTagToken && t.Data == "dl":
		err := h.flush()
		h.folders = h.folders[:max(len(h.folders)-1, 0)]
		return err
	case kind == xhtml.StartTagToken && (t.Data == "dt" || t.Data == "h3"):
		err := h.flush()
		h.text.Reset()
		return err
	case kind == xhtml.StartTagToken && t.Data == "dd":
		h.text.Reset()
	}
	return nil
}

// taken returns the text since the last tag that matters.
func (h *htmlReader) taken() string {
	text := strings.TrimSpace(h.text.String())
	h.text.Reset()
	return text
}

// begin begins a bookmark, in the folder that is open.
func (h *htmlReader) begin(t xhtml.Token) {
	h.in, h.id, h.added, h.changed, h.open = bookmarks.Input{}, "", time.Time{}, time.Time{}, true
	h.begun = h.line
	if len(h.folders) > 0 {
		h.in.Category = h.folders[len(h.folders)-1]
	}
	for _, a := range t.Attr {
		switch a.Key {
		case "href":
			h.in.URL = a.Val
		case "tags":
			h.in.Tags = strings.Split(a.Val, ",")
		case "add_date":
			h.added = secondsOf(a.Val)
		case "last_modified":
			h.changed = secondsOf(a.Val)
		case "data-id":
			h.id = a.Val
		case "data-category":
			h.in.Category = a.Val
		case "data-favorite":
			h.in.IsFavorite = a.Val == "true"
		}
	}
	h.text.Reset()
}

func secondsOf(text string) time.Time {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 {
		return time.Time{}
	}
	return time.Unix(n, 0).UTC()
}

// flush passes the bookmark on whose description, if any, ends here. A script is left
// out: browsers keep them as bookmarks.
func (h *htmlReader) flush() error {
	if !h.open {
		return nil
	}
	h.open = false
	h.in.Description = h.taken()
	if h.in.Title == "" {
		h.in.Title = h.in.URL
	}
	scheme, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(h.in.URL)), ":")
	if scheme == "javascript" || scheme == "place" || scheme == "data" {
		return nil
	}
	v, err := h.in.Bookmark()
	if err != nil {
		h.to.skip(h.begun, h.in.Title, err)
		return nil
	}
	if h.id == "" {
		h.id = "bookmark " + h.in.URL
	}
	item, err := itemOf(bookmarks.Collection, idOf(h.id), v)
	if err != nil {
		return err
	}
	item.CreatedAt, item.UpdatedAt = h.added, h.changed
	return h.to.item(h.begun, h.in.Title, item)
}
