package filesystem

import (
	"encoding/base64"
	"io"
	"strings"

	"github.com/helve-dev/helve/tool"
	"golang.org/x/text/encoding/ianaindex"
)

// encode returns the bytes of a text in an encoding, named as in [decoderOf]; base64
// and binary are bytes in base64.
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

// appended encodes text for appending to a file. UTF-16 continues in the byte order
// with which the file begins, and only an empty file gets a byte order mark.
func appended(files tool.Files, name, text, set string) ([]byte, error) {
	if !isUTF16(set) {
		return encode(text, set)
	}
	head, err := begin(files, name)
	if err != nil && !missing(err) {
		return nil, err
	}
	if len(head) > 0 {
		text = strings.TrimPrefix(text, "\ufeff")
	}
	switch {
	case string(head) == "\xff\xfe":
		set = "UTF-16LE"
	case string(head) == "\xfe\xff", len(head) > 0 && !endian(set):
		set = "UTF-16BE" // as text without a mark is read
	}
	return encode(text, set)
}

// isUTF16 reports whether a name means UTF-16, with or without a byte order.
func isUTF16(set string) bool {
	found := charset(set)
	if found == nil {
		return false
	}
	name, err := ianaindex.IANA.Name(found)
	return err == nil && strings.HasPrefix(name, "UTF-16")
}

// endian reports whether a name of UTF-16 includes the byte order.
func endian(set string) bool {
	name, err := ianaindex.IANA.Name(charset(set))
	return err == nil && name != "UTF-16"
}

// begin returns the first two bytes of a file, or fewer.
func begin(files tool.Files, name string) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 2))
}

func notIn(name string) *tool.Error {
	return tool.Fail(tool.ValidationError, "content holds characters that %s does not have; use utf-8.", name)
}

// decodeBase64 accepts both alphabets, with or without padding, and line breaks.
func decodeBase64(text string) ([]byte, error) {
	plain := strings.NewReplacer("\r", "", "\n", "", " ", "", "\t", "", "-", "+", "_", "/").Replace(text)
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(plain, "="))
	if err != nil {
		return nil, tool.Fail(tool.ValidationError, "content is not base64; send base64, or choose the encoding utf-8 for text.").Because(err)
	}
	return raw, nil
}
