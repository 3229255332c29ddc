package text

import (
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

var _ = tool.Add(Set, tool.Spec[transformArgs, *transformed]{
	Name: "text_transform",
	Description: "Rewrite a text by one operation, as transform_text does: change its case, trim it, make a slug or an identifier of it, " +
		"turn it round or cut it, and return the outcome.",
	Tags:       []string{"transform", "uppercase", "lowercase", "trim", "case", "slug", "reverse"},
	Group:      "textUtils",
	Errors:     []tool.Kind{},
	Example:    `{"text":"hello world","operation":"title_case"}`,
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Timeout:    5 * time.Second,
	Run: func(_ context.Context, _ *tool.Call, args transformArgs) (*transformed, error) {
		return transform(args), nil
	},
})
