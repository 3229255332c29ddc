package bookmarks

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/internal/x/gopool"
	"github.com/helve-dev/helve/tool"
)

// Limits on reading titles.
const (
	titleTime   = 5 * time.Second
	titlesTime  = 15 * time.Second
	titleBytes  = 256 << 10
	titleLength = 300
	readers     = 8
)

// nameAll gives a title to each bookmark that has none. It reads several pages at a
// time. A page that cannot be read is no error: its host is the title.
func nameAll(ctx context.Context, client tool.HTTP, list []*Bookmark) {
	ctx, cancel := context.WithTimeout(ctx, titlesTime)
	defer cancel()
	slots := make(chan struct{}, readers)
	var wg gopool.Group
	for _, v := range list {
		if strings.TrimSpace(v.Title) != "" {
			continue
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			v.Title = titleOf(ctx, client, v.URL)
		})
	}
	wg.Wait()
}

// titleOf returns the title of a page, its host if it has none, and otherwise the
// address.
func titleOf(ctx context.Context, client tool.HTTP, address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	if (u.Scheme == "http" || u.Scheme == "https") && u.User == nil {
		if title := fetchTitle(ctx, client, u); title != "" {
			return title
		}
	}
	if u.Hostname() != "" {
		return u.Hostname()
	}
	return textcut.Excerpt(address, titleLength)
}

// fetchTitle returns the title of a page; it is empty if the page cannot be read or has
// none.
func fetchTitle(ctx context.Context, client tool.HTTP, u *url.URL) string {
	ctx, cancel := context.WithTimeout(ctx, titleTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return ""
	}
	req.Header.Set("User-Agent", "Helve")
	req.Header.Set("Accept", "text/html,application/xhtml+xml")
	resp, err := client.Do(req)
	if err != nil {
		return ""
	}
	defer func() { _ = resp.Body.Close() }()
	kind := resp.Header.Get("Content-Type")
	if resp.StatusCode != http.StatusOK || kind != "" && !strings.Contains(strings.ToLower(kind), "html") {
		return ""
	}
	text, err := charset.NewReader(io.LimitReader(resp.Body, titleBytes), kind)
	if err != nil {
		return ""
	}
	return findTitle(text)
}

// findTitle returns the text of the first title element, on one line.
func findTitle(r io.Reader) string {
	tokens := html.NewTokenizer(r)
	tokens.SetMaxBuf(titleBytes)
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			return ""
		}
		if kind != html.StartTagToken {
			continue
		}
		if name, _ := tokens.TagName(); string(name) != "title" || tokens.Next() != html.TextToken {
			continue
		}
		clean := strings.Map(func(r rune) rune {
			if unicode.IsControl(r) && !unicode.IsSpace(r) || r == unicode.ReplacementChar {
				return -1
			}
			return r
		}, string(tokens.Text()))
		if title := strings.Join(strings.Fields(clean), " "); title != "" {
			return textcut.FitChars(title, titleLength)
		}
	}
}
