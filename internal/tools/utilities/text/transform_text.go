package text

import (
	"context"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/calc"
	"github.com/helve-dev/helve/internal/lib/grapheme"
	"github.com/helve-dev/helve/internal/lib/textcase"
	"github.com/helve-dev/helve/internal/lib/textcount"
	"github.com/helve-dev/helve/tool"
)

var _ = tool.Add(Set, tool.Spec[transformArgs, *transformed]{
	Name: "transform_text",
	Description: "Change a text by one operation (case, identifier style, slug, trimming, white space, accents, reversal, truncation) and " +
		"return the new text with both lengths.",
	Tags:       []string{"transform", "uppercase", "lowercase", "trim", "replace", "slug", "reverse"},
	Group:      "utilities",
	Errors:     []tool.Kind{},
	Example:    `{"text":"hello world","operation":"camel_case"}`,
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Timeout:    5 * time.Second,
	Run: func(_ context.Context, _ *tool.Call, args transformArgs) (*transformed, error) {
		return transform(args), nil
	},
})

// transformArgs are the parameters of transform_text and of text_transform, which is
// the same under the name of its group.
type transformArgs struct {
	Text      string            `json:"text" doc:"Text to change."`
	Operation string            `json:"operation" doc:"What to do; the _case operations write identifiers, slugify the part of an address." enum:"uppercase,lowercase,capitalize,title_case,trim,trim_start,trim_end,slugify,camel_case,snake_case,kebab_case,pascal_case,reverse,remove_whitespace,normalize_whitespace,remove_diacritics,truncate"`
	Options   *transformOptions `json:"options,omitempty" doc:"For truncate only."`
}

type transformOptions struct {
	MaxLength *float64 `json:"maxLength,omitempty" doc:"Most characters to keep, the suffix among them; 100 when left out." min:"1"`
	Suffix    *string  `json:"suffix,omitempty" doc:"What marks the cut; ... when left out."`
}

type transformed struct {
	Operation    string `json:"operation"`
	Input        string `json:"input" doc:"The text, its first 50 characters if it is longer."`
	Output       string `json:"output"`
	InputLength  int    `json:"inputLength" doc:"In characters (Unicode code points)."`
	OutputLength int    `json:"outputLength"`
}

// Present shows only the new text.
func (t *transformed) Present(res *tool.Result) { res.Text = t.Output }

var textOperations = map[string]func(string) string{
	"uppercase":            textcase.Upper,
	"lowercase":            textcase.Lower,
	"capitalize":           textcase.Capitalize,
	"title_case":           textcase.Title,
	"trim":                 func(text string) string { return strings.TrimFunc(text, textcount.IsBlank) },
	"trim_start":           func(text string) string { return strings.TrimLeftFunc(text, textcount.IsBlank) },
	"trim_end":             func(text string) string { return strings.TrimRightFunc(text, textcount.IsBlank) },
	"slugify":              textcase.Slug,
	"camel_case":           textcase.Camel,
	"snake_case":           textcase.Snake,
	"kebab_case":           textcase.Kebab,
	"pascal_case":          textcase.Pascal,
	"reverse":              grapheme.Reverse,
	"remove_whitespace":    func(text string) string { return strings.Join(strings.FieldsFunc(text, textcount.IsBlank), "") },
	"normalize_whitespace": func(text string) string { return strings.Join(strings.FieldsFunc(text, textcount.IsBlank), " ") },
	"remove_diacritics":    textcase.RemoveDiacritics,
}

const (
	defaultCut    = 100
	defaultSuffix = "..."
)

func transform(args transformArgs) *transformed {
	res := &transformed{Operation: args.Operation, Input: grapheme.Echo(args.Text), InputLength: textcount.Characters(args.Text)}
	if change := textOperations[args.Operation]; change != nil {
		res.Output = change(args.Text)
	} else {
		most, suffix := defaultCut, defaultSuffix
		if o := args.Options; o != nil && o.MaxLength != nil {
			most = calc.ToInt(*o.MaxLength)
		}
		if o := args.Options; o != nil && o.Suffix != nil {
			suffix = *o.Suffix
		}
		res.Output, _ = grapheme.Truncate(args.Text, most, suffix, false)
	}
	res.OutputLength = textcount.Characters(res.Output)
	return res
}
