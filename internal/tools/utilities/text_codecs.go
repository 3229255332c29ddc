package utilities

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/url"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// A textCodec writes text in another form and reads that form back, to bytes that
// need not be text.
type textCodec struct {
	encode func(text string) string
	decode func(text string) ([]byte, error)
}

var textCodecs = map[string]textCodec{
	"base64": {func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }, decodeBase64},
	"url":    {encodeURLPart, decodeURLPart},
	"html":   {entities.Replace, func(text string) ([]byte, error) { return []byte(html.UnescapeString(text)), nil }},
	"hex":    {func(text string) string { return hex.EncodeToString([]byte(text)) }, decodeHex},
}

// entities are those that keep a text from being read as markup, also in attributes.
var entities = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")

// decodeBase64 reads the usual alphabet and that of addresses, with padding or
// without; white space and the head of a data: address do not count.
func decodeBase64(text string) ([]byte, error) {
	if head, body, found := strings.Cut(text, ";base64,"); found && strings.HasPrefix(head, "data:") {
		text = body
	}
	text = strings.NewReplacer("-", "+", "_", "/").Replace(strings.Join(strings.FieldsFunc(text, isBlank), ""))
	if len(text)%4 == 0 {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "="), "=")
	}
	data, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return nil, tool.Fail(tool.ValidationError, "The text is not Base64: it may hold letters, digits, + and / (or - and _), and up to two = at its end.").Because(err)
	}
	return data, nil
}

// decodeHex reads pairs of digits; white space, colons between them and 0x before
// them do not count.
func decodeHex(text string) ([]byte, error) {
	text = strings.Join(strings.FieldsFunc(text, func(c rune) bool { return isBlank(c) || c == ':' }), "")
	text = strings.TrimPrefix(strings.TrimPrefix(text, "0x"), "0X")
	data, err := hex.DecodeString(text)
	if err != nil {
		return nil, tool.Fail(tool.ValidationError, "The text is not hexadecimal: it must be pairs of the digits 0-9 and a-f.").Because(err)
	}
	return data, nil
}

// encodeURLPart escapes all that encodeURIComponent of JavaScript does.
func encodeURLPart(text string) string { return percentEncode(text, urlPartSafe) }

// decodeURLPart leaves a plus sign alone, as decodeURIComponent does.
func decodeURLPart(text string) ([]byte, error) {
	plain, err := url.PathUnescape(text)
	if err != nil {
		return nil, tool.Fail(tool.ValidationError, "The text is not percent-encoded: each %% must be followed by two hexadecimal digits.").Because(err)
	}
	return []byte(plain), nil
}

const (
	urlPartSafe = "-_.!~*'()"
	urlSafe     = urlPartSafe + ";/?:@&=+$,#"
)

// percentEncode escapes the bytes of text except ASCII letters, digits and safe.
func percentEncode(text, safe string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte(safe, c) >= 0:
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		}
	}
	return b.String()
}
