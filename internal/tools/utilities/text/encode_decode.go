package text

import (
	"context"
	"time"
	"unicode/utf8"

	"github.com/helve-dev/helve/internal/lib/codec"
	"github.com/helve-dev/helve/internal/lib/grapheme"
	"github.com/helve-dev/helve/tool"
)

type encodeDecodeArgs struct {
	Text      string `json:"text" doc:"Text to encode, as UTF-8, or to decode."`
	Method    string `json:"method,omitempty" doc:"base64 reads the alphabet of addresses too; url is what one component of an address needs; html is entities; hex is the bytes." enum:"base64,url,html,hex" default:"base64"`
	Operation string `json:"operation" enum:"encode,decode" doc:"Direction."`
}

type encodedText struct {
	Input     string `json:"input" doc:"The text, its first 50 characters if it is longer."`
	Output    string `json:"output"`
	Method    string `json:"method"`
	Operation string `json:"operation"`
}

// Present shows only the output.
func (r *encodedText) Present(res *tool.Result) { res.Text = r.Output }

var _ = tool.Add(Set, tool.Spec[encodeDecodeArgs, *encodedText]{
	Name: "encode_decode",
	Description: "Encode a text for another place, or decode it, as Base64, percent-encoding of addresses, HTML entities or hexadecimal, " +
		"and return the outcome.",
	Tags:       []string{"encode", "decode", "base64", "url encode", "html entities", "hex", "escape", "unescape"},
	Group:      "utilities",
	Errors:     []tool.Kind{},
	Example:    `{"text":"hello world&foo=bar","method":"url","operation":"encode"}`,
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Timeout:    5 * time.Second,
	Run:        encodeDecode,
})

func encodeDecode(_ context.Context, _ *tool.Call, args encodeDecodeArgs) (*encodedText, error) {
	codec := codec.Codecs[args.Method] // the schema allows no other method
	res := &encodedText{Input: grapheme.Echo(args.Text), Method: args.Method, Operation: args.Operation}
	if args.Operation == "encode" {
		res.Output = codec.Encode(args.Text)
		return res, nil
	}
	data, err := codec.Decode(args.Text)
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(data) {
		if args.Method == "base64" {
			return nil, tool.Fail(tool.ValidationError,
				"What this Base64 holds is binary data and no UTF-8 text: use base64_decode, which answers in hexadecimal.")
		}
		return nil, tool.Fail(tool.ValidationError,
			"The decoded bytes are no UTF-8 text: check that the text is complete and was encoded as UTF-8.")
	}
	res.Output = string(data)
	return res, nil
}
