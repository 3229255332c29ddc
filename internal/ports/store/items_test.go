package store

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/helve-dev/helve/tool"
)

// itemsOf returns the items of a person of acme.
func itemsOf(t testing.TB, s *Store, user string) (all []*Item) {
	t.Helper()
	err := s.Items(t.Context(), "acme", user, func(item *Item) error {
		all = append(all, item)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// sameItems compares documents by their values: PostgreSQL orders members.
var sameItems = cmp.Options{
	cmp.Transformer("doc", func(doc json.RawMessage) string { return string(canonical(doc)) }),
	cmpopts.EquateEmpty(),
}

// TestItems: the items of one person, with the fields that search reads, and no others.
func TestItems(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := open(t, where)
		n := 2*itemsPage + 3 // more than a page
		call(t, s, "c1", func(u *Unit) {
			for range n {
				insert(t, u, note{Title: "Buy Milk", Body: "whole", Rank: 2})
			}
		})
		as(t, s, "ben", "c2", func(u *Unit) { insert(t, u, note{Title: "whole other"}) })
		plain := tool.NewCollection[struct {
			Name string `json:"name"`
		}]("plain")
		call(t, s, "c3", func(u *Unit) {
			if _, err := plain.Insert(t.Context(), u, struct {
				Name string `json:"name"`
			}{"x"}); err != nil {
				t.Fatal(err)
			}
		})
		all := itemsOf(t, s, "ann")
		if len(all) != n+1 {
			t.Fatalf("%d items, want %d", len(all), n+1)
		}
		if !slices.IsSortedFunc(all, func(a, b *Item) int { return strings.Compare(a.Collection+" "+a.ID, b.Collection+" "+b.ID) }) {
			t.Error("the items have no order")
		}
		if got, want := all[0].Search, []string{"body", "title"}; !slices.Equal(got, want) {
			t.Errorf("search reads %v, want %v", got, want)
		}
		if last := all[n]; last.Collection != "plain" || last.Search != nil {
			t.Errorf("the last item is %+v, want an item without search words", last)
		}
		stop := errors.New("enough")
		if err := s.Items(t.Context(), "acme", "ann", func(*Item) error { return stop }); !errors.Is(err, stop) {
			t.Errorf("Items = %v, want the error of the function", err)
		}
	})
}

// TestImport: what a person exports, another store holds after the import, and finds.
func TestImport(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		from := open(t, Options{Dir: t.TempDir()})
		call(t, from, "c1", func(u *Unit) {
			insert(t, u, note{Title: "Crème brûlée", Tags: []string{"sweet"}, Rank: 1.5})
			insert(t, u, note{Title: "b", Pinned: true})
		})
		items := itemsOf(t, from, "ann")
		to := open(t, where)
		for _, want := range []Imported{{Added: 2}, {Kept: 2}} {
			if got, err := to.Import(t.Context(), "acme", "ann", items, false); got != want || err != nil {
				t.Fatalf("Import = %+v, %v, want %+v", got, err, want)
			}
		}
		if diff := cmp.Diff(items, itemsOf(t, to, "ann"), sameItems); diff != "" {
			t.Errorf("the items have changed:\n%s", diff)
		}
		if got := titles(t, to.For("acme", "ann", "", 1), tool.Query{Text: "creme sweet"}); got != "Crème brûlée" {
			t.Errorf("search finds %q", got)
		}
		other := *items[0]
		other.Doc = json.RawMessage(`{"title": "new"}`)
		if got, err := to.Import(t.Context(), "acme", "ann", []*Item{&other}, false); got.Kept != 1 || err != nil {
			t.Errorf("Import without replace = %+v, %v", got, err)
		}
		if got, err := to.Import(t.Context(), "acme", "ann", []*Item{&other}, true); got.Replaced != 1 || err != nil {
			t.Errorf("Import with replace = %+v, %v", got, err)
		}
		if got := titles(t, to.For("acme", "ann", "", 1), tool.Query{Text: "new"}); got != "new" {
			t.Errorf("search finds %q after a replacement", got)
		}
	})
}

// TestImportRefused: a bad item of an import, or one too many, and nothing is stored.
func TestImportRefused(t *testing.T) {
	t.Parallel()
	good := &Item{Collection: "notes", Row: tool.Row{ID: "a1", Doc: json.RawMessage(`{"title": "x"}`)}}
	onEach(t, func(t *testing.T, where Options) {
		where.MaxDocuments = 3
		s := open(t, where)
		for name, bad := range map[string]Item{
			"collection": {Collection: "store_row; --", Row: tool.Row{ID: "a2", Doc: json.RawMessage(`{}`)}},
			"id":         {Collection: "notes", Row: tool.Row{ID: "a 2", Doc: json.RawMessage(`{}`)}},
			"array":      {Collection: "notes", Row: tool.Row{ID: "a2", Doc: json.RawMessage(`[]`)}},
			"no JSON":    {Collection: "notes", Row: tool.Row{ID: "a2", Doc: json.RawMessage(`{`)}},
			"NUL":        {Collection: "notes", Row: tool.Row{ID: "a2", Doc: json.RawMessage(`{"a": "\u0000"}`)}},
			"fields":     {Collection: "notes", Row: tool.Row{ID: "a2", Doc: json.RawMessage(`{}`)}, Search: make([]string, maxSearch+1)},
		} {
			_, err := s.Import(t.Context(), "acme", "ann", []*Item{good, &bad}, false)
			if e := tool.AsError(err); e == nil || e.Kind != tool.ValidationError {
				t.Errorf("%s: %v, want a validation error", name, err)
			}
		}
		many := make([]*Item, 4)
		for i := range many {
			item := *good
			item.ID = "b" + itoa(i)
			many[i] = &item
		}
		_, err := s.Import(t.Context(), "acme", "ann", many, false)
		wantKind(t, err, tool.RateLimited, "3 items")
		if all := itemsOf(t, s, "ann"); len(all) != 0 {
			t.Errorf("%d items were stored, want none", len(all))
		}
	})
}

// TestItemsAway: an export from a database that cannot be reached fails, and leaves
// nothing out in silence.
func TestItemsAway(t *testing.T) {
	t.Parallel()
	s := open(t, Options{URL: "postgres://nobody@127.0.0.1:1/none", Wait: 1})
	err := s.Items(context.Background(), "acme", "ann", func(*Item) error { return nil })
	wantKind(t, err, tool.Overloaded, "does not answer")
}
