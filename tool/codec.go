package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"reflect"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// decodeArgs decodes an object that is valid under the schema of v's type. Go does not
// decode 5.0 or 1e3 into an int although JSON Schema calls both integers, so a failure
// is retried with such numbers rewritten as plain integers.
func decodeArgs(raw json.RawMessage, v any) error {
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	first := jsonv2.Unmarshal(raw, v)
	if first == nil {
		return nil
	}
	plain, err := plainIntegers(raw)
	if err == nil {
		err = jsonv2.Unmarshal(plain, v)
	}
	if err != nil {
		said := "the arguments do not fit the tool's parameters; check numbers for range and fraction"
		if misfit, ok := errors.AsType[*jsonv2.SemanticError](err); ok && misfit.JSONPointer != "" {
			said = strings.ReplaceAll(strings.TrimPrefix(string(misfit.JSONPointer), "/"), "/", ".") + ": " + misfitText(misfit)
		}
		return Fail(ValidationError, "%s", said).Because(first)
	}
	return nil
}

// misfitText describes what is wrong with a value. Only a schema that was not enforced
// lets a value of the wrong type through.
func misfitText(misfit *jsonv2.SemanticError) string {
	if misfit.GoType != nil {
		if want, _, err := jsonType(misfit.GoType); err == nil &&
			(want == "array" && misfit.JSONKind != '[' || want == "object" && misfit.JSONKind != '{') {
			return "expected " + want
		}
	}
	return "too large or too small, or not a whole number where one is needed"
}

// plainIntegers rewrites every number with an integral value as an integer literal.
func plainIntegers(raw json.RawMessage) (json.RawMessage, error) {
	if !jsontext.Value(raw).IsValid() {
		return nil, errors.New("not one valid JSON value")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		return nil, err
	}
	return json.Marshal(plainTree(tree))
}

func plainTree(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = plainTree(v[k])
		}
	case []any:
		for i := range v {
			v[i] = plainTree(v[i])
		}
	case json.Number:
		return plainNumber(v)
	}
	return v
}

// maxPlainDigits bounds the work on numbers such as 1e400; a longer number fits no Go
// integer anyway.
const maxPlainDigits = 30

func plainNumber(n json.Number) json.Number {
	if !strings.ContainsAny(string(n), ".eE") {
		return n
	}
	f, _, err := big.ParseFloat(string(n), 10, 128, big.ToNearestEven)
	if err != nil || !f.IsInt() || f.MantExp(nil) > 3*maxPlainDigits {
		return n
	}
	i, _ := f.Int(nil)
	return json.Number(i.String())
}

// encode converts a tool's return value into a Result. A value that JSON cannot hold (a
// channel, a cycle, NaN) is the tool's failure, not the worker's.
func encode(out any) (Result, error) {
	raw, err := Marshal(out)
	if err != nil {
		return Result{}, Fail(ExecutionError, "the tool returned a result that cannot be encoded as JSON").Because(err)
	}
	res := Result{Value: raw}
	if p, ok := out.(Presenter); ok {
		p.Present(&res)
	}
	return res, nil
}

// Marshal encodes a value as the results of tools are encoded: as encoding/json does, without
// escapes for HTML, and with [] and {} for a list and a map that are nil. A [json.RawMessage] must
// be valid, and stays as it is.
func Marshal(v any) (json.RawMessage, error) {
	if raw, ok := v.(json.RawMessage); ok {
		if len(raw) == 0 {
			return json.RawMessage("null"), nil
		}
		if err := jsonv2.Unmarshal(raw, new(any)); err != nil {
			return nil, err
		}
		return raw, nil
	}
	var w bytes.Buffer
	enc := json.NewEncoder(&w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return withoutNulls(bytes.TrimSuffix(w.Bytes(), []byte("\n")), reflect.TypeOf(v))
}
