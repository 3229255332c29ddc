package text

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestChangeCase(t *testing.T) {
	tooltest.Run(t, Set, "change_case", tool.Call{}, []tooltest.Case{
		{Name: "upper", Args: `{"text":"straße","case":"upper"}`, Want: `{"input":"straße","output":"STRASSE"}`, WantText: "STRASSE"},
		{Name: "lower", Args: `{"text":"ABC","case":"lower"}`, WantText: "abc"},
		{Name: "title", Args: `{"text":"a tale OF two","case":"title"}`, WantText: "A Tale Of Two"},
		{
			Name:     "sentence",
			Args:     `{"text":"HELLO. how (ARE) you?\"yes\" 3.5kg! fine\nok","case":"sentence"}`,
			WantText: "Hello. How (are) you?\"yes\" 3.5kg! Fine\nOk",
		},
		{Name: "camel", Args: `{"text":"Some API name","case":"camel"}`, WantText: "someApiName"},
		{Name: "pascal", Args: `{"text":"some-name","case":"pascal"}`, WantText: "SomeName"},
		{Name: "snake", Args: `{"text":"HTTPServerID","case":"snake"}`, WantText: "http_server_id"},
		{Name: "constant", Args: `{"text":"maxSize","case":"constant"}`, WantText: "MAX_SIZE"},
		{Name: "kebab", Args: `{"text":"Some Name","case":"kebab"}`, WantText: "some-name"},
		{Name: "dot", Args: `{"text":"someName","case":"dot"}`, WantText: "some.name"},
		{Name: "toggle", Args: `{"text":"Hello ß","case":"toggle"}`, WantText: "hELLO ß"},
		{Name: "empty", Args: `{"text":"","case":"camel"}`, Want: `{"input":"","output":""}`},
		{Name: "unknown", Args: `{"text":"a","case":"spongebob"}`, Fails: tool.ValidationError, Message: "case: must be one of: upper"},
		{Name: "no case", Args: `{"text":"a"}`, Fails: tool.ValidationError, Message: "case"},
	})
}
