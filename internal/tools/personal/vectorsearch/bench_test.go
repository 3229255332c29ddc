package vectorsearch

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/lib/vector"
	"github.com/helve-dev/helve/internal/ports/cache"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// BenchmarkLarge searches a collection of 100,000 vectors of 768 numbers in SQLite: from a
// cache that has it (warm), with an empty cache (cold), and with a cache that cannot hold
// it (scan).
func BenchmarkLarge(b *testing.B) {
	const rows, dims = 100_000, 768
	store := tooltest.NewStore(b)
	mine := store.For("default", "ann")
	c, err := collections.Insert(b.Context(), mine, stored{Name: "c", Dimensions: dims, Metric: vector.Cosine})
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	v := make([]float32, dims)
	for i := range rows {
		for j := range v {
			v[j] = rng.Float32() - 0.5
		}
		id := fmt.Sprint(i)
		doc, err := json.Marshal(row{V: vector.Encode(v), ID: id, Word: wordOf("", id)})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := mine.Insert(b.Context(), rowsOf(c), doc); err != nil {
			b.Fatal(err)
		}
		if i%1000 == 999 {
			if err := mine.Commit(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	}
	fresh := func(bytes int64) tool.Call {
		return tool.Call{
			Tenant:  "default",
			User:    "ann",
			Store:   store,
			Cache:   cache.New(bytes).For("default", "ann"),
			HTTP:    tooltest.Doer(nil),
			Secrets: accounts{},
		}
	}
	args := `{"collection":"c","topK":10,"vector":[1` + strings.Repeat(",0.5", dims-1) + `]}`
	find := func(call tool.Call) {
		for _, tl := range Set.Tools() {
			if tl.Name != "semantic_search" {
				continue
			}
			if _, err := tooltest.Play(b.Context(), tl, call, args); err != nil {
				b.Fatal(err)
			}
		}
	}
	const room = 1 << 30
	warm := fresh(room)
	find(warm)
	b.Run("warm", func(b *testing.B) {
		for b.Loop() {
			find(warm)
		}
	})
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			find(fresh(room))
		}
	})
	b.Run("scan", func(b *testing.B) {
		for b.Loop() {
			find(fresh(1 << 20))
		}
	})
}
