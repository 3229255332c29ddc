package bookmarks

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/helve-dev/helve/tool/tooltest"
)

func TestTitleOf(t *testing.T) {
	for _, tt := range []struct{ name, address, kind, body, want string }{
		{"title", "https://example.com/a", "text/html", "<title> A\n page &amp; more </title>", "A page & more"},
		{"upper case", "https://example.com/a", "TEXT/HTML", "<TITLE>X</TITLE>", "X"},
		{"charset", "https://example.com/a", "text/html; charset=iso-8859-1", "<title>caf\xe9</title>", "café"},
		{"emoji and right-to-left", "https://example.com/a", "text/html", "<title>🛒 שלום</title>", "🛒 שלום"},
		{"NUL and controls", "https://example.com/a", "text/html", "<title>a\x00b\x1bc</title>", "abc"},
		{"no title", "https://example.com:8443/a", "text/html", "<p>hello", "example.com"},
		{"blank title", "https://example.com/a", "text/html", "<title> </title>", "example.com"},
		{"no page", "https://example.com/a.pdf", "application/pdf", "<title>x</title>", "example.com"},
		{"after the limit", "https://example.com/a", "text/html", strings.Repeat("<p>", 100_000) + "<title>x</title>", "example.com"},
		{"one endless tag", "https://example.com/a", "text/html", "<p " + strings.Repeat("x", 1<<20), "example.com"},
		{"long", "https://example.com/a", "text/html", "<title>" + strings.Repeat("x", 400), strings.Repeat("x", 297) + "..."},
		{"credentials", "https://u:p@example.com/a", "text/html", "<title>x</title>", "example.com"},
		{"another scheme", "mailto:a@example.com", "text/html", "<title>x</title>", "mailto:a@example.com"},
		{"no address", ":", "text/html", "<title>x</title>", ":"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			client := tooltest.Doer(func(*http.Request) (*http.Response, error) {
				return &http.Response{
					StatusCode: http.StatusOK,
					Header:     http.Header{"Content-Type": {tt.kind}},
					Body:       io.NopCloser(strings.NewReader(tt.body)),
				}, nil
			})
			got := titleOf(t.Context(), client, tt.address)
			if len(tt.want) > 100 {
				tt.want, got = tt.want[:100], got[:100]
			}
			if got != tt.want {
				t.Errorf("title %q, want %q", got, tt.want)
			}
		})
	}
}

// Pages that never answer end with the call's time, and few are requested at a time.
func TestNameAll(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var now, most atomic.Int64
	client := tooltest.Doer(func(req *http.Request) (*http.Response, error) {
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); {
			m = most.Load()
		}
		if n == readers {
			cancel()
		}
		<-req.Context().Done()
		return nil, req.Context().Err()
	})
	list := make([]*Bookmark, 30)
	for i := range list {
		list[i] = &Bookmark{URL: "https://example.com/"}
	}
	list[3].Title = "kept"
	nameAll(ctx, client, list)
	for i, v := range list {
		if want := map[bool]string{true: "kept", false: "example.com"}[i == 3]; v.Title != want {
			t.Errorf("title %d is %q, want %q", i, v.Title, want)
		}
	}
	if most.Load() > readers {
		t.Errorf("%d pages at a time, want at most %d", most.Load(), readers)
	}
}
