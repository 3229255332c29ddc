package js

import (
	"encoding/json"
	"strings"

	"github.com/dop251/goja"

	"github.com/helve-dev/helve/tool"
)

// maxDepth limits the nesting of JSON, as Go's decoder does. With deeper JSON the
// parser of goja would overflow the stack of the process.
const maxDepth = 10000

// takeJSON saves the functions of JSON before a script can change them, and gives the
// script a parser that is safe for untrusted text.
func (r *realm) takeJSON() {
	object := r.vm.Get("JSON").ToObject(r.vm)
	parse := object.Get("parse")
	r.parseJSON, _ = goja.AssertFunction(parse)
	r.stringify, _ = goja.AssertFunction(object.Get("stringify"))
	_ = object.Set("parse", r.function("parse", func(call goja.FunctionCall) goja.Value {
		text := call.Argument(0).ToString()
		if deep(text.String()) {
			panic(r.error("SyntaxError", "the JSON nests too deeply"))
		}
		v, err := r.parseJSON(goja.Undefined(), text, call.Argument(1))
		if err != nil {
			panic(err)
		}
		return v
	}))
}

// deep reports whether a JSON text nests deeper than maxDepth.
func deep(text string) bool {
	if strings.Count(text, "[")+strings.Count(text, "{") <= maxDepth {
		return false
	}
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			if depth++; depth > maxDepth {
				return true
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return false
}

// halfCharacter returns the first surrogate without its other half in the output of
// stringify, which writes pairs unchanged and halves as escapes.
func halfCharacter(text string) string {
	for i := 0; ; i += 2 {
		next := strings.IndexByte(text[i:], '\\')
		if next < 0 || i+next+6 > len(text) {
			return ""
		}
		i += next
		if escape := text[i : i+6]; strings.HasPrefix(escape, `\ud`) && strings.IndexByte("89abcdef", escape[3]) >= 0 {
			return escape
		}
	}
}

// parse converts JSON from the host to a value.
func (r *realm) parse(raw json.RawMessage) (goja.Value, error) {
	if deep(string(raw)) {
		return nil, tool.Fail(tool.ValidationError, "the JSON nests too deeply")
	}
	v, err := r.parseJSON(goja.Undefined(), r.vm.ToValue(string(raw)))
	if err != nil { // it is valid JSON, so only a number can be out of range
		return nil, tool.Fail(tool.ValidationError, "a number is too large for JavaScript; send one below 1.8e308")
	}
	return v, nil
}

// nothing returns the result of a script that returned none.
func (r *realm) nothing() json.RawMessage {
	if r.program != nil {
		return json.RawMessage("null")
	}
	return json.RawMessage(`""`)
}

// encode converts the result of the script to JSON.
func (r *realm) encode(v goja.Value) (json.RawMessage, error) {
	if goja.IsUndefined(v) || goja.IsNull(v) {
		return r.nothing(), nil
	}
	out, err := r.stringify(goja.Undefined(), v)
	if err != nil {
		e := r.explain(err)
		if e.Kind == tool.ExecutionError {
			e.Msg = "the result cannot be encoded as JSON: " + e.Msg
		}
		return nil, e
	}
	if goja.IsUndefined(out) {
		if _, ok := goja.AssertFunction(v); ok {
			return nil, tool.Fail(tool.ExecutionError, "the script returned a function, which has no form in JSON")
		}
		if _, ok := v.(*goja.Symbol); ok {
			return nil, tool.Fail(tool.ExecutionError, "the script returned a symbol, which has no form in JSON")
		}
		return r.nothing(), nil // its toJSON returned undefined
	}
	text := out.String()
	if most := r.task.MaxOutput; most > 0 && len(text) > most {
		return nil, tool.Fail(tool.ExecutionError, "the result has %d bytes, at most %d are allowed; return less", len(text), most)
	}
	if deep(text) {
		return nil, tool.Fail(tool.ExecutionError, "the result nests too deeply")
	}
	if half := halfCharacter(text); half != "" {
		return nil, tool.Fail(tool.ExecutionError,
			"the result holds %s, half of a surrogate pair, which is no character; cut texts with utils.truncate, or with Array.from(text)", half)
	}
	return json.RawMessage(text), nil
}
