package webapi

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/internal/lib/pdftext/pdftest"
	"github.com/helve-dev/helve/internal/ports/cache"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// fetched runs fetch_web_page on a server with one answer.
func fetched(t *testing.T, handler http.HandlerFunc, more string) (fetchWebPageResult, tool.Result, error) {
	t.Helper()
	url, call := serve(t, handler)
	call.Cache = cache.New(1<<20).For("default", "ann")
	res, err := tooltest.Play(t.Context(), named(t, "fetch_web_page"), call, `{"url":"`+url+`/p"`+more+`}`)
	var got fetchWebPageResult
	if err == nil {
		if err := json.Unmarshal(res.Value, &got); err != nil {
			t.Fatal(err)
		}
	}
	got.URL = strings.TrimPrefix(got.URL, url)
	return got, res, err
}

const shop = `<!DOCTYPE html><HTML lang="en-GB"><head><meta charset="utf-8"><title> The  Shop </title>
	<meta name="description" content="Things &amp; more"><meta name=author content="Ann"><meta property="og:title" content="Shop"><meta property="og:image" content="/i.png">
	<meta name="description" content="another"><base href="/base/"><style>p {color: red}</style><script>var x = 1</script></head>
	<body><p>First   &quot;quoted&quot; &#39;apos&#39; text.</p><p>Second</p>
	<a href="one?x=1">One <b>bold</b></a> <a href="https://b.example/">B</a> <a href="javascript:alert(1)">no</a> <a href="http://[broken">no</a>
	<a>no</a> <a href="mailto:a@b.example">mail</a> <a href="one?x=1">One <b>bold</b></a> <a href="#top"><img alt="Top" src="x"></a></body></html>`

func TestFetchWebPage(t *testing.T) {
	got, res, err := fetched(t, answer(200, "text/html; charset=utf-8", shop), `,"extractLinks":true`)
	if err != nil {
		t.Fatal(err)
	}
	base := "/base/"
	want := fetchWebPageResult{
		URL: "/p", Status: 200, ContentType: "text/html", Charset: "utf-8", Title: "The Shop", Language: "en-GB",
		Metadata: map[string]string{
			"title": "The Shop", "description": "Things & more", "author": "Ann", "og:title": "Shop", "og:image": "/i.png",
		},
		Text: "# The Shop\n\nFirst \"quoted\" 'apos' text.\n\nSecond\n\nOne bold B no no no mail One bold Top",
	}
	origin := strings.TrimSuffix(got.Links[0].Href, base+"one?x=1")
	want.Links = []pageLink{{"One bold", origin + "/base/one?x=1"}, {"B", "https://b.example/"}, {"Top", origin + "/base/#top"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	if !strings.Contains(res.Text, outward.Untrusted+"\n\n# The Shop") || !strings.Contains(res.Text, "\n\nLinks:\n- One bold: http://") ||
		strings.Join(res.Notes, "") != outward.Untrusted || res.Metadata["status"] != 200 {
		t.Errorf("text %q, notes %q, metadata %v", res.Text, res.Notes, res.Metadata)
	}
	got, _, err = fetched(t, answer(200, "text/html", shop), `,"extractText":false,"extractMetadata":false,"includeRawHtml":true`)
	if err != nil || got.Text != "" || got.Metadata != nil || got.Links != nil || got.HTML != shop || got.Title != "The Shop" {
		t.Errorf("only the HTML: %+v, %v", got, err)
	}
	got, res, err = fetched(t, answer(200, "text/html", "<p>Hi</p>"), "")
	if err != nil || !strings.Contains(string(res.Value), `"metadata":{}`) || strings.Contains(string(res.Value), "links") ||
		strings.Contains(string(res.Value), "html\"") && got.HTML != "" {
		t.Errorf("a page without metadata: %s, %v", res.Value, err)
	}
}

// TestFetchOtherThanHTML: feeds, plain text and JSON are read, files are not.
func TestFetchOtherThanHTML(t *testing.T) {
	rss := strings.ReplaceAll(`<?xml version="1.0" encoding="ISO-8859-1"?><!DOCTYPE rss [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]>
		<rss version="2.0"><channel><title>Néws</title><link>https://n.example/</link><description>All of it</description><language>fr</language>
		<item><title>One</title><link>https://n.example/1</link><pubDate>Mon, 02 Jan 2026 10:00:00 GMT</pubDate><description>&lt;p&gt;A &lt;b&gt;bold&lt;/b&gt; move&lt;/p&gt;</description></item>
		<item><title>Two &b; &x;</title><link>javascript:alert(1)</link></item></channel></rss>`, "é", "\xe9")
	const atom = `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Atoms</title><entry><title>E</title><link href="https://a.example/e"/><updated>2026-01-02T03:04:05Z</updated><summary>S</summary></entry></feed>`
	const jsonFeed = `{"version": "https://jsonfeed.org/version/1.1", "title": "J", "items": [{"id": "1", "url": "https://j.example/1", "title": "I", "content_text": "Text"}]}`
	for name, tt := range map[string]struct {
		handler http.HandlerFunc
		title   string
		text    string
		links   int
	}{
		"RSS": {
			answer(200, "application/rss+xml", rss), "Néws",
			"# Néws\n\nAll of it\n\n## One\n2026-01-02T10:00:00Z\nhttps://n.example/1\nA bold move\n\n\n## Two", 1,
		},
		"RSS as XML":   {answer(200, "text/xml; charset=iso-8859-1", rss), "Néws", "# Néws\n\nAll of it\n\n## One", 1},
		"Atom":         {answer(200, "application/xml", atom), "Atoms", "# Atoms\n\n\n\n## E\n2026-01-02T03:04:05Z\nhttps://a.example/e\nS", 1},
		"JSON feed":    {answer(200, "application/json", jsonFeed), "J", "# J\n\n\n\n## I\nhttps://j.example/1\nText", 1},
		"plain text":   {answer(200, "text/plain; charset=windows-1251", "\xcf\xf0\xe8\xe2\xe5\xf2"), "", "Привет", -1},
		"JSON":         {answer(200, "application/json", `{"a": 1}`), "", `{"a": 1}`, -1},
		"PDF":          {answer(200, "application/pdf", pdftest.ManyPages(2)), "", "This is page 1\n\nThis is page 2", -1},
		"PDF as bytes": {answer(200, "application/octet-stream", pdftest.ManyPages(1)), "", "This is page 1", -1},
		"undeclared":   {answer(200, "", "<html><body><p>Hello</p></body></html>"), "", "Hello", 0},
		"wrong claim":  {answer(200, "text/html; charset=utf-8", "<p>caf\xe9</p>"), "", "caf\uFFFD", 0},
		"empty":        {answer(200, "text/html", ""), "", "", -1},
	} {
		got, _, err := fetched(t, tt.handler, `,"extractLinks":true`)
		links := len(got.Links)
		if got.Links == nil {
			links = -1
		}
		if err != nil || got.Title != tt.title || !strings.HasPrefix(got.Text, tt.text) || tt.text == "" && got.Text != "" || links != tt.links ||
			strings.Contains(got.Text, "aaaa") || strings.Contains(got.Text, "root:") {
			t.Errorf("%s: title %q, text %q, links %v, %v; want %q, %q, %d", name, got.Title, got.Text, got.Links, err, tt.title, tt.text, tt.links)
		}
	}
	for name, tt := range map[string]struct {
		handler http.HandlerFunc
		kind    tool.Kind
		says    string
	}{
		"picture":        {answer(200, "image/png", "\x89PNG\r\n\x1a\n"), tool.Unsupported, "download_file"},
		"binary as text": {answer(200, "text/plain", "a\x00b"), tool.Unsupported, "download_file"},
		"damaged feed":   {answer(200, "application/rss+xml", "<rss><channel><title>"), tool.ExecutionError, "damaged"},
		"no feed at all": {answer(200, "application/rss+xml", "hello"), tool.ExecutionError, "damaged"},
		"odd compression": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "zstd")
			answer(200, "text/html", "x")(w, r)
		}, tool.Unsupported, "zstd"},
		"damaged PDF":    {answer(200, "application/pdf", "%PDF-1.7 nothing"), tool.ExecutionError, "damaged"},
		"long PDF":       {answer(200, "application/pdf", "%PDF-1.7"+strings.Repeat(" ", maxHTML)), tool.Unsupported, "read_pdf"},
		"not found":      {answer(404, "text/html", "<p>no"), tool.NetworkError, "404 Not Found"},
		"no such status": {answer(299+301, "text/html", ""), tool.NetworkError, "status 600"},
	} {
		if _, _, err := fetched(t, tt.handler, ""); tool.AsError(err) == nil || tool.AsError(err).Kind != tt.kind ||
			!strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want %s with %q", name, err, tt.kind, tt.says)
		}
	}
}

// TestFetchFails: statuses and their metadata, redirects, and arguments.
func TestFetchFails(t *testing.T) {
	var requests atomic.Int64
	url, call := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		var status int
		if _, err := fmt.Sscanf(r.URL.Path, "/%d", &status); err != nil {
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
			return
		}
		if status == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", "1")
		}
		answer(status, "text/html", "<p>no</p>")(w, r)
	})
	call.Cache = cache.New(1<<20).For("default", "ann")
	for status, want := range map[int]struct {
		kind     tool.Kind
		requests int64
	}{
		429: {tool.RateLimited, 1},
		503: {tool.NetworkError, 3},
		500: {tool.NetworkError, 1},
		404: {tool.NetworkError, 1},
		401: {tool.NetworkError, 1},
	} {
		requests.Store(0)
		_, err := tooltest.Play(t.Context(), named(t, "fetch_web_page"), call, fmt.Sprintf(`{"url":"%s/%d"}`, url, status))
		e := tool.AsError(err)
		if e == nil || e.Kind != want.kind || e.Metadata["status"] != status || status == 429 && e.Metadata["retryAfter"] != 1 ||
			!strings.Contains(e.Msg, fmt.Sprint(status)) || requests.Load() != want.requests {
			t.Errorf("status %d: %v with %v after %d requests", status, err, e.Metadata, requests.Load())
		}
	}
	tooltest.Run(t, Set, "fetch_web_page", call, []tooltest.Case{
		{Name: "redirect inside", Args: `{"url":"` + url + `/inside"}`, Fails: tool.PermissionDenied, Message: "redirected"},
		{Name: "inside", Args: `{"url":"http://10.0.0.1/"}`, Fails: tool.PermissionDenied, Message: "blocked internal address"},
		{Name: "credentials", Args: `{"url":"http://user:pass@example.com"}`, Fails: tool.ValidationError, Message: "user name or password"},
		{Name: "scheme", Args: `{"url":"file:///etc/passwd"}`, Fails: tool.ValidationError, Message: "http"},
		{Name: "no url", Args: `{}`, Fails: tool.ValidationError, Message: "url"},
	})
}

// TestFetchIsCut: what is too long is cut, and says so.
func TestFetchIsCut(t *testing.T) {
	got, res, err := fetched(t, answer(200, "text/html", "<p>"+strings.Repeat("wörd ", 20_000)+"</p>"), "")
	if err != nil || !strings.HasSuffix(got.Text, "\n\n[Content truncated]") || utf8.RuneCountInString(got.Text) > maxTextChars+25 ||
		utf8.RuneCountInString(got.Text) < maxTextChars || !got.Truncated || !res.Truncated {
		t.Errorf("a long text: %d characters ending in %q, %v", utf8.RuneCountInString(got.Text), got.Text[max(0, len(got.Text)-30):], err)
	}
	bomb := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		for range 64 {
			_, _ = z.Write([]byte(strings.Repeat("x", 1<<20)))
		}
		_ = z.Close()
	}
	got, _, err = fetched(t, bomb, `,"includeRawHtml":true`)
	if err != nil || !strings.HasSuffix(got.Text, "[Content truncated]") || !strings.HasSuffix(got.HTML, "x[HTML truncated]") ||
		len(got.HTML) != maxHTML+len("[HTML truncated]") || !got.Truncated {
		t.Errorf("a bomb: %d bytes of HTML, text ends in %q, %v", len(got.HTML), got.Text[max(0, len(got.Text)-30):], err)
	}
	links := strings.Builder{}
	for i := range maxLinks + 5 {
		fmt.Fprintf(&links, `<a href="/%d">x</a>`, i)
	}
	got, _, err = fetched(t, answer(200, "text/html", links.String()), `,"extractLinks":true`)
	if err != nil || len(got.Links) != maxLinks || !got.Truncated {
		t.Errorf("many links: %d, truncated %v, %v", len(got.Links), got.Truncated, err)
	}
}

// gzipped returns a body of gzip.
func gzipped(t *testing.T, text string) string {
	t.Helper()
	var w bytes.Buffer
	z := gzip.NewWriter(&w)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return w.String()
}

// TestFetchGzip: a file of gzip is read as what it holds, within the limits of a page, whatever
// type the server names.
func TestFetchGzip(t *testing.T) {
	const sitemap = `<?xml version="1.0"?><urlset><url><loc>https://a.example/</loc></url></urlset>`
	feed := `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><item><title>One</title></item></channel></rss>`
	for _, tt := range []struct{ name, kind, body, want, media string }{
		{"sitemap", "application/x-gzip", gzipped(t, sitemap), "https://a.example/", "text/xml"},
		{"without a type", "application/octet-stream", gzipped(t, sitemap), "https://a.example/", "text/xml"},
		{"the type of what it holds", "application/xml", gzipped(t, sitemap), "https://a.example/", "application/xml"},
		{"feed", "application/gzip", gzipped(t, feed), "One", "text/xml"},
		{"page", "text/html", gzipped(t, "<p>hello</p>"), "hello", "text/html"},
	} {
		got, _, err := fetched(t, answer(200, tt.kind, tt.body), "")
		if err != nil || !strings.Contains(got.Text, tt.want) || got.ContentType != tt.media || got.Truncated {
			t.Errorf("%s: %+v, %v", tt.name, got, err)
		}
	}
	got, _, err := fetched(t, answer(200, "application/gzip", gzipped(t, strings.Repeat("x", 64<<20))), `,"includeRawHtml":true`)
	if err != nil || !got.Truncated || len(got.Text) > maxTextChars+len(contentTruncated)+2 {
		t.Errorf("a bomb: %d bytes of text, %v, %v", len(got.Text), got.Truncated, err)
	}
	whole := gzipped(t, strings.Repeat(sitemap, 1000)+"end")
	got, _, err = fetched(t, answer(200, "application/gzip", whole[:len(whole)-20]), "")
	if err != nil || !got.Truncated || !strings.Contains(got.Text, "https://a.example/") {
		t.Errorf("a file that ends early: %+v, %v", got, err)
	}
	for name, body := range map[string]string{
		"compressed twice": gzipped(t, gzipped(t, "x")), "no gzip": "\x1f\x8b\x08nonsense", "only a head": whole[:10],
	} {
		if _, _, err := fetched(t, answer(200, "application/gzip", body), ""); err == nil || tool.AsError(err).Kind != tool.Unsupported {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFetchHostile: pages and feeds that are made to cost much end all the same.
func TestFetchHostile(t *testing.T) {
	for name, tt := range map[string]struct{ kind, body string }{
		"nested tags":       {"text/html", strings.Repeat("<div>", 100_000) + "deep"},
		"nested formatting": {"text/html", strings.Repeat("<b><p>", 100_000)},
		"many attributes":   {"text/html", "<p " + strings.Repeat("a=b ", 100_000) + ">x"},
		"nested feed":       {"application/rss+xml", "<rss><channel>" + strings.Repeat("<a>", 300_000)},
		"nested JSON feed":  {"application/feed+json", strings.Repeat("[", 1_000_000)},
		"many entities": {
			"application/rss+xml",
			`<!DOCTYPE rss [` + strings.Repeat(`<!ENTITY a "&b;"><!ENTITY b "&a;">`, 1000) + `]><rss><channel><title>&a;</title></channel></rss>`,
		},
		"many items": {
			"application/rss+xml",
			"<rss version='2.0'><channel><title>T</title>" + strings.Repeat("<item><title>x</title></item>", 50_000) + "</channel></rss>",
		},
		"nothing but <": {"text/html", strings.Repeat("<", 1_000_000)},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := fetched(t, answer(200, tt.kind, tt.body), `,"extractLinks":true`)
			if e := tool.AsError(err); e != nil && e.Kind != tool.ExecutionError {
				t.Errorf("ended in %v", err)
			}
			if len(got.Text) > 4*maxTextChars+100 {
				t.Errorf("%d bytes of text", len(got.Text))
			}
		})
	}
}

// TestFetchRobots: with the operator's setting the robots.txt of a site is obeyed, and asked
// for once an hour.
func TestFetchRobots(t *testing.T) {
	var asked, pages atomic.Int64
	var robots atomic.Pointer[http.HandlerFunc] // read by the server
	url, call := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			asked.Add(1)
			(*robots.Load())(w, r)
			return
		}
		pages.Add(1)
		answer(200, "text/html", "<p>page</p>")(w, r)
	})
	play := func(path string) error {
		_, err := tooltest.Play(t.Context(), named(t, "fetch_web_page"), call, `{"url":"`+url+path+`"}`)
		return err
	}
	fresh := func() { call.Cache = cache.New(1<<20).For("default", "ann"); asked.Store(0); pages.Store(0) }
	serves := func(h http.HandlerFunc) { robots.Store(&h) }
	serves(answer(200, "text/plain",
		"Crawl-delay: often\nUser-agent: *\nDisallow: /private\nAllow: /private/open\n\nUser-agent: other\nDisallow: /\n"))
	fresh()
	if err := play("/private"); err != nil || asked.Load() != 0 {
		t.Errorf("without the setting: %v, robots.txt was asked for %d times", err, asked.Load())
	}
	call.Settings.Robots = true
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	call.Clock = tooltest.Clock{T: at}
	fresh()
	for path, allowed := range map[string]bool{"/": true, "": true, "/private/x?y=1": false, "/private/open": true, "/other": true} {
		err := play(path)
		if (err == nil) != allowed || !allowed && tool.AsError(err).Kind != tool.PermissionDenied {
			t.Errorf("%q: %v, want it allowed: %v", path, err, allowed)
		}
	}
	if asked.Load() != 1 || pages.Load() != 4 {
		t.Errorf("robots.txt was asked for %d times, and %d pages; want once, and 4", asked.Load(), pages.Load())
	}
	call.Clock = tooltest.Clock{T: at.Add(robotsFor)}
	if err := play("/other"); err != nil || asked.Load() != 2 {
		t.Errorf("an hour later: %v, robots.txt was asked for %d times, want 2", err, asked.Load())
	}
	for name, tt := range map[string]struct {
		robots http.HandlerFunc
		kind   tool.Kind
	}{
		"none":         {answer(404, "text/html", "no"), ""},
		"forbidden":    {answer(403, "text/html", "no"), ""},
		"a page":       {answer(200, "text/html", "<html><p>Disallow: /</p></html>"), ""},
		"all":          {answer(200, "text/plain", "User-agent: helve\nDisallow: /"), tool.PermissionDenied},
		"server error": {answer(500, "text/plain", ""), tool.NetworkError},
		"hangs up":     {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, tool.NetworkError},
		"elsewhere":    {http.RedirectHandler("http://169.254.169.254/", http.StatusFound).ServeHTTP, tool.PermissionDenied},
	} {
		serves(tt.robots)
		fresh()
		err := play("/x")
		if e := tool.AsError(err); tt.kind == "" && e != nil || tt.kind != "" && (e == nil || e.Kind != tt.kind || pages.Load() != 0) {
			t.Errorf("%s: %v after %d pages, want %q", name, err, pages.Load(), tt.kind)
		}
	}
}

// FuzzFeed: no feed makes the parser panic or the text unbounded.
func FuzzFeed(f *testing.F) {
	f.Add([]byte(`<?xml version="1.0"?><rss version="2.0"><channel><title>T</title><item><title>I</title></item></channel></rss>`))
	f.Add([]byte(`<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><entry><title>E</title></entry></feed>`))
	f.Add([]byte(`{"version":"https://jsonfeed.org/version/1","title":"T","items":[{"id":"1","content_html":"<p>"}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		_, err := parseFeed(raw)
		if err != nil && strings.Contains(err.Error(), "panic") {
			t.Errorf("%q: %v", raw, err)
		}
		r := &fetchWebPageResult{Metadata: map[string]string{}}
		if r.readFeed(&fetchWebPageArgs{ExtractText: true, ExtractLinks: true, ExtractMetadata: true}, raw, "text/xml; charset=utf-8") == nil &&
			!utf8.ValidString(r.Text) {
			t.Errorf("%q: the text is not UTF-8: %q", raw, r.Text)
		}
	})
}
