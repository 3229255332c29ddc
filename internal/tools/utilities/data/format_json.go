package data

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/helve-dev/helve/internal/lib/calc"
	"github.com/helve-dev/helve/internal/lib/jsonvalue"
	"github.com/helve-dev/helve/internal/lib/jsonwalk"
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

// Present shows only the text.
func (r formatJSONResult) Present(res *tool.Result) { res.Text = r.Result }

var _ = tool.Add(Set, tool.Spec[formatJSONArgs, formatJSONResult]{
	Name: "format_json",
	Description: "Check a JSON text and return it indented, minified, flattened or with sorted keys, or only its keys, its values or the " +
		"part at a path, with every digit and the order of members as they were.",
	Tags:       []string{"json format", "prettify", "indent", "minify", "beautify", "pretty print", "jsonpath", "sort keys"},
	Group:      "textUtils",
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Timeout:    10 * time.Second,
	Errors:     []tool.Kind{},
	Example:    `{"json":"{\"items\":[{\"id\":7,\"tags\":[]}],\"total\":1}","operation":"prettify"}`,
	Run:        formatJSON,
})

func formatJSON(_ context.Context, _ *tool.Call, args formatJSONArgs) (formatJSONResult, error) {
	if args.Operation == "get_path" && args.Path == "" {
		return formatJSONResult{}, tool.Fail(tool.ValidationError, "Path is required for get_path operation, such as items[0].id.")
	}
	value, err := jsonvalue.Argument("json", args.JSON)
	if err != nil {
		return formatJSONResult{}, err
	}
	indent := 2
	if args.Indent != nil {
		indent = calc.ToInt(*args.Indent)
	}
	res := formatJSONResult{Operation: args.Operation}
	switch args.Operation {
	case "minify":
		indent = 0
	case "get_path":
		if value, err = jsonvalue.At(value, args.Path); err != nil {
			return formatJSONResult{}, err
		}
		if value.Kind() == '"' {
			res.Result = jsonwalk.Text(value)
			return res, nil
		}
	case "get_keys":
		value = jsonKeys(value)
	case "get_values":
		value = jsonValues(value)
	case "flatten":
		if value, err = jsonvalue.Flatten(value); err != nil {
			return formatJSONResult{}, err
		}
	case "sort_keys":
		value = jsonKeysSorted(nil, value)
	}
	res.Result, err = jsonvalue.Indent(value, indent)
	return res, err
}

// jsonKeys returns the array of an object's names or of an array's indices; other
// values have none.
func jsonKeys(v jsontext.Value) jsontext.Value {
	var keys []jsontext.Value
	for _, m := range jsonwalk.Members(v) {
		keys = append(keys, jsonwalk.AppendString(nil, m.Name))
	}
	for i := range jsonwalk.Items(v) {
		keys = append(keys, jsonwalk.Count(i))
	}
	return jsonwalk.Join(keys)
}

// jsonValues returns the array of an object's or array's values, or of the single
// value.
func jsonValues(v jsontext.Value) jsontext.Value {
	switch v.Kind() {
	case '[':
		return v
	case '{':
		var values []jsontext.Value
		for _, m := range jsonwalk.Members(v) {
			values = append(values, m.Value)
		}
		return jsonwalk.Join(values)
	default:
		return jsonwalk.Join([]jsontext.Value{v})
	}
}

// jsonKeysSorted appends v with the members of every object by name.
func jsonKeysSorted(dst, v jsontext.Value) jsontext.Value {
	switch v.Kind() {
	case '[':
		dst = append(dst, '[')
		for i, item := range jsonwalk.Items(v) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = jsonKeysSorted(dst, item)
		}
		return append(dst, ']')
	case '{':
		members := jsonwalk.Members(v)
		slices.SortFunc(members, func(a, b jsonwalk.Member) int { return strings.Compare(a.Name, b.Name) })
		dst = append(dst, '{')
		for i, m := range members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(jsonwalk.AppendString(dst, m.Name), ':')
			dst = jsonKeysSorted(dst, m.Value)
		}
		return append(dst, '}')
	default:
		return append(dst, v...)
	}
}
