package text

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestBase64Decode(t *testing.T) {
	tooltest.Run(t, Set, "base64_decode", tool.Call{}, []tooltest.Case{
		{
			Name:     "text",
			Args:     `{"text":"aGVsbG8gd29ybGQ="}`,
			Want:     `{"input":"aGVsbG8gd29ybGQ=","output":"hello world","encoding":"utf-8","bytes":11}`,
			WantText: "hello world",
		},
		{Name: "without padding", Args: `{"text":"aGk"}`, WantText: "hi"},
		{Name: "of addresses", Args: `{"text":"8J-Yij8-"}`, WantText: "😊?>"},
		{Name: "data address", Args: `{"text":"data:text/plain;base64,aGk="}`, WantText: "hi"},
		{Name: "bytes", Args: `{"text":"iVBORw=="}`, Want: `{"input":"iVBORw==","output":"89504e47","encoding":"hex","bytes":4}`},
		{Name: "nothing", Args: `{"text":""}`, Want: `{"input":"","output":"","encoding":"utf-8","bytes":0}`},
		{Name: "one letter", Args: `{"text":"a"}`, Fails: tool.ValidationError, Message: "not Base64"},
		{Name: "other signs", Args: `{"text":"aGk!"}`, Fails: tool.ValidationError, Message: "not Base64"},
		{Name: "too much padding", Args: `{"text":"aG==="}`, Fails: tool.ValidationError, Message: "not Base64"},
	})
}
