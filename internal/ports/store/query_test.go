package store

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

// fruit stores five notes.
func fruit(t *testing.T, s *Store) {
	t.Helper()
	call(t, s, "fruit", func(u *Unit) {
		insert(t, u, note{Title: "apple", Body: "Green and sour", Tags: []string{"tree", "sweet"}, Rank: 3})
		insert(t, u, note{Title: "banana", Body: "yellow", Tags: []string{"sweet"}, Rank: 10, Pinned: true})
		insert(t, u, note{Title: "cherry", Body: "A café tale", Rank: -1.5})
		insert(t, u, note{Title: "Date", Body: "über-süß 日本語", Pinned: true})
		insert(t, u, note{Title: "elder%_'\"", Body: "green", Rank: 3})
	})
}

func TestQuery(t *testing.T) {
	t.Parallel()
	where := func(field string, op tool.Op, value any) tool.Query {
		return tool.Query{Where: []tool.Condition{tool.Where(field, op, value)}, Order: []tool.Order{{Field: tool.FieldCreated}}}
	}
	text := func(words string) tool.Query {
		return tool.Query{Text: words, Order: []tool.Order{{Field: tool.FieldCreated}}}
	}
	elder := "elder%_'\""
	onEach(t, func(t *testing.T, at Options) {
		s := open(t, at)
		fruit(t, s)
		u := s.For("acme", "ann", "", 1)
		for _, tt := range []struct {
			q    tool.Query
			want string
		}{
			{tool.Query{}, elder + " Date cherry banana apple"},
			{tool.Query{Limit: 2}, elder + " Date"},
			{where("title", tool.Equal, "apple"), "apple"},
			{where("title", tool.Equal, elder), elder},
			{where("title", tool.NotEqual, "apple"), "banana cherry Date " + elder},
			{where("title", tool.Less, "b"), "apple Date"},
			{where("title", tool.In, []string{"apple", "cherry", "x"}), "apple cherry"},
			{where("title", tool.In, []string{}), ""},
			{where("rank", tool.Equal, 3), "apple " + elder},
			{where("rank", tool.Less, 0), "cherry"},
			{where("rank", tool.GreaterEqual, 3.0), "apple banana " + elder},
			{where("rank", tool.Equal, 0), "Date"}, // left out is zero
			{where("rank", tool.LessEqual, tool.Number("-1.5")), "cherry"},
			{where("rank", tool.Less, 1e300), "apple banana cherry Date " + elder},
			{where("pinned", tool.Equal, true), "banana Date"},
			{where("pinned", tool.Equal, false), "apple cherry " + elder},
			{where("tags", tool.Has, "sweet"), "apple banana"},
			{where("tags", tool.Has, "swee"), ""},
			{where(tool.FieldCreated, tool.Less, time.Now().Add(time.Hour)), "apple banana cherry Date " + elder},
			{where(tool.FieldUpdated, tool.Greater, time.Now().Add(time.Hour)), ""},
			{tool.Query{Where: []tool.Condition{tool.Where("pinned", tool.Equal, true), tool.Where("rank", tool.Greater, 1)}}, "banana"},
			{tool.Query{Order: []tool.Order{{Field: "rank", Down: true}, {Field: "title"}}}, "banana apple " + elder + " Date cherry"},
			{tool.Query{Order: []tool.Order{{Field: "pinned", Down: true}, {Field: "title", Down: true}}}, "banana Date " + elder + " cherry apple"},
			{text("green"), "apple " + elder},
			{text("GRE"), "apple " + elder},
			{text("green sour"), "apple"},
			{text("cafe"), "cherry"},
			{text("CAFÉ"), "cherry"},
			{text("uber suß"), "Date"},
			{text("本"), "Date"},
			{text("sweet"), "apple banana"}, // a tag
			{text("elder%_'\""), elder},
			{text(`green" OR words : "a`), ""},
			{text(`*`), ""},
			{text(`owner`), ""},
			{text(string(ownerKeyOf(person{"acme", "ann"}, "notes"))), ""},
			{text("   "), "apple banana cherry Date " + elder},
			{tool.Query{Text: "green", Where: []tool.Condition{tool.Where("title", tool.Greater, "b")}}, elder},
		} {
			if got := titles(t, u, tt.q); got != tt.want {
				t.Errorf("%+v finds %q, want %q", tt.q, got, tt.want)
			}
		}
		for _, tt := range []struct {
			q    tool.Query
			want string
		}{
			{where("nothing", tool.Equal, 1), "no field"},
			{where("title' = '' --", tool.Equal, ""), "no field"},
			{where("title", "LIKE", "x"), "no comparison"},
			{where("title", tool.Equal, 1), "needs a text"},
			{where("rank", tool.Equal, "3"), "needs a number"},
			{where("rank", tool.In, 3), "needs a list"},
			{where("rank", tool.In, make([]int, 501)), "at most 500"},
			{where("pinned", tool.Equal, 1), "needs true or false"},
			{where("tags", tool.Equal, "x"), "does not fit"},
			{where("title", tool.Has, "x"), "does not fit"},
			{where(tool.FieldCreated, tool.Less, "today"), "needs a time"},
			{tool.Query{Order: []tool.Order{{Field: "tags"}}}, "cannot be sorted"},
			{tool.Query{Limit: -1}, "1 to 1000"},
			{tool.Query{Limit: 1001}, "1 to 1000"},
		} {
			_, err := notes.Query(t.Context(), u, tt.q)
			wantKind(t, err, tool.ValidationError, tt.want)
		}
	})
}

// TestPages: the pages of a query together are the query, whatever it is ordered by.
func TestPages(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := open(t, where)
		fruit(t, s)
		u := s.For("acme", "ann", "", 1)
		for _, order := range [][]tool.Order{
			nil, {{Field: "rank"}}, {{Field: "rank", Down: true}}, {{Field: "pinned"}}, {{Field: "pinned", Down: true}, {Field: "rank"}},
			{{Field: "title"}}, {{Field: tool.FieldUpdated, Down: true}}, {{Field: tool.FieldID}},
		} {
			whole := titles(t, u, tool.Query{Order: order})
			var parts []string
			for q := (tool.Query{Order: order, Limit: 2, Total: true}); ; {
				page, err := notes.Query(t.Context(), u, q)
				if err != nil || page.Total != 5 {
					t.Fatalf("%+v: %d in total, %v", q, page.Total, err)
				}
				for _, r := range page.List {
					parts = append(parts, r.Value.Title)
				}
				if q.Cursor = page.Next; q.Cursor == "" {
					break
				}
			}
			if got := strings.Join(parts, " "); got != whole {
				t.Errorf("%+v: the pages are %q, want %q", order, got, whole)
			}
			want := strings.Join(parts[1:3], " ")
			page, err := notes.Query(t.Context(), u, tool.Query{Order: order, Limit: 2, Offset: 1, Total: true})
			if err != nil || len(page.List) != 2 || page.List[0].Value.Title+" "+page.List[1].Value.Title != want || page.Total != 5 {
				t.Errorf("%+v: offset 1 has %+v, %v, want %q of 5", order, page, err, want)
			}
			if page, err = notes.Query(t.Context(), u, tool.Query{Order: order, Offset: 1 << 40, Total: true}); err != nil || len(page.List) != 0 ||
				page.Total != 5 {
				t.Errorf("%+v: an offset beyond the end has %+v, %v", order, page, err)
			}
		}
	})
}

// TestOffsetRefused: a negative offset is refused.
func TestOffsetRefused(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		_, err := open(t, where).For("acme", "ann", "", 1).Query(t.Context(), notes.Shape(), tool.Query{Offset: -1})
		wantKind(t, err, tool.ValidationError, "offset")
	})
}

// TestCursorTampered: a cursor that was changed, or belongs to another query, is refused
// or shows a later part of the same list, and never anything else.
func TestCursorTampered(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := open(t, where)
		fruit(t, s)
		as(t, s, "bob", "bob", func(u *Unit) { insert(t, u, note{Title: "bobs", Rank: 4}) })
		u := s.For("acme", "ann", "", 1)
		q := tool.Query{Order: []tool.Order{{Field: "rank"}, {Field: "title"}}, Limit: 2}
		page, err := notes.Query(t.Context(), u, q)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := base64.RawURLEncoding.DecodeString(page.Next)
		if err != nil {
			t.Fatal(err)
		}
		refused := func(q tool.Query, cursor string) {
			t.Helper()
			q.Cursor = cursor
			_, err := notes.Query(t.Context(), u, q)
			wantKind(t, err, tool.ValidationError, "does not belong to this list")
		}
		other := q
		other.Order = []tool.Order{{Field: "rank", Down: true}, {Field: "title"}}
		refused(other, page.Next)
		other = q
		other.Where = []tool.Condition{tool.Where("rank", tool.Less, 5)}
		refused(other, page.Next)
		refused(q, "x")
		refused(q, page.Next+"!")
		hash := queryHash(notes.Shape(), q)
		for _, values := range []string{
			`[]`, `[1]`, `["1","a","b"]`, `[null,"a","b"]`, `[1,2,"b"]`, `[1,"a",{}]`, `[1,"a\u0000","b"]`, `[{},"",""]`,
		} {
			refused(q, base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"q":%q,"v":%s}`, hash, values)))
		}
		for i := range plain {
			bad := append([]byte(nil), plain...)
			bad[i] ^= 1
			q.Cursor = base64.RawURLEncoding.EncodeToString(bad)
			page, err := notes.Query(t.Context(), u, q)
			if err != nil {
				wantKind(t, err, tool.ValidationError, "does not belong to this list")
				continue
			}
			for _, r := range page.List {
				if r.Value.Title == "bobs" {
					t.Fatalf("the cursor %s shows what is bob's", bad)
				}
			}
		}
	})
}

func TestAggregate(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := open(t, where)
		fruit(t, s)
		u := s.For("acme", "ann", "", 1)
		for _, tt := range []struct {
			q    tool.AggregateQuery
			want []tool.Group
		}{
			{tool.AggregateQuery{}, []tool.Group{{By: []any{}, Count: 5, Sum: "0"}}},
			{tool.AggregateQuery{Sum: "rank"}, []tool.Group{{By: []any{}, Count: 5, Sum: "14.5"}}},
			{tool.AggregateQuery{Text: "green", Sum: "rank"}, []tool.Group{{By: []any{}, Count: 2, Sum: "6"}}},
			{tool.AggregateQuery{Text: "*"}, []tool.Group{{By: []any{}, Sum: "0"}}},
			{tool.AggregateQuery{Text: "*", By: []string{"pinned"}}, []tool.Group{}},
			{
				tool.AggregateQuery{By: []string{"pinned"}, Sum: "rank"},
				[]tool.Group{{By: []any{false}, Count: 3, Sum: "4.5"}, {By: []any{true}, Count: 2, Sum: "10"}},
			},
			{tool.AggregateQuery{By: []string{"pinned", "title"}, Where: []tool.Condition{tool.Where("rank", tool.Equal, 3)}}, []tool.Group{
				{By: []any{false, "apple"}, Count: 1, Sum: "0"}, {By: []any{false, "elder%_'\""}, Count: 1, Sum: "0"},
			}},
		} {
			got, err := notes.Aggregate(t.Context(), u, tt.q)
			if err != nil {
				t.Errorf("%+v: %v", tt.q, err)
			}
			for i := range got {
				got[i].Sum = tool.Number(strings.TrimSuffix(string(got[i].Sum), ".0"))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%+v (-want +got):\n%s", tt.q, diff)
			}
		}
		var bytes string
		err := s.db.rows(t.Context(), u.person, func(scan func(...any) error) error { return scan(&bytes) },
			`SELECT CAST(bytes AS TEXT) FROM store_usage WHERE tenant = ? AND person = ?`, "acme", "ann")
		if got, failed := notes.Aggregate(t.Context(), u, tool.AggregateQuery{Sum: tool.FieldSize}); err != nil || failed != nil ||
			string(got[0].Sum) != bytes || len(bytes) < 3 {
			t.Errorf("size of all: %+v, %v, %v, want %s", got, err, failed, bytes)
		}
		groups, err := notes.Aggregate(t.Context(), u, tool.AggregateQuery{By: []string{"rank"}})
		if err != nil || len(groups) != 4 {
			t.Errorf("groups by a number: %+v, %v", groups, err)
		}
		for _, q := range []tool.AggregateQuery{{Sum: "title"}, {By: []string{"tags"}}, {By: []string{"x"}}, {By: make([]string, 9)}} {
			_, err := notes.Aggregate(t.Context(), u, q)
			wantKind(t, err, tool.ValidationError, "")
		}
	})
}
