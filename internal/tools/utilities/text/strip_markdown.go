package text

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/lib/markdown"
	"github.com/helve-dev/helve/tool"
)

type strippedMarkdown struct {
	Text string `json:"text"`
}

// Present shows only the text.
func (r *strippedMarkdown) Present(res *tool.Result) { res.Text = r.Text }

var _ = tool.Add(Set, tool.Spec[markdownArgs, *strippedMarkdown]{
	Name: "strip_markdown",
	Description: "Take the marks out of Markdown, for places that show plain text only, and return the words with line breaks between " +
		"blocks, links by their text and images by their description.",
	Tags:       []string{"markdown", "plain text", "strip", "remove formatting", "clean"},
	Group:      "conversion",
	Errors:     []tool.Kind{},
	Example:    `{"text":"# Title\n\n- some **bold** text\n- a [link](https://example.com)"}`,
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Timeout:    3 * time.Second,
	Run:        stripMarkdown,
})

func stripMarkdown(ctx context.Context, _ *tool.Call, args markdownArgs) (*strippedMarkdown, error) {
	source := []byte(args.Text)
	_, doc, err := markdown.Parse(ctx, source)
	if err != nil {
		return nil, err
	}
	return &strippedMarkdown{Text: markdown.Plain(doc, source)}, nil
}
