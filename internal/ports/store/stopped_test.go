package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/helve-dev/helve/internal/test/testpostgres"
	"github.com/helve-dev/helve/tool"
)

// TestStoppedProcess: a process that is stopped in the middle of a commit holds up those of its
// person only until the server ends its session.
func TestStoppedProcess(t *testing.T) {
	t.Parallel()
	where := Options{URL: testpostgres.New(t)}
	stopped, alive := open(t, where), open(t, where)
	call(t, alive, "first", func(u *Unit) { insert(t, u, note{Title: "a"}) })
	u := stopped.For("acme", "ann", "stopped", 1)
	insert(t, u, note{Title: "b"})
	c, err := u.prepare(tool.Result{Value: []byte("1")})
	if err != nil {
		t.Fatal(err)
	}
	db, _ := stopped.db.(*postgresDB)
	err = db.with(t.Context(), func(conn *pgx.Conn) error {
		if err := send(t.Context(), conn, c); err != nil {
			return err
		}
		call(t, alive, "second", func(u *Unit) { insert(t, u, note{Title: "c"}) })
		_, err := conn.Exec(context.Background(), "COMMIT")
		return err
	})
	if err == nil {
		t.Error("the commit of the stopped process ended well behind another one")
	}
	var interval string
	if err := db.with(t.Context(), func(conn *pgx.Conn) error {
		return conn.QueryRow(t.Context(), "SHOW client_connection_check_interval").Scan(&interval)
	}); err != nil || interval != "1s" {
		t.Errorf("the server looks for processes that are gone every %q, %v, want 1s", interval, err)
	}
}

// TestManyChangeOne: of many transactions that change one document none is given up.
func TestManyChangeOne(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := open(t, where)
		var made tool.Record[note]
		call(t, s, "make", func(u *Unit) { made = insert(t, u, note{Title: "a"}) })
		const calls = 40
		errs := make([]error, calls)
		var all sync.WaitGroup
		for i := range calls {
			all.Go(func() {
				errs[i] = s.For("acme", "ann", fmt.Sprint(i), 1).Transaction(t.Context(), func(own tool.Store) error {
					r, err := notes.Get(t.Context(), own, made.ID)
					if err == nil {
						r.Value.Rank++
						_, err = notes.Update(t.Context(), own, r)
					}
					return err
				})
			})
		}
		all.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Error(err)
		}
		r, err := notes.Get(t.Context(), s.For("acme", "ann", "", 1), made.ID)
		if err != nil || r.Value.Rank != calls {
			t.Errorf("the document was changed %v times, %v, want %d", r.Value.Rank, err, calls)
		}
	})
}
