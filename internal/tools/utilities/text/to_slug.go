package text

import (
	"context"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/grapheme"
	"github.com/helve-dev/helve/internal/lib/textcase"
	"github.com/helve-dev/helve/tool"
)

type toSlugArgs struct {
	Text      string `json:"text" doc:"Title or name."`
	Separator string `json:"separator,omitempty" doc:"What joins the words." enum:"-,_,." default:"-"`
	MaxLength int    `json:"maxLength,omitzero" doc:"Most characters of the slug, which ends with a whole word where that is possible; unbounded when left out." min:"1"`
}

type slugResult struct {
	Input string `json:"input" doc:"The text, its first 50 characters if it is longer."`
	Slug  string `json:"slug" doc:"Empty where the text has no letter or digit."`
}

// Present shows only the slug.
func (r *slugResult) Present(res *tool.Result) { res.Text = r.Slug }

var _ = tool.Add(Set, tool.Spec[toSlugArgs, *slugResult]{
	Name: "to_slug",
	Description: "Turn a title or name into a slug for an address or a file name, small ASCII letters and digits joined by hyphens, " +
		"and return it.",
	Tags:       []string{"slug", "slugify", "url", "permalink"},
	Group:      "textUtils",
	Errors:     []tool.Kind{},
	Example:    `{"text":"Crème Brûlée & Friends!"}`,
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Timeout:    5 * time.Second,
	Run:        toSlug,
})

func toSlug(_ context.Context, _ *tool.Call, args toSlugArgs) (*slugResult, error) {
	made := textcase.Slug(args.Text)
	if most := args.MaxLength; most > 0 && len(made) > most { // a slug is ASCII
		whole := made[:most]
		if end := strings.LastIndexByte(made[:most+1], '-'); end > 0 {
			whole = made[:end]
		}
		made = whole
	}
	return &slugResult{Input: grapheme.Echo(args.Text), Slug: strings.ReplaceAll(made, "-", args.Separator)}, nil
}
