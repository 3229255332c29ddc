package data

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestJSONToCSV(t *testing.T) {
	tooltest.Run(t, Set, "json_to_csv", tool.Call{}, []tooltest.Case{
		{
			Name:     "objects",
			Args:     `{"json":"[{\"a\":1,\"b\":\"x\"},{\"a\":-2}]"}`,
			Want:     `{"csv":"a,b\n1,x\n-2,","rowCount":3}`,
			WantText: "a,b\n1,x\n-2,",
		},
		{Name: "one object", Args: `{"json":"{\"a\":1}"}`, Want: `{"csv":"a\n1","rowCount":2}`},
		{Name: "options", Args: `{"json":[{"a":1,"b":2}],"delimiter":";","includeHeader":false}`, Want: `{"csv":"1;2","rowCount":1}`},
		{Name: "formula", Args: `{"json":[["=A1"]]}`, Want: `{"csv":"'=A1","rowCount":1}`},
		{Name: "no rows", Args: `{"json":"[]"}`, Fails: tool.ValidationError, Message: "The parameter json must be a non-empty array"},
		{Name: "not JSON", Args: `{"json":"a,b"}`, Fails: tool.ValidationError, Message: "Invalid JSON in json: "},
		{Name: "nothing", Args: `{}`, Fails: tool.ValidationError, Message: "data"},
	})
}
