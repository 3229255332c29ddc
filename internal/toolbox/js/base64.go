package js

import (
	"encoding/base64"
	"strings"
	"unicode/utf16"

	"github.com/dop251/goja"
)

// btoa encodes a string whose characters each represent one byte.
func (r *realm) btoa() goja.Value {
	return r.function("btoa", func(call goja.FunctionCall) goja.Value {
		text := r.binary(call.Argument(0), "btoa")
		data := make([]byte, text.Length())
		for i := range data {
			c := text.CharAt(i)
			if c > 0xFF {
				panic(r.error("InvalidCharacterError", "btoa: the text has characters beyond Latin-1; encode it with TextEncoder first"))
			}
			data[i] = byte(c)
		}
		return r.vm.ToValue(base64.StdEncoding.EncodeToString(data))
	})
}

// atob decodes into such a string. Like browsers it ignores white space and missing
// padding.
func (r *realm) atob() goja.Value {
	return r.function("atob", func(call goja.FunctionCall) goja.Value {
		text := strings.Map(func(c rune) rune {
			if strings.ContainsRune(" \t\n\f\r", c) {
				return -1
			}
			return c
		}, r.binary(call.Argument(0), "atob").String())
		if len(text)%4 == 0 {
			text = strings.TrimSuffix(strings.TrimSuffix(text, "="), "=")
		}
		data, err := base64.RawStdEncoding.DecodeString(text)
		if err != nil {
			panic(r.error("InvalidCharacterError", "atob: the text is not base64"))
		}
		units := make([]uint16, len(data))
		for i, b := range data {
			units[i] = uint16(b)
		}
		return goja.StringFromUTF16(units)
	})
}

// binary returns an argument as a string of limited length, in UTF-16 units.
func (r *realm) binary(v goja.Value, function string) goja.String {
	if obj, ok := v.(*goja.Object); ok {
		v = obj.ToString()
	}
	s, ok := v.(goja.String)
	if !ok {
		return goja.StringFromUTF16(utf16.Encode([]rune(r.stringOf(v, function))))
	}
	if s.Length() > 2*MaxBody {
		panic(r.error("RangeError", function+": the text is too long"))
	}
	return s
}
