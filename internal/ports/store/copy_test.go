package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/tool"
)

// fill stores items of two persons in a database, changes some of them and closes it.
func fill(t *testing.T, where Options) {
	t.Helper()
	s, err := Open(t.Context(), where)
	if err != nil {
		t.Fatal(err)
	}
	for i, user := range []string{"ann", "ben"} {
		as(t, s, user, "first-"+user, func(u *Unit) {
			for range 3 * (i + 1) {
				insert(t, u, note{Title: "Straße " + user, Body: "emoji 🎉 שלום \\ \"quoted\" old", Rank: 1e21, Tags: []string{"x y"}})
			}
			insert(t, u, note{}) // searched, without a word
		})
		as(t, s, user, "second-"+user, func(u *Unit) {
			page, err := notes.Query(t.Context(), u, tool.Query{Text: "old", Limit: 1})
			if err != nil {
				t.Fatal(err)
			}
			r := page.List[0]
			r.Value.Body = "changed"
			if _, err := notes.Update(t.Context(), u, r); err != nil {
				t.Fatal(err)
			}
		})
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

var filled = Copied{"store_row": 3 + 6 + 2, "store_call": 4, "store_usage": 2}

// TestCopy: there and back, nothing is lost: documents, search, results of calls, usage.
func TestCopy(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		first, back := Options{Dir: t.TempDir()}, Options{Dir: t.TempDir()}
		fill(t, first)
		for _, step := range [][2]Options{{first, where}, {where, back}} {
			got, err := Copy(t.Context(), step[0], step[1])
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(filled, got); diff != "" {
				t.Fatalf("Copy: %s", diff)
			}
		}
		a := open(t, first)
		for _, o := range []Options{where, back} {
			o.MaxDocuments = 7
			b := open(t, o)
			for _, user := range []string{"ann", "ben"} {
				if diff := cmp.Diff(itemsOf(t, a, user), itemsOf(t, b, user), sameItems); diff != "" {
					t.Errorf("the items of %s have changed: %s", user, diff)
				}
			}
			ben := b.For("acme", "ben", "", 1)
			for text, want := range map[string]int{"old": 5, "changed": 1, "ann": 0, "🎉 שלום": 5} {
				page, err := notes.Query(t.Context(), ben, tool.Query{Text: text})
				if err != nil || len(page.List) != want {
					t.Errorf("search for %s finds %d, %v, want %d", text, len(page.List), err, want)
				}
			}
			stored, err := b.Stored(t.Context(), "acme", "ben", "second-ben")
			if err != nil || stored == nil || string(stored.Result.Value) != `"second-ben"` {
				t.Errorf("the stored result is %+v, %v", stored, err)
			}
			u := b.For("acme", "ben", "more", 1)
			insert(t, u, note{Title: "one too many"})
			_, err = u.Commit(t.Context(), tool.Result{Value: json.RawMessage("1")})
			wantKind(t, err, tool.RateLimited, "7 items")
			as(t, b, "ann", "update", func(u *Unit) { // and the copy can be worked with
				page, err := notes.Query(t.Context(), u, tool.Query{Text: "changed"})
				if err != nil || len(page.List) != 1 {
					t.Fatal(err, page)
				}
				if err := notes.Delete(t.Context(), u, page.List[0]); err != nil {
					t.Fatal(err)
				}
			})
			if got := titles(t, b.For("acme", "ann", "", 1), tool.Query{Text: "changed"}); got != "" {
				t.Errorf("search finds %q after its deletion", got)
			}
		}
	})
}

// TestCopyRefused: a database in use, a full target and a missing source are refused, and
// the target stays as it is.
func TestCopyRefused(t *testing.T) {
	t.Parallel()
	testtime.Slow(t, "it copies databases")
	onEach(t, func(t *testing.T, where Options) {
		source := Options{Dir: t.TempDir()}
		fill(t, source)
		if _, err := Copy(t.Context(), Options{Dir: t.TempDir()}, where); err == nil || !strings.Contains(err.Error(), "there is no ") {
			t.Errorf("Copy from nothing = %v", err)
		}
		used, err := Open(t.Context(), where)
		if err != nil {
			t.Fatal(err)
		}
		if err := used.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := Copy(t.Context(), source, where); !errors.Is(err, ErrInUse) {
			t.Errorf("Copy to a database in use = %v", err)
		}
		if _, err := Copy(t.Context(), where, Options{Dir: t.TempDir()}); !errors.Is(err, ErrInUse) {
			t.Errorf("Copy from a database in use = %v", err)
		}
		as(t, used, "cyd", "c1", func(u *Unit) { insert(t, u, note{Title: "mine"}) })
		if err := used.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := Copy(t.Context(), source, where); !errors.Is(err, ErrNotEmpty) {
			t.Errorf("Copy to a full database = %v", err)
		}
		s := open(t, where)
		if all := itemsOf(t, s, "cyd"); len(all) != 1 {
			t.Errorf("%d items are left, want 1", len(all))
		}
	})
}

// TestCopyInterrupted: a copy that ends in the middle leaves the target empty, and can be
// begun again.
func TestCopyInterrupted(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		source := Options{Dir: t.TempDir()}
		fill(t, source)
		target, err := openSide(t.Context(), where.complete(), true)
		if err != nil {
			t.Fatal(err)
		}
		from, err := openSide(t.Context(), source.complete(), false)
		if err != nil {
			t.Fatal(err)
		}
		tables, err := from.tables(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := copyTable(t.Context(), from, target, rowTable, tables[rowTable]); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(from.close(context.Background()), target.close(context.Background())); err != nil {
			t.Fatal(err)
		}
		if got, err := Copy(t.Context(), source, where); err != nil || !cmp.Equal(got, filled) {
			t.Errorf("Copy = %v, %v, want %v", got, err, filled)
		}
	})
}

// TestCopyCompares: a target that holds other rows than were sent is not committed.
func TestCopyCompares(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		source := Options{Dir: t.TempDir()}
		fill(t, source)
		target, err := openSide(t.Context(), where.complete(), true)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = target.close(context.Background()) }()
		from, err := openSide(t.Context(), source.complete(), false)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = from.close(context.Background()) }()
		columns := []string{"bytes", "documents", "person", "tenant"}
		if err := target.write(t.Context(), "store_usage", columns, []any{int64(1), int64(1), "eve", "acme"}); err != nil {
			t.Fatal(err)
		}
		if _, err := copyTable(t.Context(), from, target, "store_usage", columns); err == nil ||
			!strings.Contains(err.Error(), "copy of 2 rows has 3 rows") {
			t.Errorf("copyTable = %v, want an error", err)
		}
	})
}

// TestDigest: rows have the same digest in any order, and no others.
func TestDigest(t *testing.T) {
	columns := []string{"a", "doc"}
	rows := func(all ...[]any) (d digest) {
		for _, values := range all {
			d.add(columns, values)
		}
		return d
	}
	x, y := []any{int64(1), `{"a":1}`, []string{"b", "a"}}, []any{"1", `{}`, nil}
	if rows(x, y) != rows(y, []any{int64(1), `{"a": 1.0}`, []string{"a", "b"}}) {
		t.Error("the order of rows or words, or the form of a document, changes the digest")
	}
	seen := map[digest]string{}
	for _, list := range [][][]any{
		{x}, {y}, {x, x}, {x, y},
		{{int64(2), `{"a":1}`, []string{"b", "a"}}},
		{{int64(1), `{"a":2}`, []string{"b", "a"}}},
		{{int64(1), `{"a":1}`, []string{"ba"}}},
		{{int64(1), `{"a":1}`, []string{}}},
		{{int64(1), `{"a":1}`, nil}},
		{{"1", `{"a":1}`, []string{"b", "a"}}},
		{{[]byte("1"), `{"a":1}`, []string{"b", "a"}}},
	} {
		d, name := rows(list...), fmt.Sprint(list)
		if same, ok := seen[d]; ok {
			t.Errorf("%s and %s have the same digest", name, same)
		}
		seen[d] = name
	}
}
