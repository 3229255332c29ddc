package store

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// TestOwned: documents of a collection are read in pages, of one person, of a tenant or of
// all, and none of another collection.
func TestOwned(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := open(t, where)
		for _, tenant := range []string{"acme", "beta"} {
			for _, user := range []string{"ann", "ben"} {
				u := s.For(tenant, user, "c-"+user, 1)
				for range 3 {
					insert(t, u, note{Title: user})
				}
				if _, err := u.Commit(t.Context(), tool.Result{Value: []byte("1")}); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, tt := range []struct {
			of   Place
			want string
		}{
			{Place{}, "acme/ann 3 acme/ben 3 beta/ann 3 beta/ben 3"},
			{Place{Tenant: "beta"}, "beta/ann 3 beta/ben 3"},
			{Place{Tenant: "acme", Person: "ben"}, "acme/ben 3"},
			{Place{Tenant: "acme", Person: "nobody"}, ""},
		} {
			for _, limit := range []int{1, 2, 100} {
				var after Place
				var got []string
				seen, count, last := map[string]bool{}, 0, ""
				flush := func() {
					if count > 0 {
						got = append(got, fmt.Sprint(last, " ", count))
					}
				}
				for n := limit; n == limit; {
					n = 0
					err := s.Owned(t.Context(), notes.Shape().Name, tt.of, after, limit, func(o Owned) error {
						n++
						after = Place{o.Tenant, o.Person, o.ID}
						if owner := o.Tenant + "/" + o.Person; owner != last {
							flush()
							last, count = owner, 0
						}
						count++
						if key := fmt.Sprint(after); seen[key] || !strings.Contains(string(o.Doc), o.Person) {
							t.Errorf("%v: %s again, or not of its owner", after, o.Doc)
						} else {
							seen[key] = true
						}
						return nil
					})
					if err != nil {
						t.Fatal(err)
					}
				}
				flush()
				if strings.Join(got, " ") != tt.want {
					t.Errorf("%+v by %d: %q, want %q", tt.of, limit, got, tt.want)
				}
			}
		}
		if err := s.Owned(t.Context(), "other", Place{}, Place{}, 10, func(o Owned) error { return fmt.Errorf("%+v", o) }); err != nil {
			t.Errorf("another collection has %v", err)
		}
	})
}
