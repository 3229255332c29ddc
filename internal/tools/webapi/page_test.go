package webapi

import (
	"compress/gzip"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// cutTo expects a body of n bytes, a note and the whole size.
func cutTo(n int, note string, metadata map[string]any) func(*testing.T, tool.Result) {
	return func(t *testing.T, res tool.Result) {
		t.Helper()
		_, shown, _ := strings.Cut(res.Text, "\n\n")
		text, ok := strings.CutSuffix(shown, "\n\n"+note)
		if len(text) != n || !ok || !res.Truncated || !maps.Equal(res.Metadata, metadata) {
			t.Errorf("showing %d bytes, ending in %q, truncated %v, metadata %v, want %d bytes, %q, true, %v",
				len(text), shown[max(0, len(shown)-90):], res.Truncated, res.Metadata, n, note, metadata)
		}
		if value := string(res.Value); !strings.Contains(value, `"truncated":true`) || !strings.Contains(value, `"body":"`) {
			t.Errorf("the result does not say that it is truncated, or is no text: %.200s", value)
		}
	}
}

func whole(t *testing.T, res tool.Result) {
	t.Helper()
	if res.Truncated || res.Metadata != nil || strings.Contains(res.Text, "truncated") {
		t.Errorf("the result claims to be truncated: %v, %v", res.Metadata, res.Text[max(0, len(res.Text)-90):])
	}
}

func TestResponseIsCut(t *testing.T) {
	chunked := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			answer(200, "text/plain", body[:1])(w, r)
			_ = http.NewResponseController(w).Flush() // so that there is no Content-Length
			_, _ = w.Write([]byte(body[1:]))
		}
	}
	bomb := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		for range 32 {
			_, _ = z.Write([]byte(strings.Repeat("0", 1<<20)))
		}
		_ = z.Close()
	}
	const k = 1 << 10
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		check   func(*testing.T, tool.Result)
	}{
		{"exactly full", answer(200, "text/plain", strings.Repeat("x", 100*k)), whole},
		{
			"one more", answer(200, "text/plain", strings.Repeat("x", 100*k+1)),
			cutTo(100*k, "(Response truncated. Showing first 100KB of 100KB total.)", map[string]any{"size": int64(100*k + 1)}),
		},
		{
			"declared", answer(200, "text/plain", strings.Repeat("x", 300*k)),
			cutTo(100*k, "(Response truncated. Showing first 100KB of 300KB total.)", map[string]any{"size": int64(300 * k)}),
		},
		{
			"counted", chunked(strings.Repeat("x", 300*k)),
			cutTo(100*k, "(Response truncated. Showing first 100KB of 300KB total.)", map[string]any{"size": int64(300 * k)}),
		},
		{
			"not counted on", chunked(strings.Repeat("x", 6<<20)),
			cutTo(100*k, "(Response truncated. Showing first 100KB of >5MB total.)", map[string]any{"size_at_least": int64(5 << 20)}),
		},
		{"bomb", bomb, cutTo(100*k, "(Response truncated. Showing first 100KB of >5MB total.)", map[string]any{"size_at_least": int64(5 << 20)})},
		{
			"in a character", answer(200, "text/plain; charset=utf-8", "x"+strings.Repeat("é", 60*k)),
			cutTo(100*k-1, "(Response truncated. Showing first 100KB of 120KB total.)", map[string]any{"size": int64(120*k + 1)}),
		},
		{
			"page", answer(200, "text/html", "<script>"+strings.Repeat("x", 200*k)+"</script><p>"+strings.Repeat("word ", 40*k)),
			cutTo(100*k, "(Response truncated. Showing first 100KB of 199KB total.)", map[string]any{"size": int64(200*k - 1)}),
		},
		{
			"page in a character", answer(200, "text/html; charset=utf-8", "<p>x"+strings.Repeat("é", 60*k)),
			cutTo(100*k-1, "(Response truncated. Showing first 100KB of 120KB total.)", map[string]any{"size": int64(120*k + 1)}),
		},
		{
			"number", answer(200, "application/json", strings.Repeat("1", 200*k)),
			cutTo(100*k, "(Response truncated. Showing first 100KB of 200KB total.)", map[string]any{"size": int64(200 * k)}),
		},
		{"page with little text", answer(200, "text/html", "<script>"+strings.Repeat("x", 200*k)+"</script><p>word"), whole},
		{
			"endless page", answer(200, "text/html", "<p>word<script>"+strings.Repeat("x", 6<<20)),
			cutTo(4, "(Response truncated. Showing first 1KB of >5MB total.)", map[string]any{"size_at_least": int64(5<<20 + 1)}),
		},
	} {
		url, call := serve(t, tt.handler)
		tooltest.Run(t, Set, "http_request", call, []tooltest.Case{{Name: tt.name, Args: `{"url":"` + url + `"}`, Check: tt.check}})
	}
}

func TestResponseFormats(t *testing.T) {
	const page = "<html><title>T</title><nav>Home</nav><p>Text &amp; more</html>"
	const readableText, rawText = `"# T\n\nText & more"`, `"<html><title>T</title><nav>Home</nav><p>Text &amp; more</html>"`
	const feed = `<?xml version="1.0"?><feed><title>F</title><p>entry</p></feed>`
	for _, tt := range []struct{ name, contentType, sent, format, want string }{
		{"auto", "text/html; charset=utf-8", page, "auto", readableText},
		{"raw", "text/html", page, "raw", rawText},
		{"text", "text/html", page, "text", readableText},
		{"xhtml", "application/xhtml+xml", page, "auto", readableText},
		{"unknown type", "application/octet-stream", page, "auto", readableText},
		{"source in auto", "text/plain", page, "auto", rawText},
		{"source in text", "text/plain", page, "text", readableText},
		{"xml in auto", "application/xml", feed, "auto", fmt.Sprintf("%q", feed)},
		{"xml in text", "application/xml", feed, "text", `"# F\n\nentry"`},
		{"plain in text", "text/plain", "a < b", "text", `"a < b"`},
		{"no text", "text/html", "<script>app()</script>", "auto", `""`},
	} {
		url, call := serve(t, answer(200, tt.contentType, tt.sent))
		tooltest.Run(t, Set, "http_request", call, []tooltest.Case{
			{Name: tt.name, Args: `{"url":"` + url + `","format":"` + tt.format + `"}`, Check: body(tt.want)},
		})
	}
	url, call := serve(t, answer(200, "text/html", "<script>app()</script>"))
	tooltest.Run(t, Set, "http_request", call, []tooltest.Case{
		{
			Name: "says so",
			Args: `{"url":"` + url + `"}`,
			WantText: "HTTP 200 OK\nContent-Type: text/html\nContent-Length: 22\nNote: " + outward.Untrusted +
				"\n\n(the page holds no readable text; ask again with format raw to see its HTML)",
		},
	})
}

func TestResponseOmitsBinary(t *testing.T) {
	png := "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00", 92)
	for _, tt := range []struct{ name, contentType, encoding, sent, want string }{
		{"image", "image/png", "", png, `"(binary response body omitted: image/png, 100 bytes)"`},
		{"unknown", "", "", png, `"(binary response body omitted: image/png, 100 bytes)"`},
		{"claims to be text", "text/plain", "", png, `"(binary response body omitted: unknown type, 100 bytes)"`},
		{"encoded", "text/plain", "br", "xx", `"(binary response body omitted: text/plain, encoded as br, 2 bytes)"`},
		{"empty", "image/png", "", "", `""`},
		{"picture of text", "image/svg+xml", "", "<svg/>", `"<svg/>"`},
	} {
		url, call := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if tt.encoding != "" {
				w.Header().Set("Content-Encoding", tt.encoding)
			}
			answer(200, tt.contentType, tt.sent)(w, r)
		})
		tooltest.Run(t, Set, "http_request", call, []tooltest.Case{{Name: tt.name, Args: `{"url":"` + url + `"}`, Check: body(tt.want)}})
	}
}
