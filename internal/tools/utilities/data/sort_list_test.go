package data

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestSortList(t *testing.T) {
	tooltest.Run(t, Set, "sort_list", tool.Call{}, []tooltest.Case{
		{Name: "words", Args: `{"items":["pear","Apple","fig"]}`, Want: `{"items":["Apple","fig","pear"],"count":3}`},
		{Name: "case", Args: `{"items":["b","a","B"],"caseSensitive":true}`, Want: `{"items":["B","a","b"],"count":3}`},
		{Name: "equal but for case", Args: `{"items":["b","B","a"]}`, Want: `{"items":["a","b","B"],"count":3}`},
		{Name: "numbers", Args: `{"items":[10,9.5,"7"]}`, Want: `{"items":["7",9.5,10],"count":3}`},
		{Name: "downwards", Args: `{"items":[1,null,3],"order":"desc"}`, Want: `{"items":[3,1,null],"count":3}`},
		{Name: "objects", Args: `{"items":[{"a":2},{},{"a":1}],"key":"a"}`, Want: `{"items":[{"a":1},{"a":2},{}],"count":3}`},
		{Name: "text of an array", Args: `{"items":" [2,1]"}`, Want: `{"items":[1,2],"count":2}`},
		{Name: "lines", Args: `{"items":"pear\r\n\n fig \n"}`, Want: `{"items":["fig","pear"],"count":2}`},
		{Name: "between commas", Args: `{"items":" pear, fig,, apple "}`, Want: `{"items":["apple","fig","pear"],"count":3}`},
		{Name: "commas in lines", Args: `{"items":"Roe, Jane\nDoe, John"}`, Want: `{"items":["Doe, John","Roe, Jane"],"count":2}`},
		{
			Name: "accents",
			Args: `{"items":["zoo","été","Eta","éta","etb","ёж","ель"]}`,
			Want: `{"items":["Eta","éta","etb","été","zoo","ёж","ель"],"count":7}`,
		},
		{Name: "nothing in it", Args: `{"items":""}`, Want: `{"items":[],"count":0}`},
		{Name: "empty", Args: `{"items":[]}`, Want: `{"items":[],"count":0}`},
		{Name: "an object", Args: `{"items":{"a":1}}`, Fails: tool.ValidationError, Message: "must be a JSON array"},
		{Name: "a broken array", Args: `{"items":"[1,"}`, Fails: tool.ValidationError, Message: "Invalid JSON in items"},
		{Name: "order", Args: `{"items":[],"order":"up"}`, Fails: tool.ValidationError, Message: "order"},
		{Name: "no items", Args: `{}`, Fails: tool.ValidationError, Message: "items"},
	})
}
