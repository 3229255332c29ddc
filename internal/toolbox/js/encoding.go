package js

import (
	"strings"

	"github.com/dop251/goja"
)

func (r *realm) textEncoder() goja.Value {
	return class[*textEncoder]{
		name:      "TextEncoder",
		construct: func(r *realm, _ goja.FunctionCall) *textEncoder { return &textEncoder{r: r} },
		method: func(name string) func(*textEncoder, goja.FunctionCall) goja.Value {
			if name == "encode" {
				return (*textEncoder).encode
			}
			return nil
		},
	}.on(r)
}

type textEncoder struct {
	fixed

	r *realm
}

func (e *textEncoder) attributes() []string { return []string{"encoding"} }

func (e *textEncoder) attribute(name string) goja.Value {
	if name == "encoding" {
		return e.r.vm.ToValue("utf-8")
	}
	return nil
}

func (e *textEncoder) encode(call goja.FunctionCall) goja.Value {
	if goja.IsUndefined(call.Argument(0)) {
		return e.r.uint8Array(nil)
	}
	return e.r.uint8Array([]byte(e.r.stringOf(call.Argument(0), "TextEncoder: the text")))
}

func (r *realm) textDecoder() goja.Value {
	return class[*textDecoder]{
		name:      "TextDecoder",
		construct: newTextDecoder,
		method: func(name string) func(*textDecoder, goja.FunctionCall) goja.Value {
			if name == "decode" {
				return (*textDecoder).decode
			}
			return nil
		},
	}.on(r)
}

// textDecoder decodes UTF-8, UTF-16 in little endian and Windows-1252, which is the
// meaning of the Latin-1 labels on the web. It decodes complete texts only.
type textDecoder struct {
	fixed

	r                *realm
	encoding         string
	fatal, ignoreBOM bool
}

func newTextDecoder(r *realm, call goja.FunctionCall) *textDecoder {
	d := &textDecoder{r: r, encoding: "utf-8"}
	if v := call.Argument(0); !goja.IsUndefined(v) {
		label := r.stringOf(v, "TextDecoder: the encoding")
		if d.encoding = encodingOf(label); d.encoding == "" {
			panic(r.error("RangeError", "TextDecoder: the encoding must be utf-8, utf-16le or latin1"))
		}
	}
	if options, ok := call.Argument(1).(*goja.Object); ok {
		d.fatal, d.ignoreBOM = isTrue(options.Get("fatal")), isTrue(options.Get("ignoreBOM"))
	}
	return d
}

// encodingOf returns the encoding of a label, "" if it is unknown.
func encodingOf(label string) string {
	switch strings.ToLower(strings.Trim(label, " \t\n\f\r")) {
	case "utf-8", "utf8", "unicode-1-1-utf-8":
		return "utf-8"
	case "utf-16le", "utf-16", "ucs-2", "unicode":
		return "utf-16le"
	case "latin1", "l1", "iso-8859-1", "iso8859-1", "ascii", "us-ascii", "windows-1252", "cp1252":
		return "windows-1252"
	}
	return ""
}

func isTrue(v goja.Value) bool { return v != nil && v.ToBoolean() }

func (d *textDecoder) attributes() []string { return []string{"encoding", "fatal", "ignoreBOM"} }

func (d *textDecoder) attribute(name string) goja.Value {
	switch name {
	case "encoding":
		return d.r.vm.ToValue(d.encoding)
	case "fatal":
		return d.r.vm.ToValue(d.fatal)
	case "ignoreBOM":
		return d.r.vm.ToValue(d.ignoreBOM)
	}
	return nil
}

func (d *textDecoder) decode(call goja.FunctionCall) goja.Value {
	var data []byte
	if v := call.Argument(0); !goja.IsUndefined(v) {
		var ok bool
		if data, ok = d.r.bytesOf(v); !ok {
			panic(d.r.vm.NewTypeError("TextDecoder: give an ArrayBuffer, a typed array or a DataView"))
		}
	}
	if options, ok := call.Argument(1).(*goja.Object); ok && isTrue(options.Get("stream")) {
		panic(d.r.vm.NewTypeError("TextDecoder: stream is not supported; decode the complete text in one call"))
	}
	text, whole := decodeText(d.encoding, data)
	if d.fatal && !whole {
		panic(d.r.vm.NewTypeError("TextDecoder: the data is not valid %s", d.encoding))
	}
	if !d.ignoreBOM {
		text = strings.TrimPrefix(text, "\uFEFF")
	}
	return d.r.vm.ToValue(text)
}
