package webapi

import (
	"bytes"
	"testing"

	"golang.org/x/net/html"

	"github.com/helve-dev/helve/internal/test/testmutate"
)

// TestMutated: no page and no feed of a server ends the process, or is read without end.
func TestMutated(t *testing.T) {
	t.Parallel()
	pages := [][]byte{
		[]byte(`<html><head><title>T</title></head><body><main><h1>One</h1><ul><li>a<pre>x
 y</pre></li></ul><table><tr><td colspan="2">a|b</td></tr><tr><td>1</td><td>2</td></tr></table><blockquote><p>q</p></blockquote><a href="/x">l</a><img alt="i"></main></body></html>`),
		[]byte(`<svg><title>x</title><style><![CDATA[a]]></style></svg><template><p>t</template><select><option>1<ruby>a<rt>b</ruby>`),
	}
	testmutate.Each(t, testmutate.Count, pages, func(data []byte) {
		if root, err := html.Parse(bytes.NewReader(data)); err == nil {
			_ = render(root, true)
		}
	})
	feeds := [][]byte{
		[]byte(`<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>T</title><link>https://a.example/</link><item><title>A</title><pubDate>Mon, 23 Nov 2026 10:00:00 +0100</pubDate><description><![CDATA[<b>d</b>]]></description></item></channel></rss>`),
		[]byte(`<feed xmlns="http://www.w3.org/2005/Atom"><title type="html">T</title><entry><title>A</title><updated>2026-01-01T00:00:00Z</updated><link href="/x"/><summary>s</summary></entry></feed>`),
		[]byte(`{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[{"id":"1","url":"https://a.example/","content_text":"c","date_published":"2026-01-01T00:00:00Z"}]}`),
	}
	testmutate.Each(t, testmutate.Count, feeds, func(data []byte) {
		r := &fetchWebPageResult{Metadata: map[string]string{}}
		_ = r.readFeed(&fetchWebPageArgs{ExtractText: true, ExtractMetadata: true}, data, "application/xml")
	})
}
