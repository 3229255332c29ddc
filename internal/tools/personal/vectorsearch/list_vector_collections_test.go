package vectorsearch

import (
	"testing"

	"github.com/helve-dev/helve/tool/tooltest"
)

func TestListVectorCollections(t *testing.T) {
	call := ann(t)
	for _, name := range []string{"b", "a", "c"} {
		play[createResult](t, call, "create_vector_collection", `{"name":"`+name+`","dimensions":2}`)
	}
	put(t, call, `{"id":"1","values":[1,0]},{"id":"2","values":[0,1]}`)
	got := play[listResult](t, call, "list_vector_collections", `{}`)
	if got.Total != 3 || got.Count != 3 || got.Truncated || got.Collections[0].Name != "a" || got.Collections[0].Count != nil {
		t.Errorf("result %+v", got)
	}
	got = play[listResult](t, call, "list_vector_collections", `{"includeStats":true,"offset":1}`)
	if got.Count != 2 || *got.Collections[0].Count != 0 || *got.Collections[1].Count != 2 {
		t.Errorf("with stats: %+v", got)
	}
	call.User = "bob"
	tooltest.Run(t, Set, "list_vector_collections", call, []tooltest.Case{
		{
			Name: "nothing of others",
			Args: `{}`,
			Want: `{"message":"0 collection(s) found.","collections":[],"total":0,"count":0,"truncated":false}`,
		},
	})
}
