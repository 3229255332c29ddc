package text

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/lib/markdown"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestMarkdownToHTML(t *testing.T) {
	tooltest.Run(t, Set, "markdown_to_html", tool.Call{}, []tooltest.Case{
		{
			Name: "common",
			Args: `{"text":"# Title\n\nSome **bold**, *em* and [a link](https://example.com \"t\").\n\n- a\n- b\n\n1. c\n\n> q\n\n` + "`x<y`" + `"}`,
			Want: `{"html":"<h1>Title</h1>\n<p>Some <strong>bold</strong>, <em>em</em> and <a href=\"https://example.com\" title=\"t\">a link</a>.</p>\n<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n<ol>\n<li>c</li>\n</ol>\n<blockquote>\n<p>q</p>\n</blockquote>\n<p><code>x&lt;y</code></p>\n"}`,
		},
		{
			Name:     "strikethrough and bare links",
			Args:     `{"text":"~~old~~ ~~~~ https://a.b"}`,
			WantText: "<p><del>old</del> ~~~~ <a href=\"https://a.b\">https://a.b</a></p>\n",
		},
		{
			Name:     "tasks",
			Args:     `{"text":"- [x] done"}`,
			WantText: "<ul>\n<li><input checked=\"\" disabled=\"\" type=\"checkbox\"> done</li>\n</ul>\n",
		},
		{
			Name: "table",
			Args: `{"text":"|a|b|\n|-|:-:|\n|1|2|"}`,
			WantText: "<table>\n<thead>\n<tr>\n<th>a</th>\n<th style=\"text-align:center\">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n" +
				"<td style=\"text-align:center\">2</td>\n</tr>\n</tbody>\n</table>\n",
		},
		{
			Name:     "emphasis as the specification has it",
			Args:     `{"text":"a_b_c *a **b** c* _d_ ***e*** 2*3 **f*"}`,
			WantText: "<p>a_b_c <em>a <strong>b</strong> c</em> <em>d</em> <em><strong>e</strong></em> 2*3 *<em>f</em></p>\n",
		},
		{
			Name:     "no raw HTML",
			Args:     `{"text":"<script>alert(1)</script>\n\na <b onclick=x>b</b>"}`,
			WantText: "<!-- raw HTML omitted -->\n<p>a <!-- raw HTML omitted -->b<!-- raw HTML omitted --></p>\n",
		},
		{
			Name:     "no scripts in addresses",
			Args:     `{"text":"[a](javascript:alert(1)) ![b](vbscript:x)"}`,
			WantText: "<p><a href=\"\">a</a> <img src=\"\" alt=\"b\"></p>\n",
		},
		{Name: "nothing", Args: `{"text":""}`, Want: `{"html":""}`},
		{
			Name:    "quotes without end",
			Args:    `{"text":"` + strings.Repeat("> ", 50_000) + `"}`,
			Fails:   tool.ValidationError,
			Message: "nests too deeply",
		},
		{
			Name:    "lists without end",
			Args:    `{"text":"` + strings.Repeat("1. ", 50_000) + `"}`,
			Fails:   tool.ValidationError,
			Message: "nests too deeply",
		},
		{
			Name:    "marks without end",
			Args:    `{"text":"` + strings.Repeat("*a ", 5000) + strings.Repeat("a* ", 5000) + `"}`,
			Fails:   tool.ValidationError,
			Message: "nests too deeply",
		},
		{
			Name:    "a table too wide",
			Args:    `{"text":"` + strings.Repeat("a|", 1000) + `\n` + strings.Repeat("-|", 1000) + strings.Repeat(`\nx`, 1000) + `"}`,
			Fails:   tool.ValidationError,
			Message: "table of more than 100000 cells",
		},
		{
			Name:    "definitions without end",
			Args:    `{"text":"` + strings.Repeat(`[a]: b\n`, markdown.MaxDefinitions+1) + `"}`,
			Fails:   tool.ValidationError,
			Message: "in a row",
		},
		{
			Name:    "one address for all",
			Args:    `{"text":"[a]: http://x/` + strings.Repeat("b", 50_000) + `\n\n` + strings.Repeat("[a] ", 1000) + `"}`,
			Fails:   tool.ValidationError,
			Message: "longer than 4194304 bytes",
		},
		{
			Name:    "more HTML than text",
			Args:    `{"text":"` + strings.Repeat("&", 1_000_000) + `"}`,
			Fails:   tool.ValidationError,
			Message: "longer than 4194304 bytes",
		},
		{Name: "no text", Args: `{}`, Fails: tool.ValidationError, Message: "text"},
	})
}

// Texts for which the parser needs quadratic time are stopped when the call ends.
func TestMarkdownIsBoundInTime(t *testing.T) {
	for _, part := range []string{"[a](", "https://a_b_\n", "~~a ~b", "> [a]\n", "[^1]\n", "![a][]\n", "*a _b "} {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		start := time.Now()
		_, err := markdownToHTML(ctx, nil, markdownArgs{Text: strings.Repeat(part, 1_000_000/len(part))})
		cancel()
		// Work that is not quadratic may take longer than the deadline and still
		// succeed.
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%q took %s, error %v", part, took, err)
		}
		if err != nil && !errors.Is(err, context.DeadlineExceeded) && tool.AsError(err).Kind != tool.ValidationError {
			t.Errorf("%q: %v", part, err)
		}
	}
}

// FuzzMarkdown checks the limits for every text, and that no raw HTML passes.
func FuzzMarkdown(f *testing.F) {
	f.Add("# a\n\n- [x] *b* ~~c~~ <i>d</i> |e|\n\n[f](javascript:g)\n|a|\n|-|\n|b|")
	f.Fuzz(func(t *testing.T, text string) {
		res, err := markdownToHTML(t.Context(), nil, markdownArgs{Text: text})
		if err != nil {
			if tool.AsError(err).Kind != tool.ValidationError {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		lower := strings.ToLower(res.HTML)
		for _, raw := range []string{"<script", "<iframe", "<style", "href=\"javascript:"} {
			if strings.Contains(lower, raw) {
				t.Errorf("%q becomes %q", text, res.HTML)
			}
		}
		if _, err := stripMarkdown(t.Context(), nil, markdownArgs{Text: text}); err != nil {
			t.Errorf("strip %q: %v", text, err)
		}
	})
}
