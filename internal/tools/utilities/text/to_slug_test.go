package text

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestToSlug(t *testing.T) {
	tooltest.Run(t, Set, "to_slug", tool.Call{}, []tooltest.Case{
		{
			Name:     "title",
			Args:     `{"text":"Crème Brûlée & Friends!"}`,
			Want:     `{"input":"Crème Brûlée & Friends!","slug":"creme-brulee-and-friends"}`,
			WantText: "creme-brulee-and-friends",
		},
		{Name: "separator", Args: `{"text":"Hello, World","separator":"_"}`, WantText: "hello_world"},
		{Name: "whole words", Args: `{"text":"the quick brown fox","maxLength":12}`, WantText: "the-quick"},
		{Name: "exactly", Args: `{"text":"the quick brown fox","maxLength":15}`, WantText: "the-quick-brown"},
		{Name: "one long word", Args: `{"text":"incomprehensible","maxLength":5}`, WantText: "incom"},
		{Name: "Russian", Args: `{"text":"Привет мир"}`, WantText: "privet-mir"},
		{Name: "nothing left", Args: `{"text":"?!"}`, Want: `{"input":"?!","slug":""}`},
		{Name: "length", Args: `{"text":"a","maxLength":0}`, Fails: tool.ValidationError, Message: "maxLength"},
		{Name: "other separator", Args: `{"text":"a","separator":"/"}`, Fails: tool.ValidationError, Message: "separator"},
	})
}
