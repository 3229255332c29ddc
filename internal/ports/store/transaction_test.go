package store

import (
	"errors"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

// TestTransaction: the changes of a transaction are there although its call commits
// nothing, an error leaves none, and it runs again on what another call has changed.
func TestTransaction(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		where.Wait = time.Second
		s := open(t, where)
		u := s.For("acme", "ann", "c1", 1)
		spoiled := errors.New("spoiled")
		if err := u.Transaction(t.Context(), func(own tool.Store) error {
			insert(t, own, note{Title: "lost"})
			return spoiled
		}); !errors.Is(err, spoiled) {
			t.Errorf("Transaction = %v, want the error of change", err)
		}
		runs := 0
		if err := u.Transaction(t.Context(), func(own tool.Store) error {
			runs++
			if err := own.Touch(t.Context(), "order"); err != nil {
				return err
			}
			insert(t, own, note{Title: "kept"})
			if runs > 1 {
				return nil
			}
			return u.Transaction(t.Context(), func(other tool.Store) error {
				insert(t, other, note{Title: "first"})
				return other.Touch(t.Context(), "order")
			})
		}); err != nil || runs != 2 {
			t.Errorf("Transaction ran %d times, %v, want 2", runs, err)
		}
		page, err := notes.Query(t.Context(), s.For("acme", "ann", "", 1), tool.Query{Order: []tool.Order{{Field: "title"}}})
		if err != nil || len(page.List) != 2 || page.List[0].Value.Title != "first" || page.List[1].Value.Title != "kept" {
			t.Errorf("stored: %+v, %v", page.List, err)
		}
		always := 0
		err = u.Transaction(t.Context(), func(own tool.Store) error {
			always++
			if err := own.Touch(t.Context(), "order"); err != nil {
				return err
			}
			return u.Transaction(t.Context(), func(other tool.Store) error { return other.Touch(t.Context(), "order") })
		})
		if e := tool.AsError(err); e == nil || e.Kind != tool.Overloaded || always < 4 {
			t.Errorf("a transaction that is always too late ran %d times and ended with %v", always, err)
		}
	})
}
