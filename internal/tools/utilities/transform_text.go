package utilities

import (
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

var _ = tool.Add(Set, tool.Spec[transformArgs, *transformed]{
	Name:        "transform_text",
	Description: "Change a text by one operation (case, identifier style, slug, trimming, white space, accents, reversal, truncation) and return the new text with both lengths.",
	Tags:        []string{"transform", "uppercase", "lowercase", "trim", "replace", "slug", "reverse"},
	Group:       "utilities",
	Errors:      []tool.Kind{},
	Example:     `{"text":"hello world","operation":"camel_case"}`,
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Timeout:     5 * time.Second,
	Run: func(_ context.Context, _ *tool.Call, args transformArgs) (*transformed, error) {
		return transform(args), nil
	},
})
