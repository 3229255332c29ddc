package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

func TestChanges(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := open(t, where)
		var made tool.Record[note]
		call(t, s, "c1", func(u *Unit) {
			made = insert(t, u, note{Title: "milk", Tags: []string{"shop"}, Rank: 2})
			if read, err := notes.Get(t.Context(), u, made.ID); err != nil || read.Value.Title != "milk" || read.Revision != 1 {
				t.Errorf("Get of what the call inserted = %+v, %v", read, err)
			}
			if got := titles(t, u, tool.Query{}); got != "" {
				t.Errorf("Query before the commit finds %q", got)
			}
		})
		var changed tool.Record[note]
		call(t, s, "c2", func(u *Unit) {
			read, err := notes.Get(t.Context(), u, made.ID)
			if diff := cmp.Diff(made, read); diff != "" || err != nil {
				t.Fatalf("Get after the commit differs (-inserted +read):\n%s, %v", diff, err)
			}
			read.Value.Title, read.Value.Tags = "bread", nil
			for range 2 { // twice in one call
				if changed, err = notes.Update(t.Context(), u, read); err != nil {
					t.Fatal(err)
				}
				read = changed
			}
		})
		call(t, s, "c3", func(u *Unit) {
			read, err := notes.Get(t.Context(), u, made.ID)
			if diff := cmp.Diff(changed, read); diff != "" || err != nil || read.Revision != 3 {
				t.Fatalf("Get after the update differs (-updated +read):\n%s, %v", diff, err)
			}
			_, err = s.For("acme", "ann", "", 1).Update(t.Context(), notes.Shape(), made.ID, 1, json.RawMessage(`{}`))
			wantKind(t, err, tool.ValidationError, "has revision 3 now, not 1")
			if err := notes.Delete(t.Context(), u, read); err != nil {
				t.Fatal(err)
			}
			_, err = notes.Get(t.Context(), u, made.ID)
			wantKind(t, err, tool.NotFound, made.ID)
		})
		call(t, s, "c4", func(u *Unit) {
			_, err := notes.Get(t.Context(), u, made.ID)
			wantKind(t, err, tool.NotFound, made.ID)
			_, err = notes.Update(t.Context(), u, changed)
			wantKind(t, err, tool.NotFound, made.ID)
			wantKind(t, notes.Delete(t.Context(), u, changed), tool.NotFound, made.ID)
			gone := insert(t, u, note{Title: "never"})
			if err := notes.Delete(t.Context(), u, gone); err != nil {
				t.Fatal(err)
			}
		})
		if got := titles(t, s.For("acme", "ann", "", 1), tool.Query{}); got != "" {
			t.Errorf("%q is left", got)
		}
	})
}

// TestStale: a document that another call has changed since it was read makes the commit
// fail, and nothing of it is stored.
func TestStale(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := open(t, where)
		var made tool.Record[note]
		call(t, s, "c1", func(u *Unit) { made = insert(t, u, note{Title: "one"}) })
		for name, change := range map[string]func(u *Unit) error{
			"update": func(u *Unit) error { _, err := notes.Update(t.Context(), u, made); return err },
			"delete": func(u *Unit) error { return notes.Delete(t.Context(), u, made) },
		} {
			late := s.For("acme", "ann", "late-"+name, 1)
			insert(t, late, note{Title: "beside"})
			read, err := notes.Get(t.Context(), late, made.ID)
			if err != nil {
				t.Fatal(err)
			}
			made = read
			if err := change(late); err != nil {
				t.Fatal(err)
			}
			call(t, s, "first-"+name, func(u *Unit) {
				if _, err := notes.Update(t.Context(), u, read); err != nil {
					t.Fatal(err)
				}
			})
			if _, err := late.Commit(t.Context(), tool.Result{}); !errors.Is(err, ErrStale) {
				t.Errorf("%s: Commit = %v, want ErrStale", name, err)
			}
			if stored, err := s.Stored(t.Context(), "acme", "ann", "late-"+name); stored != nil || err != nil {
				t.Errorf("%s: Stored = %v, %v, want none", name, stored, err)
			}
		}
		if got := titles(t, s.For("acme", "ann", "", 1), tool.Query{}); got != "one" {
			t.Errorf("%q is stored, want one", got)
		}
		// Two reads of one call that differ.
		u := s.For("acme", "ann", "torn", 1)
		read, err := notes.Get(t.Context(), u, made.ID)
		if err != nil {
			t.Fatal(err)
		}
		call(t, s, "between", func(u *Unit) {
			if _, err := s.For("acme", "ann", "", 1).Get(t.Context(), notes.Shape(), made.ID); err != nil {
				t.Fatal(err)
			}
			if _, err := u.Update(t.Context(), notes.Shape(), made.ID, 0, json.RawMessage(`{"title":"two"}`)); err != nil {
				t.Fatal(err)
			}
		})
		if again, err := notes.Get(t.Context(), u, made.ID); err != nil || again.Revision == read.Revision {
			t.Fatalf("Get = %+v, %v", again, err)
		}
		insert(t, u, note{Title: "three"})
		if _, err := u.Commit(t.Context(), tool.Result{}); !errors.Is(err, ErrStale) {
			t.Errorf("Commit after two reads that differ = %v, want ErrStale", err)
		}
	})
}

// TestIsolation: nothing of another person, or tenant, can be named.
func TestIsolation(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := open(t, where)
		var anns tool.Record[note]
		call(t, s, "c1", func(u *Unit) { anns = insert(t, u, note{Title: "secret"}) })
		as(t, s, "", "c2", func(u *Unit) { insert(t, u, note{Title: "nobodys"}) })
		others := map[string]*Unit{
			"bob": s.For("acme", "bob", "x1", 1), "ann of globex": s.For("globex", "ann", "x2", 1), "nobody": s.For("acme", "", "x3", 1),
		}
		for name, u := range others {
			_, err := notes.Get(t.Context(), u, anns.ID)
			wantKind(t, err, tool.NotFound, anns.ID)
			_, err = notes.Update(t.Context(), u, anns)
			wantKind(t, err, tool.NotFound, anns.ID)
			wantKind(t, notes.Delete(t.Context(), u, anns), tool.NotFound, anns.ID)
			for _, q := range []tool.Query{{}, {Text: "secret"}, {Where: []tool.Condition{tool.Where(tool.FieldID, tool.Equal, anns.ID)}}} {
				if got := titles(t, u, q); strings.Contains(got, "secret") {
					t.Errorf("%s sees %q with %+v", name, got, q)
				}
			}
			groups, err := notes.Aggregate(t.Context(), u, tool.AggregateQuery{Where: []tool.Condition{tool.Where("title", tool.Equal, "secret")}})
			if err != nil || groups[0].Count != 0 {
				t.Errorf("%s counts %+v, %v", name, groups, err)
			}
			stored, err := s.Stored(t.Context(), u.person.tenant, u.person.name, "c1")
			if stored != nil || err != nil {
				t.Errorf("%s is shown the result of another's call: %v, %v", name, stored, err)
			}
		}
		if got := titles(t, others["nobody"], tool.Query{}); got != "nobodys" {
			t.Errorf("calls without a user find %q", got)
		}
		if got := titles(t, s.For("acme", Nobody, "", 1), tool.Query{}); got != "nobodys" {
			t.Errorf("%s finds %q", Nobody, got)
		}
	})
}

// TestHostileDocuments: whatever a text holds comes back as it was, or is refused.
func TestHostileDocuments(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := open(t, where)
		for i, text := range []string{
			"", `'; DROP TABLE store_row; --`, `%_\`, `"*" AND NEAR(x)`, `{"a":1}`, "?", "$1", "👩‍👩‍👧 café שלום 日本語", "\u2028\x01\x7f", `\u0000`,
			strings.Repeat("many words ", 100_000),
		} {
			var made tool.Record[note]
			call(t, s, fmt.Sprint("c", i), func(u *Unit) { made = insert(t, u, note{Title: text, Body: text, Tags: []string{text}}) })
			read, err := notes.Get(t.Context(), s.For("acme", "ann", "", 1), made.ID)
			if diff := cmp.Diff(made, read); diff != "" || err != nil {
				t.Errorf("%.40q comes back changed: %s, %v", text, diff, err)
			}
		}
		u := s.For("acme", "ann", "bad", 1)
		for _, doc := range []string{
			`{"title":"a\u0000b"}`, `{"a\u0000b":1}`, `{"x":{"y":["\u0000"]}}`, `{"title":"` + strings.Repeat("x", maxDocument) + `"}`,
		} {
			_, err := u.Insert(t.Context(), notes.Shape(), json.RawMessage(doc))
			wantKind(t, err, tool.ValidationError, "stored")
		}
		for _, doc := range []string{``, `[]`, `{`, `null`, `"x"`} {
			_, err := u.Insert(t.Context(), notes.Shape(), json.RawMessage(doc))
			wantKind(t, err, tool.Internal, "JSON object")
		}
		for _, name := range []string{"", "Notes", "a b", "x'; --", strings.Repeat("x", 65)} {
			_, err := u.Query(t.Context(), &tool.Shape{Name: name}, tool.Query{})
			wantKind(t, err, tool.Internal, "collection")
		}
		_, err := u.Get(t.Context(), notes.Shape(), "a\x00")
		wantKind(t, err, tool.NotFound, "nothing")
		_, err = u.Query(t.Context(), notes.Shape(), tool.Query{Where: []tool.Condition{tool.Where("title", tool.Equal, "a\x00")}})
		wantKind(t, err, tool.ValidationError, "NUL")
		if stored, err := u.Commit(context.Background(), tool.Result{}); stored != nil || err != nil {
			t.Errorf("Commit of nothing = %v, %v", stored, err)
		}
	})
}
