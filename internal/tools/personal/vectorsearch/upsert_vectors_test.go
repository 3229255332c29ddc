package vectorsearch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestUpsertVectors(t *testing.T) {
	call := served(t, 2)
	create(t, call, "")
	got := play[upsertResult](t, call, "upsert_vectors",
		`{"collection":"c","vectors":[{"id":"a","values":[1,0]},{"values":[0,1]}],"texts":[{"id":"t","text":"🍞 לחם","metadata":{"k":1}}]}`)
	if got.Upserted != 3 || got.IDs[0] != "a" || len(got.IDs[1]) != 12 || got.IDs[2] != "t" || got.Message != "Stored 3 vector(s) in c." {
		t.Errorf("result %+v", got)
	}
	if list := play[listResult](t, call, "list_vector_collections", `{"includeStats":true}`); list.Collections[0].Dimensions != 2 ||
		*list.Collections[0].Count != 3 {
		t.Errorf("the first vector decides the dimensions: %+v", list.Collections[0])
	}
	put(t, call, `{"id":"a","values":[5,5]}`)
	if list := play[listResult](t, call, "list_vector_collections", `{"includeStats":true}`); *list.Collections[0].Count != 3 {
		t.Errorf("%d vectors after a replacement, want 3", *list.Collections[0].Count)
	}
	play[upsertResult](t, call, "upsert_vectors", `{"collection":"c","namespace":"n","vectors":[{"id":"a","values":[1,0]}]}`)
	if list := play[listResult](t, call, "list_vector_collections", `{"includeStats":true}`); *list.Collections[0].Count != 4 {
		t.Errorf("%d vectors with the same id in a namespace, want 4", *list.Collections[0].Count)
	}
	one := `{"values":[1,0]},`
	tooltest.Run(t, Set, "upsert_vectors", call, []tooltest.Case{
		{Name: "nothing", Args: `{"collection":"c"}`, Fails: tool.ValidationError, Message: "give vectors or texts, 1 to 100"},
		{
			Name: "101", Args: `{"collection":"c","vectors":[` + strings.Repeat(one, 100) + one[:len(one)-1] + `]}`, Fails: tool.ValidationError,
			Message: "not 101",
		},
		{
			Name: "length", Args: `{"collection":"c","vectors":[{"values":[1,0]},{"values":[1,2,3]}]}`, Fails: tool.ValidationError,
			Message: "vectors[1].values has 3 numbers, and the vectors of the collection c have 2",
		},
		{
			Name: "empty", Args: `{"collection":"c","vectors":[{"values":[]}]}`, Fails: tool.ValidationError,
			Message: "vectors[0].values has 0 numbers",
		},
		{Name: "no values", Args: `{"collection":"c","vectors":[{"id":"x"}]}`, Fails: tool.ValidationError, Message: "vectors[0].values"},
		{
			Name: "zero", Args: `{"collection":"c","vectors":[{"values":[0,0]}]}`, Fails: tool.ValidationError, Message: "vectors[0].values is zero",
		},
		{
			Name: "too large", Args: `{"collection":"c","vectors":[{"values":[1e39,0]}]}`, Fails: tool.ValidationError,
			Message: "vectors[0].values: a number is too large",
		},
		{Name: "infinite", Args: `{"collection":"c","vectors":[{"values":[1e999,0]}]}`, Fails: tool.ValidationError},
		{Name: "not a number", Args: `{"collection":"c","vectors":[{"values":["NaN",0]}]}`, Fails: tool.ValidationError},
		{
			Name: "id twice", Args: `{"collection":"c","vectors":[{"id":"a","values":[1,0]},{"id":"a","values":[0,1]}]}`,
			Fails: tool.ValidationError, Message: "vectors[1] has the id of vectors[0]",
		},
		{
			Name: "blank id", Args: `{"collection":"c","vectors":[{"id":" ","values":[1,0]}]}`, Fails: tool.ValidationError,
			Message: "vectors[0].id is blank",
		},
		{Name: "blank text", Args: `{"collection":"c","texts":[{"text":" "}]}`, Fails: tool.ValidationError, Message: "texts[0].text is blank"},
		{
			Name: "metadata", Args: `{"collection":"c","vectors":[{"values":[1,0],"metadata":7}]}`, Fails: tool.ValidationError, Message: "metadata",
		},
		{Name: "NUL", Args: `{"collection":"c","texts":[{"text":"a\u0000b"}]}`, Fails: tool.ValidationError, Message: "NUL"},
	})
	unknown(t, "upsert_vectors", `,"vectors":[{"values":[1,0]}]`)
}

// TestUpsertWithoutService: vectors of the caller need no service, texts do; nothing of a
// refused call is stored.
func TestUpsertWithoutService(t *testing.T) {
	call := ann(t)
	create(t, call, "")
	tooltest.Run(t, Set, "upsert_vectors", call, []tooltest.Case{
		{
			Name:    "texts",
			Args:    `{"collection":"c","vectors":[{"id":"a","values":[1,0]}],"texts":[{"text":"x"}]}`,
			Fails:   tool.NotConfigured,
			Message: `The service "openai" is not configured, neither for ann nor for the tenant default. It is needed to make vectors of texts`,
		},
	})
	if got := nearest(t, call, `,"vector":[1,0]`); got != "" {
		t.Errorf("stored by a refused call: %s", got)
	}
	put(t, call, `{"id":"a","values":[1,0]}`)
	wrong := served(t, 3)
	wrong.Store = call.Store
	tooltest.Run(t, Set, "upsert_vectors", wrong, []tooltest.Case{
		{
			Name:    "another length",
			Args:    `{"collection":"c","texts":[{"text":"x"}]}`,
			Fails:   tool.ValidationError,
			Message: "a vector of the model house has 3 numbers, and the vectors of the collection c have 2",
		},
	})
}

// TestLongVectors: a vector of the most numbers is stored.
func TestLongVectors(t *testing.T) {
	call := ann(t)
	create(t, call, `,"metric":"dotproduct"`)
	numbers := strings.Repeat("0.125,", maxDimensions-1) + "1"
	put(t, call, `{"id":"long","values":[`+numbers+`]}`)
	if got := nearest(t, call, `,"vector":[`+numbers+`]`); got != "long " {
		t.Errorf("found %q", got)
	}
	tooltest.Run(t, Set, "upsert_vectors", call, []tooltest.Case{
		{
			Name:    "longer",
			Args:    fmt.Sprintf(`{"collection":"c","vectors":[{"values":[%s,1]}]}`, numbers),
			Fails:   tool.ValidationError,
			Message: "1 to 16000",
		},
	})
}
