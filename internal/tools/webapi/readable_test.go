package webapi

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadable(t *testing.T) {
	for _, tt := range []struct{ name, page, want string }{
		{"empty", ``, ``},
		{"plain", `just <b>some</b> text`, `just some text`},
		{"title", `<html><head><title> A  title </title></head><body><p>Text.</p></body></html>`, "# A title\n\nText."},
		{"title once", `<title>A title</title><h1>A title</h1><p>Text.</p>`, "# A title\n\nText."},
		{"title of tags", `<title>The &lt;b&gt; and the <b> tag</title>`, "# The <b> and the <b> tag"},
		{
			"scripts",
			`<p>a</p><script>var x = 1</script><style>p{color: red}</style><noscript>enable it</noscript><template>no</template><!-- no --><p>b</p>`,
			"a\n\nb",
		},
		{"around", `<header>Site</header><nav><a href=/>Home</a></nav><main><article><header><h2>Head</h2></header><p>Body.</p><footer>by me</footer></article></main><aside>Ads</aside><footer>(c)</footer>`, "## Head\n\nBody."},
		{
			"roles",
			`<div role="navigation">Home</div><div role="banner">Site</div><div role="main">Body</div><div role="contentinfo">(c)</div>`, "Body",
		},
		{"hidden", `<p hidden>a</p><p style="Display : NONE">b</p><span aria-hidden=true>c</span><p style="visibility:hidden;color:red">d</p><p style="color:red">e</p>`, "e"},
		{
			"form", `<p>Some text that is there to be read.</p><form><label>Search</label><input value=x><button>Go</button></form>`,
			"Some text that is there to be read.",
		},
		{"page in a form", `<form><h1>Old site</h1><p>All of the text.</p><input><button>Go</button></form>`, "# Old site\n\nAll of the text."},
		{"entities", `<p>&quot;quoted&quot; &#39;apos&#39; &amp; &lt;tag&gt; caf&eacute;&nbsp;x</p>`, `"quoted" 'apos' & <tag> café x`},
		{"links", `<p>See <a href="https://example.com/x">the manual</a>, please.</p>`, "See the manual, please."},
		{"headings", `<h1>One</h1>text<h3>Three <em>x</em></h3>text<h2></h2>end`, "# One\n\ntext\n\n### Three x\n\ntext\n\nend"},
		{
			"list", `<p>Buy:</p><ul><li>milk</li><li>bread<ul><li>rye</li></ul></li><li></li><li><p>tea</p></li></ul><p>end</p>`,
			"Buy:\n\n- milk\n- bread\n  - rye\n\n- tea\n\nend",
		},
		{"numbers", `<ol><li>one</li><li>two<ul><li>x</li></ul></li><li>three</li></ol>`, "1. one\n2. two\n   - x\n3. three"},
		{"heading in a list", `<ul><li><h4>x</h4>y</li></ul>`, "- #### x\n\n  y"},
		{
			"table", `<table><caption>T</caption><tr><th>Name</th><th>Age</th></tr><tr><td> Ada <b>L</b> </td><td><p>36</p></td></tr><tr><td></td></tr></table>`,
			"T\n| Name | Age |\n| --- | --- |\n| Ada L | 36 |",
		},
		{
			"table with spans and bars", `<table><tr><td colspan="2">a|b</td><td>c</td></tr><tr><td></td><td>1</td><td>2</td></tr></table>`,
			"| a\\|b |  | c |\n| --- | --- | --- |\n|  | 1 | 2 |",
		},
		{"table of one column", `<table><tr><td>a|b</td></tr><tr><td>c</td></tr></table>`, "a|b\nc"},
		{
			"layout table", `<table><tr><td><p>a</p><p>b</p></td><td><table><tr><td>c</td><td>d</td></tr></table></td></tr></table>`,
			"a\n\nb\n\n| c | d |\n| --- | --- |",
		},
		{"quote", `<blockquote><p>one</p><p>two</p></blockquote>three`, "> one\n\n> two\n\nthree"},
		{
			"code", "<p>Run</p><pre><code>if x {\n\n\n\n    y()\n}\n</code></pre><p>now <code>z</code></p>",
			"Run\n\n```\nif x {\n\n    y()\n}\n```\n\nnow z",
		},
		{
			"code in lists",
			"<ol><li>Run<pre class=\"x language-go\">a\n\n\n  b\n</pre>then</li><li><pre><code class=lang-sh>c</code></pre></li></ol>",
			"1. Run\n\n   ```go\n   a\n\n     b\n   ```\n\n   then\n\n2. ```sh\n   c\n   ```",
		},
		{
			"code in nested lists and quotes", "<ul><li>x<ul><li>y<pre>a</pre></li></ul></li></ul><blockquote><pre>b\n\nc</pre></blockquote>",
			"- x\n  - y\n\n    ```\n    a\n    ```\n\n> ```\n> b\n>\n> c\n> ```",
		},
		{"code with fences", "<pre>```\na\n```</pre>", "``````\n```\na\n```\n``````"},
		{"no code", "<p>a</p><pre>\n \n</pre><p>b</p>", "a\n\nb"},
		{"lines", `a<br>b<br><br><br>c<hr>d<div>e</div><div><div>f</div></div>`, "a\nb\nc\n\nd\ne\nf"},
		{"inline", `<p>one<span>two</span> <i>three</i>
			four</p>`, "onetwo three four"},
		{"images", `<p><img src=x alt="A cat"> sat <img src=pixel></p>`, "A cat sat"},
		{"whole document", `<!DOCTYPE html><html lang=en><body class=x><p>a</p></body></html>`, "a"},
	} {
		got, ok := readable(tt.page, &url.URL{})
		if diff := cmp.Diff(tt.want, got); diff != "" || !ok {
			t.Errorf("%s: readable(%q), %v (-want +got):\n%s", tt.name, tt.page, ok, diff)
		}
	}
}

func TestReadableIndentsOnlySoFar(t *testing.T) {
	const words = 1000
	page := strings.Repeat("<blockquote>", 400) + strings.Repeat("<p>x", words)
	if got, ok := readable(page, &url.URL{}); !ok || len(got) > words*(maxIndent+len("x\n\n")) {
		t.Errorf("%d words in 400 quotations gave %d bytes, %v", words, len(got), ok)
	}
}

// A page with a clear main content yields only that.
func TestReadableFindsTheArticle(t *testing.T) {
	var page strings.Builder
	page.WriteString(`<html><head><title>News</title></head><body><div class="menu"><ul><li><a href="/a">Sport</a></li><li><a href="/b">Weather</a></li></ul></div><div id="article">`)
	for i := range 12 {
		fmt.Fprintf(&page,
			"<p>Paragraph %d of the article, which has enough words, and commas, to be taken for content by anything that looks for it in a page. "+
				"It goes on for a while, so that it scores well.</p>",
			i)
	}
	page.WriteString(`</div><div class="sidebar"><a href="/c">Read more</a></div></body></html>`)
	got, ok := readable(page.String(), &url.URL{Scheme: "https", Host: "news.example"})
	if !ok || !strings.HasPrefix(got, "# News\n\nParagraph 0 ") || !strings.Contains(got, "Paragraph 11 ") {
		t.Errorf("readable = %q, %v, want title and article", got, ok)
	}
	for _, no := range []string{"Sport", "Weather", "Read more"} {
		if strings.Contains(got, no) {
			t.Errorf("the text holds %q, which is around the article", no)
		}
	}
}
