package text

import (
	"context"
	"encoding/base64"
	"time"

	"github.com/helve-dev/helve/internal/lib/grapheme"
	"github.com/helve-dev/helve/tool"
)

type base64EncodeArgs struct {
	Text    string `json:"text" doc:"Text to encode, as UTF-8."`
	URLSafe bool   `json:"urlSafe,omitempty" doc:"Use - and _ and no padding, as addresses and tokens do." default:"false"`
}

var _ = tool.Add(Set, tool.Spec[base64EncodeArgs, *inputOutput]{
	Name:        "base64_encode",
	Description: "Encode a text as Base64, for a place that takes only plain characters, and return it.",
	Tags:        []string{"base64", "encode", "btoa"},
	Group:       "conversion",
	Errors:      []tool.Kind{},
	Example:     `{"text":"hello world"}`,
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Timeout:     5 * time.Second,
	Run:         base64Encode,
})

func base64Encode(_ context.Context, _ *tool.Call, args base64EncodeArgs) (*inputOutput, error) {
	encoding := base64.StdEncoding
	if args.URLSafe {
		encoding = base64.RawURLEncoding
	}
	return &inputOutput{Input: grapheme.Echo(args.Text), Output: encoding.EncodeToString([]byte(args.Text))}, nil
}
