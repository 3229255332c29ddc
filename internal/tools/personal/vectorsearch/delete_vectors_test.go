package vectorsearch

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDeleteVectors(t *testing.T) {
	call := ann(t)
	create(t, call, "")
	fill := func() {
		put(t, call, `{"id":"a","values":[1,0],"metadata":{"k":1}},{"id":"b","values":[0.9,0.1],"metadata":{"k":1,"l":"x"}},{"id":"c","values":[0.5,0.5],"metadata":{"k":2}}`)
		play[upsertResult](t, call, "upsert_vectors",
			`{"collection":"c","namespace":"n","vectors":[{"id":"a","values":[0,1],"metadata":{"k":1}}]}`)
	}
	for args, want := range map[string]string{
		`"ids":["a"]`:                          "b c a ",
		`"ids":["a","a","none"]`:               "b c a ",
		`"ids":["a"],"namespace":"n"`:          "a b c ",
		`"filter":{"k":1.0}`:                   "c ",
		`"filter":{"k":1,"l":"x"}`:             "a c a ",
		`"filter":{"k":"1"}`:                   "a b c a ",
		`"filter":{"k":1},"namespace":""`:      "c a ",
		`"deleteAll":true`:                     "",
		`"deleteAll":true,"namespace":"n"`:     "a b c ",
		`"deleteAll":true,"namespace":"other"`: "a b c a ",
	} {
		fill()
		if got := nearest(t, call, `,"vector":[1,0]`); got != "a b c a " {
			t.Fatalf("before %s: %s", args, got)
		}
		got := play[deleteResult](t, call, "delete_vectors", `{"collection":"c",`+args+`}`)
		if found := nearest(t, call, `,"vector":[1,0]`); found != want || got.Deleted != 4-len(want)/2 {
			t.Errorf("%s leaves %q, want %q; result %+v", args, found, want, got)
		}
	}
	fill()
	tooltest.Run(t, Set, "delete_vectors", call, []tooltest.Case{
		{Name: "nothing", Args: `{"collection":"c"}`, Fails: tool.ValidationError, Message: "give one of ids, filter and deleteAll"},
		{Name: "two ways", Args: `{"collection":"c","ids":["a"],"deleteAll":true}`, Fails: tool.ValidationError, Message: "give one of"},
		{Name: "empty filter", Args: `{"collection":"c","filter":{}}`, Fails: tool.ValidationError, Message: "set deleteAll"},
		{Name: "none of them", Args: `{"collection":"c","ids":["x"]}`, Fails: tool.NotFound, Message: "none of the ids"},
		{Name: "filter", Args: `{"collection":"c","filter":7}`, Fails: tool.ValidationError, Message: "filter"},
	})
	unknown(t, "delete_vectors", `,"ids":["a"]`)
}
