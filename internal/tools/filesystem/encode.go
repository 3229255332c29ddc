package filesystem

import (
	"encoding/base64"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// encode returns the bytes that a text is written as, in an encoding as
// [decoderOf] knows them; base64 and binary are bytes in base64.
func encode(text, name string) ([]byte, error) {
	switch strings.ToLower(name) {
	case "", "utf-8", "utf8":
		return []byte(text), nil
	case "base64", "binary":
		return decodeBase64(text)
	case "ascii", "us-ascii":
		for _, c := range []byte(text) {
			if c > 0x7f {
				return nil, notIn(name)
			}
		}
		return []byte(text), nil
	}
	set := charset(name)
	if set == nil {
		return nil, unknownEncoding(name)
	}
	raw, err := set.NewEncoder().Bytes([]byte(text))
	if err != nil {
		return nil, notIn(name).Because(err)
	}
	return raw, nil
}

func notIn(name string) *tool.Error {
	return tool.Fail(tool.ValidationError, "content holds characters that %s does not have; use utf-8.", name)
}

// decodeBase64 takes both alphabets, with padding or without, and line breaks.
func decodeBase64(text string) ([]byte, error) {
	plain := strings.NewReplacer("\r", "", "\n", "", " ", "", "\t", "", "-", "+", "_", "/").Replace(text)
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(plain, "="))
	if err != nil {
		return nil, tool.Fail(tool.ValidationError, "content is not base64; send base64, or choose the encoding utf-8 for text.").Because(err)
	}
	return raw, nil
}
