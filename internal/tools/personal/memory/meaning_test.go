package memory

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/cache"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// understanding returns ann's call with a service for embeddings. It knows three subjects
// by these words; a text has the vector of how many words of each it holds.
func understanding(t *testing.T) (tool.Call, *httptest.Server) {
	t.Helper()
	subjects := [][]string{{"tea", "beverage", "drink"}, {"dog", "puppy", "pet"}, {"train", "seat"}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			Model string   `json:"model"`
			Input []string `json:"input"`
		}
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			t.Error(err)
		}
		type embedding struct {
			Index     int       `json:"index"`
			Embedding []float64 `json:"embedding"`
		}
		var data []embedding
		for i, text := range request.Input {
			e := embedding{i, []float64{0, 0, 0, 0.01}}
			for n, words := range subjects {
				for _, word := range words {
					e.Embedding[n] += float64(strings.Count(strings.ToLower(text), word))
				}
			}
			data = append(data, e)
		}
		if err := json.NewEncoder(w).Encode(map[string]any{"model": request.Model, "data": data}); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	call := ann(t)
	call.HTTP = server.Client()
	call.Secrets = accounts{{Active: true, Data: map[string]string{"base_url": server.URL, "embedding_model": "subjects"}}}
	return call, server
}

func TestRecallByMeaning(t *testing.T) {
	call, server := understanding(t)
	add(t, call, "Green tea in the morning", `,"tags":["kitchen"]`)
	add(t, call, "A puppy called Rex", "")
	add(t, call, "The beverage fridge is a train of thought", "")
	for args, want := range map[string]string{
		`"query":"favourite drink"`:                        "Green tea in the morning|The beverage fridge is a train of thought",
		`"query":"which beverage"`:                         "The beverage fridge is a train of thought|Green tea in the morning",
		`"query":"pet"`:                                    "A puppy called Rex",
		`"query":"a drink for the dog","tags":["kitchen"]`: "Green tea in the morning",
		`"query":"favourite drink","type":"skill"`:         "",
		`"query":"quantum physics"`:                        "",
		`"query":"favourite drink","limit":1,"offset":1`:   "The beverage fridge is a train of thought",
		`"query":"%"`:                                      "",
	} {
		if !strings.Contains(args, "limit") {
			args += `,"limit":10`
		}
		if got := contents(play[recallResult](t, call, "recall", "{"+args+"}").Memories); got != want {
			t.Errorf("%s recalls %q, want %q", args, got, want)
		}
	}
	bob := call
	bob.User, bob.Cache = "bob", cache.New(1<<20).For("default", "bob")
	if got := play[recallResult](t, bob, "recall", `{"query":"favourite drink","limit":5}`); got.Count != 0 {
		t.Errorf("bob recalls %+v", got)
	}
	server.Close() // words go on
	if got := contents(play[recallResult](t, call, "recall", `{"query":"puppy","limit":5}`).Memories); got != "A puppy called Rex" {
		t.Errorf("without the service: %q", got)
	}
	if add(t, call, "Without the service", ""); play[statsResult](t, call, "memory_stats", `{}`).Stats.Total != 4 {
		t.Error("nothing is remembered without the service")
	}
}

// TestRememberByMeaning: memories that mean the same are merged.
func TestRememberByMeaning(t *testing.T) {
	call, _ := understanding(t)
	id := add(t, call, "Loves tea", "")
	got := play[batchResult](t, call, "batch_remember", `{"memories":[
		{"content":"Likes a beverage","type":"preference","tags":["x"]},{"content":"Has a dog","type":"fact"},{"content":"Owns a pet","type":"fact"},{"content":"A dog and tea","type":"fact"}]}`)
	if got.Created != 2 || got.Deduplicated != 2 || got.Memories[0].ID != id || got.Memories[2].ID != got.Memories[1].ID ||
		got.Memories[3].Deduplicated {
		t.Errorf("result %+v", got)
	}
	play[forgetResult](t, call, "forget", quoted(id, ""))
	left, err := vectors.Query(t.Context(), call.Store.(*tooltest.Store).For("default", "ann"), tool.Query{})
	if err != nil || len(left.List) != 2 {
		t.Errorf("%d vectors are left, %v, want those of the 2 other memories", len(left.List), err)
	}
	if got := play[rememberResult](t, call, "remember", `{"content":"Hot drink","type":"fact"}`); got.Deduplicated {
		t.Errorf("merged with a memory that was forgotten: %+v", got)
	}
}
