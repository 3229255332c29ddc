package vectorsearch

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/helve-dev/helve/internal/ports/cache"
	"github.com/helve-dev/helve/internal/ports/netguard"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDefinitions(t *testing.T) { tooltest.Golden(t, Set) }

// accounts is a config center with the entries of one service.
type accounts []tool.ServiceEntry

func (a accounts) Entries(context.Context, string) ([]tool.ServiceEntry, error) { return a, nil }

// cacheBytes is the cache of a worker in tests.
const cacheBytes = 16 << 20

// ann returns a call of ann's, over an empty store and without services.
func ann(t *testing.T) tool.Call {
	t.Helper()
	return tool.Call{
		Tenant:  "default",
		User:    "ann",
		Store:   tooltest.NewStore(t),
		Cache:   cache.New(cacheBytes).For("default", "ann"),
		HTTP:    tooltest.Doer(nil),
		Secrets: accounts{},
	}
}

// served returns ann's call with an embedding service that speaks OpenAI's format. The vector
// of a text has dims numbers that follow from its bytes.
func served(t *testing.T, dims int) tool.Call {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Model string
			Input []string
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.URL.Path != "/v1/embeddings" {
			http.Error(w, "unexpected request", http.StatusBadRequest)
			return
		}
		var data []any
		for i, text := range body.Input {
			data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": meaning(text, dims)})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"object": "list", "data": data, "model": body.Model, "usage": map[string]int{"prompt_tokens": 1, "total_tokens": 1},
		})
	}))
	t.Cleanup(server.Close)
	guard, err := netguard.New(netguard.Options{Allow: []string{server.Listener.Addr().String()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(guard.Close)
	call := ann(t)
	call.HTTP = guard
	call.Secrets = accounts{
		{Active: true, Data: map[string]string{"base_url": server.URL + "/v1", "api_key": "k", "embedding_model": "house"}},
	}
	return call
}

func meaning(text string, dims int) []float32 {
	v := make([]float32, dims)
	for i := range v {
		h := fnv.New32a()
		_, _ = h.Write([]byte{byte(i)})
		_, _ = h.Write([]byte(text))
		v[i] = float32(h.Sum32()%1000) + 1
	}
	return v
}

// play makes a call that must succeed, and decodes its result.
func play[T any](t *testing.T, call tool.Call, name, args string) T {
	t.Helper()
	out, _ := noted[T](t, call, name, args)
	return out
}

// noted is play, and returns the notes of the call, too.
func noted[T any](t *testing.T, call tool.Call, name, args string) (out T, notes []string) {
	t.Helper()
	for _, tl := range Set.Tools() {
		if tl.Name != name {
			continue
		}
		res, err := tooltest.Play(t.Context(), tl, call, args)
		if err != nil {
			t.Fatalf("%s(%.300s): %v", name, args, err)
		}
		if err := json.Unmarshal(res.Value, &out); err != nil {
			t.Fatal(err)
		}
		return out, res.Notes
	}
	t.Fatalf("there is no tool %s", name)
	return out, nil
}

// create makes a collection c of two dimensions.
func create(t *testing.T, call tool.Call, more string) {
	t.Helper()
	play[createResult](t, call, "create_vector_collection", `{"name":"c"`+more+`}`)
}

// put stores vectors of c.
func put(t *testing.T, call tool.Call, vectors string) {
	t.Helper()
	play[upsertResult](t, call, "upsert_vectors", `{"collection":"c","vectors":[`+vectors+`]}`)
}

// nearest returns the ids that a search of c finds, one after the other.
func nearest(t *testing.T, call tool.Call, more string) string {
	t.Helper()
	list := ""
	for _, m := range play[searchResult](t, call, "semantic_search", `{"collection":"c","topK":10`+more+`}`).Matches {
		list += m.ID + " "
	}
	return list
}

// unknown holds a tool to how it refuses collections: none, another person's, no name.
func unknown(t *testing.T, name, more string) {
	t.Helper()
	call := ann(t)
	create(t, call, "")
	call.User, call.Cache = "bob", cache.New(cacheBytes).For("default", "bob")
	tooltest.Run(t, Set, name, call, []tooltest.Case{
		{
			Name:    "another person's",
			Args:    `{"collection":"c"` + more + `}`,
			Fails:   tool.NotFound,
			Message: "Collection not found: c; list_vector_collections",
		},
		{Name: "hostile", Args: `{"collection":"' OR 1=1 --"` + more + `}`, Fails: tool.NotFound},
		{Name: "blank", Args: `{"collection":" "` + more + `}`, Fails: tool.ValidationError, Message: "collection is missing or blank"},
		{Name: "no collection", Args: `{` + more[1:] + `}`, Fails: tool.ValidationError, Message: "collection"},
	})
}
