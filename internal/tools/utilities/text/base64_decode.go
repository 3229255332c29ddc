package text

import (
	"context"
	"encoding/hex"
	"time"
	"unicode/utf8"

	"github.com/helve-dev/helve/internal/lib/codec"
	"github.com/helve-dev/helve/internal/lib/grapheme"
	"github.com/helve-dev/helve/tool"
)

type base64DecodeArgs struct {
	Text string `json:"text" doc:"Base64 to decode; white space and the head of a data: address do not count."`
}

type decodedBase64 struct {
	Input    string `json:"input" doc:"The text, its first 50 characters if it is longer."`
	Output   string `json:"output"`
	Encoding string `json:"encoding" doc:"utf-8 where output is the text, hex where it is the bytes." enum:"utf-8,hex"`
	Bytes    int    `json:"bytes" doc:"Number of decoded bytes."`
}

// Present shows only the output.
func (r *decodedBase64) Present(res *tool.Result) { res.Text = r.Output }

var _ = tool.Add(Set, tool.Spec[base64DecodeArgs, *decodedBase64]{
	Name: "base64_decode",
	Description: "Decode Base64 of either alphabet, with or without padding, and return the text, or the bytes in hexadecimal where they " +
		"are no text.",
	Tags:       []string{"base64", "decode", "atob"},
	Group:      "conversion",
	Errors:     []tool.Kind{},
	Example:    `{"text":"aGVsbG8gd29ybGQ="}`,
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Timeout:    5 * time.Second,
	Run:        base64Decode,
})

func base64Decode(_ context.Context, _ *tool.Call, args base64DecodeArgs) (*decodedBase64, error) {
	data, err := codec.DecodeBase64(args.Text)
	if err != nil {
		return nil, err
	}
	res := &decodedBase64{Input: grapheme.Echo(args.Text), Output: string(data), Encoding: "utf-8", Bytes: len(data)}
	if !utf8.Valid(data) {
		res.Output, res.Encoding = hex.EncodeToString(data), "hex"
	}
	return res, nil
}
