package data

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDeduplicate(t *testing.T) {
	tooltest.Run(t, Set, "deduplicate", tool.Call{}, []tooltest.Case{
		{Name: "lines", Args: `{"items":"red\ngreen\nred\nblue"}`, Want: `{"items":["red","green","blue"],"count":3,"removed":1}`},
		{Name: "between commas", Args: `{"items":"red, green, red"}`, Want: `{"items":["red","green"],"count":2,"removed":1}`},
		{
			Name: "values",
			Args: `{"items":[1,1.0,"1",null,null,{"a":1,"b":2},{"b":2,"a":1}]}`,
			Want: `{"items":[1,"1",null,{"a":1,"b":2}],"count":4,"removed":3}`,
		},
		{Name: "case", Args: `{"items":["A","a","B"],"caseSensitive":false}`, Want: `{"items":["A","B"],"count":2,"removed":1}`},
		{
			Name: "key",
			Args: `{"items":[{"id":1,"n":"x"},{"id":1},{"n":"x"},{"n":"x"}],"key":"id"}`,
			Want: `{"items":[{"id":1,"n":"x"},{"n":"x"}],"count":2,"removed":2}`,
		},
		{
			Name: "large numbers",
			Args: `{"items":[9007199254740993,9007199254740992]}`,
			Want: `{"items":[9007199254740993,9007199254740992],"count":2,"removed":0}`,
		},
		{Name: "empty", Args: `{"items":"[]"}`, Want: `{"items":[],"count":0,"removed":0}`},
		{Name: "a number", Args: `{"items":5}`, Fails: tool.ValidationError, Message: "must be a JSON array"},
		{Name: "no items", Args: `{}`, Fails: tool.ValidationError, Message: "items"},
	})
}
