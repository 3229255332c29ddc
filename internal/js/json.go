package js

import (
	"encoding/json"
	"strings"

	"github.com/dop251/goja"

	"github.com/helve-dev/helve/tool"
)

// maxDepth is how deep JSON may nest: as deep as Go's decoder goes. Deeper, the
// parser of goja would overflow the stack of the process.
const maxDepth = 10000

// takeJSON keeps the functions of JSON before a script can change them, and
// gives the script a parser that is safe with what strangers sent.
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

// deep says that a text of JSON nests deeper than maxDepth.
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

// parse makes a value of JSON that came from the host.
func (r *realm) parse(raw json.RawMessage) (goja.Value, error) {
	if deep(string(raw)) {
		return nil, tool.Fail(tool.ValidationError, "the JSON nests too deeply")
	}
	v, err := r.parseJSON(goja.Undefined(), r.vm.ToValue(string(raw)))
	if err != nil { // it is JSON, so only a number can be beyond the engine
		return nil, tool.Fail(tool.ValidationError, "a number is too large for JavaScript; send one below 1.8e308")
	}
	return v, nil
}

// encode makes JSON of what the script returned.
func (r *realm) encode(v goja.Value) (json.RawMessage, error) {
	if goja.IsUndefined(v) || goja.IsNull(v) {
		return json.RawMessage(`""`), nil
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
		return json.RawMessage(`""`), nil // its toJSON returned undefined
	}
	text := out.String()
	if most := r.task.MaxOutput; most > 0 && len(text) > most {
		return nil, tool.Fail(tool.ExecutionError, "the result has %d bytes, at most %d are allowed; return less", len(text), most)
	}
	if deep(text) {
		return nil, tool.Fail(tool.ExecutionError, "the result nests too deeply")
	}
	return json.RawMessage(text), nil
}
