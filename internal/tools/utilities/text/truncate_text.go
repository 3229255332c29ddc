package text

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/lib/grapheme"
	"github.com/helve-dev/helve/internal/lib/textcount"
	"github.com/helve-dev/helve/tool"
)

type truncateTextArgs struct {
	Text         string `json:"text" doc:"Text to cut."`
	MaxLength    int    `json:"maxLength,omitzero" doc:"Most characters (Unicode code points) to return, the suffix among them; emoji and accented letters are never split." min:"1" default:"100"`
	Suffix       string `json:"suffix" doc:"What marks the cut; left away where it would leave no room for text." default:"..."`
	WordBoundary bool   `json:"wordBoundary,omitempty" doc:"Cut after a whole word." default:"false"`
}

type truncatedText struct {
	Output       string `json:"output"`
	Truncated    bool   `json:"truncated" doc:"Whether something was cut."`
	InputLength  int    `json:"inputLength"`
	OutputLength int    `json:"outputLength"`
}

// Present shows only the text.
func (r *truncatedText) Present(res *tool.Result) { res.Text = r.Output }

var _ = tool.Add(Set, tool.Spec[truncateTextArgs, *truncatedText]{
	Name:        "truncate_text",
	Description: "Cut a text to a length in characters, with a suffix that marks the cut and on request at the end of a word, and return it.",
	Tags:        []string{"truncate", "shorten", "cut", "ellipsis", "limit"},
	Group:       "textUtils",
	Errors:      []tool.Kind{},
	Example:     `{"text":"The quick brown fox jumps over the lazy dog","maxLength":20,"wordBoundary":true}`,
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Timeout:     5 * time.Second,
	Run:         runTruncateText,
})

func runTruncateText(_ context.Context, _ *tool.Call, args truncateTextArgs) (*truncatedText, error) {
	res := &truncatedText{InputLength: textcount.Characters(args.Text)}
	res.Output, res.Truncated = grapheme.Truncate(args.Text, args.MaxLength, args.Suffix, args.WordBoundary)
	res.OutputLength = textcount.Characters(res.Output)
	return res, nil
}
