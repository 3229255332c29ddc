package text

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestBase64Encode(t *testing.T) {
	tooltest.Run(t, Set, "base64_encode", tool.Call{}, []tooltest.Case{
		{Name: "text", Args: `{"text":"hello world"}`, Want: `{"input":"hello world","output":"aGVsbG8gd29ybGQ="}`, WantText: "aGVsbG8gd29ybGQ="},
		{Name: "for addresses", Args: `{"text":"😊?>","urlSafe":true}`, WantText: "8J-Yij8-"},
		{Name: "nothing", Args: `{"text":""}`, Want: `{"input":"","output":""}`},
		{Name: "no text", Args: `{}`, Fails: tool.ValidationError, Message: "text"},
	})
}
