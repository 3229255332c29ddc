package text

import (
	"context"
	"net/url"
	"time"

	"github.com/helve-dev/helve/internal/lib/codec"
	"github.com/helve-dev/helve/internal/lib/grapheme"
	"github.com/helve-dev/helve/tool"
)

type urlEncodeArgs struct {
	Text string `json:"text" doc:"Text to encode, as UTF-8."`
	Mode string `json:"mode,omitempty" doc:"component escapes all that has a meaning in an address, url leaves that as it is, form writes spaces as +." enum:"component,url,form" default:"component"`
}

var _ = tool.Add(Set, tool.Spec[urlEncodeArgs, *inputOutput]{
	Name:        "url_encode",
	Description: "Percent-encode a text for use in an address, as one component of it, as a whole address or as a form field, and return it.",
	Tags:        []string{"url encode", "percent encoding", "escape", "query string", "uri"},
	Group:       "conversion",
	Errors:      []tool.Kind{},
	Example:     `{"text":"name=Jane Doe&city=São Paulo"}`,
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Timeout:     5 * time.Second,
	Run:         urlEncode,
})

func urlEncode(_ context.Context, _ *tool.Call, args urlEncodeArgs) (*inputOutput, error) {
	res := &inputOutput{Input: grapheme.Echo(args.Text)}
	switch args.Mode {
	case "url":
		res.Output = codec.PercentEncode(args.Text, codec.URLSafe)
	case "form":
		res.Output = url.QueryEscape(args.Text)
	default:
		res.Output = codec.EncodeURLPart(args.Text)
	}
	return res, nil
}
