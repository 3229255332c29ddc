package js

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// encodingRow converts texts. A function that accepts a text accepts a buffer too, and
// decoded bytes must be UTF-8: a helper never returns mangled bytes.
var encodingRow = row{
	"base64Encode": func(u use) goja.Value { return u.value(base64.StdEncoding.EncodeToString(u.bytes(0, "text"))) },
	"base64Decode": base64Decode,
	"urlEncode":    func(u use) goja.Value { return u.value(urlEncode(u.text(0, "text"))) },
	"urlDecode":    urlDecode,
	"hexEncode":    func(u use) goja.Value { return u.value(hex.EncodeToString(u.bytes(0, "text"))) },
	"hexDecode":    hexDecode,
}

var (
	bufferType = reflect.TypeFor[goja.ArrayBuffer]()
	bytesType  = reflect.TypeFor[[]byte]()
)

// decoded converts bytes to a text.
func (u use) decoded(data []byte, err error) goja.Value {
	switch {
	case err != nil:
		u.refusef("the text is not properly encoded")
	case !utf8.Valid(data):
		u.refusef("the text holds bytes that are not UTF-8")
	}
	return u.value(string(data))
}

// base64Decode accepts the standard and the URL alphabet, with or without padding; it
// ignores spaces and line ends.
func base64Decode(u use) goja.Value {
	text := strings.Join(strings.Fields(u.text(0, "text")), "")
	text = strings.NewReplacer("-", "+", "_", "/").Replace(text)
	if len(text)%4 == 0 {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "="), "=")
	}
	return u.decoded(base64.RawStdEncoding.DecodeString(text))
}

func hexDecode(u use) goja.Value {
	return u.decoded(hex.DecodeString(strings.TrimSpace(u.text(0, "text"))))
}

// urlEncode escapes the same characters as encodeURIComponent.
func urlEncode(text string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-_.!~*'()", c) >= 0:
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		}
	}
	return b.String()
}

// urlDecode keeps a plus sign, as decodeURIComponent does.
func urlDecode(u use) goja.Value {
	text, err := url.PathUnescape(u.text(0, "text"))
	return u.decoded([]byte(text), err)
}
