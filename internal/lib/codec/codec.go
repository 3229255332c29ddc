package codec

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/url"
	"strings"

	"github.com/helve-dev/helve/internal/lib/textcount"
	"github.com/helve-dev/helve/tool"
)

// Codec encodes texts and decodes them to bytes that need not be text. Decode fails
// with a [tool.ValidationError].
type Codec struct {
	Encode func(text string) string
	Decode func(text string) ([]byte, error)
}

// Codecs maps the names in arguments to codecs.
var Codecs = map[string]Codec{
	"base64": {func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }, DecodeBase64},
	"url":    {EncodeURLPart, decodeURLPart},
	"html":   {entities.Replace, func(text string) ([]byte, error) { return []byte(html.UnescapeString(text)), nil }},
	"hex":    {func(text string) string { return hex.EncodeToString([]byte(text)) }, decodeHex},
}

// entities escapes the characters that have a meaning in markup, also in attributes.
var entities = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")

// DecodeBase64 accepts the standard and the URL alphabet, with or without padding; it
// ignores white space and the head of a data: URL.
func DecodeBase64(text string) ([]byte, error) {
	if head, body, found := strings.Cut(text, ";base64,"); found && strings.HasPrefix(head, "data:") {
		text = body
	}
	text = strings.NewReplacer("-", "+", "_", "/").Replace(strings.Join(strings.FieldsFunc(text, textcount.IsBlank), ""))
	if len(text)%4 == 0 {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "="), "=")
	}
	data, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return nil, tool.Fail(tool.ValidationError,
			"The text is not Base64: it may hold letters, digits, + and / (or - and _), and up to two = at its end.").Because(err)
	}
	return data, nil
}

// decodeHex reads pairs of digits; it ignores white space, colons between pairs and a
// leading 0x.
func decodeHex(text string) ([]byte, error) {
	text = strings.Join(strings.FieldsFunc(text, func(c rune) bool { return textcount.IsBlank(c) || c == ':' }), "")
	text = strings.TrimPrefix(strings.TrimPrefix(text, "0x"), "0X")
	data, err := hex.DecodeString(text)
	if err != nil {
		return nil, tool.Fail(tool.ValidationError, "The text is not hexadecimal: it must be pairs of the digits 0-9 and a-f.").Because(err)
	}
	return data, nil
}

// EncodeURLPart escapes the same characters as encodeURIComponent of JavaScript.
func EncodeURLPart(text string) string { return PercentEncode(text, urlPartSafe) }

// decodeURLPart keeps a plus sign, as decodeURIComponent does.
func decodeURLPart(text string) ([]byte, error) {
	plain, err := url.PathUnescape(text)
	if err != nil {
		return nil, tool.Fail(tool.ValidationError,
			"The text is not percent-encoded: each %% must be followed by two hexadecimal digits.").Because(err)
	}
	return []byte(plain), nil
}

const urlPartSafe = "-_.!~*'()"

const (
	// URLSafe lists the bytes that a URL contains unescaped.
	URLSafe = urlPartSafe + ";/?:@&=+$,#"
)

// PercentEncode escapes the bytes of text except ASCII letters, digits and safe.
func PercentEncode(text, safe string) string {
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
