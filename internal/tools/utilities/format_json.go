package utilities

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/helve-dev/helve/tool"
)

type formatJSONArgs struct {
	JSON      json.RawMessage `json:"json" doc:"The JSON text."`
	Operation string          `json:"operation,omitempty" enum:"prettify,minify,get_path,get_keys,get_values,flatten,sort_keys" default:"prettify" doc:"What to do with it; get_path answers the part at path."`
	Path      string          `json:"path,omitempty" doc:"Part to get, such as items[0].id; a name with dots or brackets is written [\"a.b\"], and [-1] is the last item."`
	Indent    *float64        `json:"indent,omitempty" min:"0" max:"10" default:"2" doc:"Spaces for each level; 0 is one line."`
}

type formatJSONResult struct {
	Operation string `json:"operation"`
	Result    string `json:"result" doc:"JSON text; a string that get_path found stands without quotes."`
}

// Present shows a model the text itself.
func (r formatJSONResult) Present(res *tool.Result) { res.Text = r.Result }

var _ = tool.Add(Set, tool.Spec[formatJSONArgs, formatJSONResult]{
	Name:        "format_json",
	Description: "Check a JSON text and return it indented, minified, flattened or with sorted keys, or only its keys, its values or the part at a path, with every digit and the order of members as they were.",
	Tags:        []string{"json format", "prettify", "indent", "minify", "beautify", "pretty print", "jsonpath", "sort keys"},
	Group:       "textUtils",
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Timeout:     10 * time.Second,
	Errors:      []tool.Kind{},
	Example:     `{"json":"{\"items\":[{\"id\":7,\"tags\":[]}],\"total\":1}","operation":"prettify"}`,
	Run:         formatJSON,
})

func formatJSON(_ context.Context, _ *tool.Call, args formatJSONArgs) (formatJSONResult, error) {
	if args.Operation == "get_path" && args.Path == "" {
		return formatJSONResult{}, tool.Fail(tool.ValidationError, "Path is required for get_path operation, such as items[0].id.")
	}
	value, err := jsonArgument("json", args.JSON)
	if err != nil {
		return formatJSONResult{}, err
	}
	indent := 2
	if args.Indent != nil {
		indent = cutToInt(*args.Indent)
	}
	res := formatJSONResult{Operation: args.Operation}
	switch args.Operation {
	case "minify":
		indent = 0
	case "get_path":
		if value, err = jsonAt(value, args.Path); err != nil {
			return formatJSONResult{}, err
		}
		if value.Kind() == '"' {
			res.Result = jsonText(value)
			return res, nil
		}
	case "get_keys":
		value = jsonKeys(value)
	case "get_values":
		value = jsonValues(value)
	case "flatten":
		if value, err = jsonFlattened(value); err != nil {
			return formatJSONResult{}, err
		}
	case "sort_keys":
		value = jsonKeysSorted(nil, value)
	}
	res.Result, err = jsonIndented(value, indent)
	return res, err
}

// jsonKeys is the array of an object's names or of an array's indices; other
// values have none.
func jsonKeys(v jsontext.Value) jsontext.Value {
	var keys []jsontext.Value
	for _, m := range jsonMembers(v) {
		keys = append(keys, appendJSONString(nil, m.name))
	}
	for i := range jsonItems(v) {
		keys = append(keys, jsonCount(i))
	}
	return jsonJoined(keys)
}

// jsonValues is the array of what an object or array holds, or of the one value.
func jsonValues(v jsontext.Value) jsontext.Value {
	switch v.Kind() {
	case '[':
		return v
	case '{':
		var values []jsontext.Value
		for _, m := range jsonMembers(v) {
			values = append(values, m.value)
		}
		return jsonJoined(values)
	default:
		return jsonJoined([]jsontext.Value{v})
	}
}

// jsonFlattened is one object in place of objects in objects; its names are
// paths. Arrays, but for one that holds it all, stay whole. What is no object or
// array stays as it is.
func jsonFlattened(v jsontext.Value) (jsontext.Value, error) {
	flat := jsonFlat{'{'}
	switch v.Kind() {
	case '{':
		if err := flat.object("", v); err != nil {
			return nil, err
		}
	case '[':
		for i, item := range jsonItems(v) {
			if err := flat.member(string(jsonCount(i)), item); err != nil {
				return nil, err
			}
		}
	default:
		return v, nil
	}
	return jsontext.Value(append(flat, '}')), nil
}

// jsonFlat is the beginning of an object. It is bounded, because a long name is
// repeated for everything below it.
type jsonFlat []byte

func (f *jsonFlat) object(prefix string, object jsontext.Value) error {
	for _, m := range jsonMembers(object) {
		name := jsonPathName(m.name)
		if prefix != "" && !strings.HasPrefix(name, "[") {
			name = "." + name
		}
		if err := f.member(prefix+name, m.value); err != nil {
			return err
		}
	}
	return nil
}

func (f *jsonFlat) member(path string, v jsontext.Value) error {
	if v.Kind() == '{' && len(jsonMembers(v)) > 0 {
		return f.object(path, v)
	}
	if len(*f) > 1 {
		*f = append(*f, ',')
	}
	*f = append(append(appendJSONString(*f, path), ':'), v...)
	if len(*f) > maxJSONOutput {
		return errJSONOutput
	}
	return nil
}

// jsonKeysSorted appends v with the members of every object by name.
func jsonKeysSorted(dst, v jsontext.Value) jsontext.Value {
	switch v.Kind() {
	case '[':
		dst = append(dst, '[')
		for i, item := range jsonItems(v) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = jsonKeysSorted(dst, item)
		}
		return append(dst, ']')
	case '{':
		members := jsonMembers(v)
		slices.SortFunc(members, func(a, b jsonMember) int { return strings.Compare(a.name, b.name) })
		dst = append(dst, '{')
		for i, m := range members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendJSONString(dst, m.name), ':')
			dst = jsonKeysSorted(dst, m.value)
		}
		return append(dst, '}')
	default:
		return append(dst, v...)
	}
}
