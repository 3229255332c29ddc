package vectorsearch

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/cache"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestSemanticSearch(t *testing.T) {
	call := served(t, 8)
	create(t, call, "")
	texts := []string{"bread", "butter", "🍞 לחם", strings.Repeat("long ", 1000)}
	for i, text := range texts {
		play[upsertResult](t, call, "upsert_vectors",
			fmt.Sprintf(`{"collection":"c","texts":[{"id":"%d","text":%q,"metadata":{"n":%d,"even":%v,"tags":["a",%d]}}]}`, i, text, i, i%2 == 0, i))
	}
	got := play[searchResult](t, call, "semantic_search", `{"collection":"c","query":"butter","topK":2,"includeEmbeddings":true}`)
	if first := got.Matches[0]; got.Count != 2 || first.ID != "1" || first.Score < 0.9999 || first.Text != "butter" ||
		string(first.Metadata) == "" || !slices.Equal(first.Embedding, meaning("butter", 8)) {
		t.Errorf("result %+v", got)
	}
	got = play[searchResult](t, call, "semantic_search",
		`{"collection":"c","query":"butter","topK":50,"threshold":0.9999,"includeMetadata":false}`)
	if got.Count != 1 || got.Matches[0].Metadata != nil || got.Matches[0].Embedding != nil {
		t.Errorf("with a threshold: %+v", got)
	}
	for filter, want := range map[string]int{
		`{"n":2}`: 1, `{"n":2.0}`: 1, `{"n":"2"}`: 0, `{"even":true}`: 2, `{"even":true,"n":0}`: 1, `{"tags":["a",3]}`: 1, `{"tags":[3,"a"]}`: 0,
		`{"none":null}`: 0, `{}`: 4,
	} {
		if got := play[searchResult](t, call, "semantic_search",
			`{"collection":"c","query":"x","topK":10,"filter":`+filter+`}`).Count; got != want {
			t.Errorf("filter %s finds %d, want %d", filter, got, want)
		}
	}
	tooltest.Run(t, Set, "semantic_search", call, []tooltest.Case{
		{Name: "nothing", Args: `{"collection":"c"}`, Fails: tool.ValidationError, Message: "give either query"},
		{Name: "both", Args: `{"collection":"c","query":"x","vector":[1]}`, Fails: tool.ValidationError, Message: "give either query"},
		{
			Name: "length", Args: `{"collection":"c","vector":[1,2]}`, Fails: tool.ValidationError,
			Message: "vector has 2 numbers, and the vectors of the collection c have 8",
		},
		{Name: "zero", Args: `{"collection":"c","vector":[0,0,0,0,0,0,0,0]}`, Fails: tool.ValidationError, Message: "vector is zero"},
		{Name: "filter", Args: `{"collection":"c","query":"x","filter":[1]}`, Fails: tool.ValidationError, Message: "filter"},
	})
	call.Secrets = accounts{}
	tooltest.Run(t, Set, "semantic_search", call, []tooltest.Case{
		{
			Name: "no service", Args: `{"collection":"c","query":"x"}`, Fails: tool.NotConfigured,
			Message: "vectors that the caller gives need no service",
		},
	})
	unknown(t, "semantic_search", `,"vector":[1,0]`)
}

func TestMetrics(t *testing.T) {
	for metric, want := range map[string]string{"cosine": "far near ", "euclidean": "near far ", "dotproduct": "far near "} {
		call := ann(t)
		create(t, call, `,"metric":"`+metric+`"`)
		if got := nearest(t, call, `,"vector":[1,1]`); got != "" {
			t.Errorf("%s: an empty collection has %s", metric, got)
		}
		put(t, call, `{"id":"near","values":[1,1.5]},{"id":"far","values":[9,9]}`)
		if got := nearest(t, call, `,"vector":[1,1]`); got != want {
			t.Errorf("%s: %s, want %s", metric, got, want)
		}
	}
}

// TestTwoWorkers: what one worker stores, replaces and deletes, the cache of another finds
// at its next search.
func TestTwoWorkers(t *testing.T) {
	one := ann(t)
	two := one
	two.Cache = cache.New(cacheBytes).For("default", "ann")
	create(t, one, "")
	put(t, one, `{"id":"a","values":[1,0]},{"id":"b","values":[0,1]}`)
	const q = `,"vector":[1,0.1]`
	agree := func(want string) {
		t.Helper()
		for i, call := range []tool.Call{one, two, one} {
			if got := nearest(t, call, q); got != want {
				t.Fatalf("worker %d finds %s, want %s", i, got, want)
			}
		}
	}
	agree("a b ")
	put(t, two, `{"id":"b","values":[1,0.1]},{"id":"c","values":[-1,0]}`)
	agree("b a c ")
	play[deleteResult](t, one, "delete_vectors", `{"collection":"c","ids":["b"]}`)
	agree("a c ")
	for i := range 30 {
		put(t, two, fmt.Sprintf(`{"id":"n%d","values":[1,%d]},{"id":"a","values":[-1,%d]}`, i, 50+i, i))
	}
	agree("n0 n1 n2 n3 n4 n5 n6 n7 n8 n9 ")
	play[deleteResult](t, two, "delete_vectors", `{"collection":"c","deleteAll":true}`)
	agree("")
	put(t, one, `{"id":"z","values":[1,1]}`)
	agree("z ")
}

// TestTooLarge: a collection that does not fit the cache is searched in the database, with
// the same result.
func TestTooLarge(t *testing.T) {
	call := ann(t)
	create(t, call, "")
	var want []string
	for i := range 12 {
		id := fmt.Sprintf("v%02d", i)
		put(t, call, fmt.Sprintf(`{"id":"%s","values":[1,%d],"metadata":{"n":%d}}`, id, i, i%2))
		want = append(want, id)
	}
	for _, bytes := range []int64{0, 1000, cacheBytes} {
		call.Cache = cache.New(bytes).For("default", "ann")
		for range 2 {
			got, notes := noted[searchResult](t, call, "semantic_search", `{"collection":"c","topK":10,"vector":[1,0],"filter":{"n":1}}`)
			var ids []string
			for _, m := range got.Matches {
				ids = append(ids, m.ID)
			}
			if !slices.Equal(ids, []string{want[1], want[3], want[5], want[7], want[9], want[11]}) || (len(notes) == 0) != (bytes == cacheBytes) {
				t.Errorf("with %d bytes: %q, notes %q", bytes, ids, notes)
			}
		}
	}
}

// TestSameIDTwice: two rows of one id, as two calls at the same time leave them, are one
// match, and one row after the next upsert.
func TestSameIDTwice(t *testing.T) {
	call := ann(t)
	create(t, call, "")
	put(t, call, `{"id":"a","values":[1,0]}`)
	store, _ := call.Store.(*tooltest.Store)
	direct := store.For("default", "ann")
	c, err := lookup(t.Context(), &tool.Call{Store: direct}, "c")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := direct.Query(t.Context(), rowsOf(*c), tool.Query{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := direct.Insert(t.Context(), rowsOf(*c), rows.Rows[0].Doc); err != nil {
		t.Fatal(err)
	}
	if err := direct.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := nearest(t, call, `,"vector":[1,0]`); got != "a " {
		t.Errorf("found %s, want one a", got)
	}
	put(t, call, `{"id":"a","values":[0,1]}`)
	if list := play[listResult](t, call, "list_vector_collections", `{"includeStats":true}`); *list.Collections[0].Count != 1 {
		t.Errorf("%d rows after an upsert, want 1", *list.Collections[0].Count)
	}
}
