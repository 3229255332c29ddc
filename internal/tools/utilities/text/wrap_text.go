package text

import (
	"context"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/bounded"
	"github.com/helve-dev/helve/internal/lib/textcount"
	"github.com/helve-dev/helve/internal/lib/textwrap"
	"github.com/helve-dev/helve/tool"
	"github.com/rivo/uniseg"
)

type wrapTextArgs struct {
	Text           string `json:"text" doc:"Text to wrap; its own line breaks stay."`
	Width          int    `json:"width,omitzero" doc:"Most columns of a line; wide characters, such as Chinese ones, take two." min:"1" max:"1000" default:"80"`
	Indent         string `json:"indent,omitempty" doc:"What every line begins with; it counts for the width." max:"100"`
	BreakLongWords *bool  `json:"breakLongWords,omitempty" doc:"Also break a word that is wider than a line; otherwise it stands out." default:"true"`
}

type wrappedText struct {
	Output string `json:"output"`
	Lines  int    `json:"lines"`
	Width  int    `json:"width"`
}

// Present shows only the text.
func (r *wrappedText) Present(res *tool.Result) { res.Text = r.Output }

var _ = tool.Add(Set, tool.Spec[wrapTextArgs, *wrappedText]{
	Name:        "wrap_text",
	Description: "Break the lines of a text so that none is wider than a number of columns, for plain text and terminals, and return it.",
	Tags:        []string{"wrap", "word wrap", "line width", "fold", "format"},
	Group:       "textUtils",
	Errors:      []tool.Kind{},
	Example:     `{"text":"The quick brown fox jumps over the lazy dog","width":20}`,
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Timeout:     5 * time.Second,
	Run:         wrapText,
})

func wrapText(ctx context.Context, _ *tool.Call, args wrapTextArgs) (*wrappedText, error) {
	room := args.Width - uniseg.StringWidth(args.Indent)
	if room < 1 {
		return nil, tool.Fail(tool.ValidationError, "The indent leaves no column for text: make it shorter or the width larger than %d.",
			args.Width)
	}
	w := textwrap.Wrapper{Room: room, Indent: args.Indent, BreakWords: args.BreakLongWords == nil || *args.BreakLongWords}
	for line := range strings.SplitSeq(textcount.LineEnds.Replace(args.Text), "\n") {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if w.Wrap(line); w.Out.Len() > bounded.MaxText {
			return nil, bounded.TooMuch()
		}
	}
	return &wrappedText{Output: strings.TrimSuffix(w.Out.String(), "\n"), Lines: w.Lines, Width: args.Width}, nil
}
