package text

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestURLEncode(t *testing.T) {
	tooltest.Run(t, Set, "url_encode", tool.Call{}, []tooltest.Case{
		{
			Name:     "component",
			Args:     `{"text":"a b&c=é/~*"}`,
			Want:     `{"input":"a b&c=é/~*","output":"a%20b%26c%3D%C3%A9%2F~*"}`,
			WantText: "a%20b%26c%3D%C3%A9%2F~*",
		},
		{Name: "address", Args: `{"text":"https://x.org/ä b?q=1&r=[2]#f","mode":"url"}`, WantText: "https://x.org/%C3%A4%20b?q=1&r=%5B2%5D#f"},
		{Name: "form", Args: `{"text":"a b+c","mode":"form"}`, WantText: "a+b%2Bc"},
		{Name: "nothing", Args: `{"text":""}`, Want: `{"input":"","output":""}`},
		{Name: "mode", Args: `{"text":"a","mode":"path"}`, Fails: tool.ValidationError, Message: "mode"},
	})
}
