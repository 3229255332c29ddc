package store

import (
	"testing"

	"github.com/helve-dev/helve/tool"
)

// TestBest: the best match of a text comes first, whatever is newer, and other persons'
// documents do not matter.
func TestBest(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := open(t, where)
		call(t, s, "c1", func(u *Unit) {
			insert(t, u, note{Title: "bread"})
			insert(t, u, note{Title: "breadcrumbs"})
			insert(t, u, note{Title: "cake", Body: "no bread, but milk"})
			insert(t, u, note{Title: "shopping-for-Sunday", Body: "bread"})
			insert(t, u, note{Title: "soup", Rank: 1})
		})
		as(t, s, "bob", "c2", func(u *Unit) { insert(t, u, note{Title: "bread bread"}) })
		u := s.For("acme", "ann", "", 1)
		for _, tt := range []struct {
			q    tool.Query
			want string
		}{
			{tool.Query{Text: "bread", Best: true}, "bread breadcrumbs shopping-for-Sunday cake"},
			{tool.Query{Text: "BREAD milk", Best: true}, "cake"},
			{tool.Query{Text: "bread", Best: true, Limit: 2, Offset: 1}, "breadcrumbs shopping-for-Sunday"},
			{tool.Query{Text: "bread", Best: true, Offset: 9}, ""},
			{tool.Query{Text: "bread"}, "shopping-for-Sunday cake breadcrumbs bread"},
			{tool.Query{Best: true, Where: []tool.Condition{tool.Where("rank", tool.Equal, 1)}}, "soup"},
		} {
			if got := titles(t, u, tt.q); got != tt.want {
				t.Errorf("%+v finds %q, want %q", tt.q, got, tt.want)
			}
		}
		page, err := notes.Query(t.Context(), u, tool.Query{Text: "bread", Best: true, Limit: 1, Total: true})
		if err != nil || page.Total != 4 || page.Next != "" {
			t.Errorf("%d in total, next %q, %v", page.Total, page.Next, err)
		}
		for _, q := range []tool.Query{{Text: "a", Best: true, Cursor: "x"}, {Text: "a", Best: true, Order: []tool.Order{{Field: "title"}}}} {
			_, err := notes.Query(t.Context(), u, q)
			wantKind(t, err, tool.ValidationError, "best matches")
		}
	})
}
