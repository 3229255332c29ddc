package memory

import (
	"context"
	"fmt"
	"testing"

	"github.com/helve-dev/helve/internal/ports/cache"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// TestKnownVectors: what one worker stores or deletes another one knows with its next call,
// with room in its cache and without.
func TestKnownVectors(t *testing.T) {
	call, _ := understanding(t)
	workers := map[string]tool.Call{"same": call}
	for name, bytes := range map[string]int64{"other": 1 << 20, "no room": 300} {
		other := call
		other.Cache = cache.New(bytes).For("default", "ann")
		workers[name] = other
	}
	expect := func(want string) {
		t.Helper()
		for name, worker := range workers {
			if got := contents(play[recallResult](t, worker, "recall", `{"query":"favourite drink","limit":5}`).Memories); got != want {
				t.Errorf("%s worker: %q, want %q", name, got, want)
			}
		}
	}
	expect("")
	tea := add(t, call, "Green tea in the morning", "")
	expect("Green tea in the morning")
	play[forgetResult](t, workers["other"], "forget", quoted(tea, ""))
	expect("")
	add(t, call, "The beverage fridge is a train of thought", "") // as many as before
	expect("The beverage fridge is a train of thought")
	if got := play[rememberResult](t, workers["other"], "remember", `{"content":"Tea","type":"fact"}`); got.Deduplicated {
		t.Errorf("merged with a memory that was forgotten: %+v", got)
	}
}

// counting counts the rows that a store returns.
type counting struct {
	tool.Store

	rows int
}

func (c *counting) Query(ctx context.Context, shape *tool.Shape, q tool.Query) (tool.Page, error) {
	page, err := c.Store.Query(ctx, shape, q)
	c.rows += len(page.Rows)
	return page, err
}

// TestVectorsAreReadOnce: a later call reads the vectors of the last minutes only.
func TestVectorsAreReadOnce(t *testing.T) {
	mine := tooltest.NewStore(t).For("default", "ann")
	store := &counting{Store: mine}
	call := &tool.Call{Store: store, Cache: cache.New(1<<20).For("default", "ann")}
	for n := range 50 {
		if _, err := vectors.Insert(t.Context(), mine, vector{MemoryID: fmt.Sprint(n), Model: "m", Vector: []byte{1}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := mine.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got, err := knownVectors(t.Context(), call, "m"); err != nil || len(got) != 50 {
			t.Fatalf("%d vectors, %v", len(got), err)
		}
		if got, err := knownVectors(t.Context(), call, "other"); err != nil || len(got) != 0 {
			t.Fatalf("%d vectors of another model, %v", len(got), err)
		}
	}
	k, _ := call.Cache.Load("memories", nil).(*vectorCache)
	k.newest = k.newest.Add(2 * overlap)
	store.rows = 0
	if got, err := knownVectors(t.Context(), call, "m"); err != nil || len(got) != 50 || store.rows != 0 {
		t.Errorf("%d vectors, %v, %d rows were read again", len(got), err, store.rows)
	}
}
