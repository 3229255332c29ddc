package store

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/helve-dev/helve/internal/test/testpostgres"
	"github.com/helve-dev/helve/tool"
)

// TestDeadlock: a commit that PostgreSQL ends to resolve a deadlock stores nothing and is
// reported as stale, so that the call runs again.
func TestDeadlock(t *testing.T) {
	t.Parallel()
	where := Options{URL: testpostgres.New(t)}
	s := open(t, where)
	var a, b tool.Record[note]
	call(t, s, "make", func(u *Unit) {
		a, b = insert(t, u, note{Title: "a"}), insert(t, u, note{Title: "b"})
	})
	operator, err := pgx.Connect(t.Context(), where.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer operator.Close(context.Background())
	const lock = "SELECT 1 FROM store_row WHERE id = $1 FOR UPDATE"
	// PostgreSQL ends the session that notices the deadlock first.
	for _, statement := range []string{"BEGIN", "SET LOCAL deadlock_timeout = '1h'"} {
		if _, err := operator.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := operator.Exec(t.Context(), lock, b.ID); err != nil {
		t.Fatal(err)
	}
	change := func(u *Unit) {
		t.Helper()
		for _, r := range []tool.Record[note]{a, b} {
			r.Value.Rank++
			if _, err := notes.Get(t.Context(), u, r.ID); err != nil {
				t.Fatal(err)
			}
			if _, err := notes.Update(t.Context(), u, r); err != nil {
				t.Fatal(err)
			}
		}
	}
	u := s.For("acme", "ann", "change", 1)
	change(u)
	done := make(chan error, 1)
	go func() {
		_, err := u.Commit(context.WithoutCancel(t.Context()), tool.Result{Value: []byte("1")})
		done <- err
	}()
	// It holds a when it waits for b.
	waiting := "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
	for n := 0; n == 0; {
		select {
		case err := <-done:
			t.Fatalf("the commit did not wait: %v", err)
		default:
		}
		if err := operator.QueryRow(t.Context(), waiting).Scan(&n); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := operator.Exec(t.Context(), lock, a.ID); err != nil {
		t.Errorf("the operator's session: %v, want that the commit ends", err)
	}
	if err := <-done; !errors.Is(err, ErrStale) {
		t.Errorf("Commit = %v, want ErrStale", err)
	}
	if _, err := operator.Exec(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	u.Reset()
	change(u)
	if _, err := u.Commit(t.Context(), tool.Result{Value: []byte("1")}); err != nil {
		t.Errorf("Commit of the second run: %v", err)
	}
}
