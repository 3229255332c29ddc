package text

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/lib/textcount"
	"github.com/helve-dev/helve/tool"
)

type countTextArgs struct {
	Text string `json:"text" doc:"Text to count."`
}

var _ = tool.Add(Set, tool.Spec[countTextArgs, textcount.Counts]{
	Name: "count_text",
	Description: "Count the characters, words, sentences, paragraphs and lines of a text, when its length or reading time matters, " +
		"and return the counts.",
	Tags:       []string{"count", "word count", "character", "line", "length", "reading time"},
	Group:      "utilities",
	Errors:     []tool.Kind{},
	Example:    `{"text":"Hello world. This is a test."}`,
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Timeout:    5 * time.Second,
	Run: func(_ context.Context, _ *tool.Call, args countTextArgs) (textcount.Counts, error) {
		return textcount.Of(args.Text), nil
	},
})
