package data

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestParseJSON(t *testing.T) {
	tooltest.Run(t, Set, "parse_json", tool.Call{}, []tooltest.Case{
		{
			Name: "object",
			Args: `{"json":"{\"a\":12345678901234567890.10,\"b\":[]}"}`,
			Want: `{"type":"object","size":2,"data":{"a":12345678901234567890.10,"b":[]}}`,
		},
		{Name: "array", Args: `{"json":" [1, 2] "}`, Want: `{"type":"array","size":2,"data":[1,2]}`},
		{Name: "string", Args: `{"json":"\"x\""}`, Want: `{"type":"string","size":1,"data":"x"}`},
		{Name: "number", Args: `{"json":"-1e5"}`, Want: `{"type":"number","size":1,"data":-1e5}`},
		{Name: "boolean", Args: `{"json":"true"}`, Want: `{"type":"boolean","size":1,"data":true}`},
		{Name: "null", Args: `{"json":"null"}`, Want: `{"type":"null","size":1,"data":null}`},
		{Name: "path", Args: `{"json":"{\"items\":[{\"id\":7}]}","path":"items[0]"}`, Want: `{"type":"object","size":1,"data":{"id":7}}`},
		{Name: "a real value", Args: `{"json":[1]}`, Want: `{"type":"array","size":1,"data":[1]}`},
		{Name: "no such path", Args: `{"json":"{}","path":"a"}`, Fails: tool.ValidationError, Message: `has no member "a"`},
		{Name: "not JSON", Args: `{"json":"{\"a\":}"}`, Fails: tool.ValidationError, Message: "Invalid JSON in json: "},
		{Name: "nothing", Args: `{}`, Fails: tool.ValidationError, Message: "json"},
	})
}
