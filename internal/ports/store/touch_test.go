package store

import (
	"errors"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// TestTouch: of two calls that touch a name one has to run again, the first time too, and
// whatever else they do. Other names and other persons are not concerned.
func TestTouch(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := open(t, where)
		unit := func(user, name string) *Unit {
			u := s.For("acme", user, "", 1)
			for range 2 { // twice in one call
				if err := u.Touch(t.Context(), name); err != nil {
					t.Fatal(err)
				}
			}
			insert(t, u, note{Title: user + name})
			return u
		}
		commit := func(u *Unit) error {
			_, err := u.Commit(t.Context(), tool.Result{Value: []byte("1")})
			return err
		}
		for range 3 {
			first, second := unit("ann", "lists"), unit("ann", "lists")
			other, bobs := unit("ann", "other"), unit("bob", "lists")
			for _, u := range []*Unit{first, other, bobs} {
				if err := commit(u); err != nil {
					t.Fatal(err)
				}
			}
			if err := commit(second); !errors.Is(err, ErrStale) {
				t.Errorf("second call that touches a name: %v, want ErrStale", err)
			}
		}
		err := s.Items(t.Context(), "acme", "ann", func(item *Item) error {
			if item.Collection != notes.Shape().Name {
				t.Errorf("an item of %s is among the person's data", item.Collection)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		wantKind(t, s.For("acme", "ann", "", 1).Touch(t.Context(), "a b"), tool.Internal, "name")
	})
}
