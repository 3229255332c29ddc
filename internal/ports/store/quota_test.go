package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAmounts: what is kept of a person is counted by collection, the largest first, without what
// orders calls and without what is of others.
func TestAmounts(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := open(t, where)
		call(t, s, "c1", func(u *Unit) {
			insert(t, u, note{Title: "one"})
			insert(t, u, note{Title: "another"})
			if err := u.Touch(t.Context(), "any"); err != nil {
				t.Fatal(err)
			}
		})
		as(t, s, "ben", "c2", func(u *Unit) { insert(t, u, note{Title: "ben's"}) })
		name := notes.Shape().Name
		of := func(tenant, user string, limit int) (all []Amount) {
			t.Helper()
			all, err := s.Amounts(t.Context(), tenant, user, limit)
			if err != nil {
				t.Fatal(err)
			}
			for i := range all {
				if all[i].Bytes <= 0 {
					t.Errorf("%+v has no size", all[i])
				}
				all[i].Bytes = 0
			}
			return all
		}
		if got, want := of("acme", "ann", 10), []Amount{{Collection: name, Items: 2}}; !cmp.Equal(got, want) {
			t.Errorf("of ann are kept %+v, want %+v", got, want)
		}
		if got := of("beta", "ann", 10); got != nil {
			t.Errorf("of ann of another tenant are kept %+v", got)
		}
	})
}
