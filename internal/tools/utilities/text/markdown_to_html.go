package text

import (
	"bytes"
	"context"
	"time"

	"github.com/helve-dev/helve/internal/lib/bounded"
	"github.com/helve-dev/helve/internal/lib/markdown"
	"github.com/helve-dev/helve/tool"
)

// markdownArgs are the parameters of the tools that read Markdown.
type markdownArgs struct {
	Text string `json:"text" doc:"Markdown, with tables, strikethrough, task lists and bare links as on GitHub."`
}

type markdownHTML struct {
	HTML string `json:"html" doc:"A fragment for the body of a page, without raw HTML of the text and without addresses that run scripts."`
}

// Present shows only the HTML.
func (r *markdownHTML) Present(res *tool.Result) { res.Text = r.HTML }

var _ = tool.Add(Set, tool.Spec[markdownArgs, *markdownHTML]{
	Name:        "markdown_to_html",
	Description: "Convert Markdown to safe HTML for a page or a mail, with tables, task lists and bare links, and return the fragment.",
	Tags:        []string{"markdown", "html", "convert", "render", "format"},
	Group:       "conversion",
	Errors:      []tool.Kind{},
	Example:     `{"text":"# Title\n\nSome **bold** text and a [link](https://example.com)."}`,
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Timeout:     3 * time.Second,
	Run:         markdownToHTML,
})

func markdownToHTML(ctx context.Context, _ *tool.Call, args markdownArgs) (*markdownHTML, error) {
	source := []byte(args.Text)
	md, doc, err := markdown.Parse(ctx, source)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := md.Renderer().Render(&out, source, doc); err != nil {
		return nil, err
	}
	if out.Len() > bounded.MaxText {
		return nil, bounded.TooMuch()
	}
	return &markdownHTML{HTML: out.String()}, nil
}
