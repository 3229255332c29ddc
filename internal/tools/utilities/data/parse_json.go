package data

import (
	"context"
	"encoding/json"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/helve-dev/helve/internal/lib/jsonvalue"
	"github.com/helve-dev/helve/internal/lib/jsonwalk"
	"github.com/helve-dev/helve/tool"
)

type parseJSONArgs struct {
	JSON json.RawMessage `json:"json" doc:"The JSON text."`
	Path string          `json:"path,omitempty" doc:"Only the part at this path, such as items[0].id."`
}

type parseJSONResult struct {
	Type string          `json:"type" doc:"object, array, string, number, boolean or null."`
	Size int             `json:"size" doc:"Members of an object, items of an array, 1 for anything else."`
	Data json.RawMessage `json:"data"`
}

var _ = tool.Add(Set, tool.Spec[parseJSONArgs, parseJSONResult]{
	Name: "parse_json",
	Description: "Read a JSON text, or the part of it at a path, and return it as a value with its type and size; " +
		"a text that is not JSON fails with the line and column of the mistake.",
	Tags:       []string{"json parse", "json read", "deserialize", "decode json", "extract"},
	Group:      "textUtils",
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Timeout:    10 * time.Second,
	Errors:     []tool.Kind{},
	Example:    `{"json":"{\"items\":[{\"id\":7}]}","path":"items[0]"}`,
	Run:        parseJSON,
})

func parseJSON(_ context.Context, _ *tool.Call, args parseJSONArgs) (parseJSONResult, error) {
	value, err := jsonvalue.Argument("json", args.JSON)
	if err != nil {
		return parseJSONResult{}, err
	}
	if args.Path != "" {
		if value, err = jsonvalue.At(value, args.Path); err != nil {
			return parseJSONResult{}, err
		}
	}
	return parseJSONResult{Type: jsonwalk.Kind(value), Size: jsonSize(value), Data: json.RawMessage(value)}, nil
}

func jsonSize(v jsontext.Value) int {
	switch v.Kind() {
	case '{':
		return len(jsonwalk.Members(v))
	case '[':
		return len(jsonwalk.Items(v))
	default:
		return 1
	}
}
