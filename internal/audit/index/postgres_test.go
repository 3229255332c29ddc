package index

import (
	"context"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/testpostgres"
	"github.com/jackc/pgx/v5"
)

// Sessions that the server ends cost no record, wherever they were.
func TestPostgresEndsSessions(t *testing.T) {
	where := Options{URL: testpostgres.New(t)}
	s := newStream()
	x, y := open(t, where), open(t, where)
	run(t, x, s)
	run(t, y, s)
	operator, err := pgx.Connect(t.Context(), where.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer operator.Close(context.Background())
	for range 3 {
		s.store("acme", records(t, 2000)...)
		const all = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
		if _, err := operator.Exec(t.Context(), all); err != nil {
			t.Fatal(err)
		}
		s.store("acme", records(t, 100)...)
		reached(t, x, s.last)
	}
	holds(t, x, s)
}

// Of many that could copy one does, and the lock ends with its copying.
func TestPostgresElects(t *testing.T) {
	where := Options{URL: testpostgres.New(t)}
	x, y := open(t, where), open(t, where)
	_, release, err := x.db.writer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*electEvery)
	defer cancel()
	if _, _, err := y.db.writer(ctx); err == nil {
		t.Fatal("a second one copies")
	}
	release()
	_, release, err = y.db.writer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	release()
}

// TestPostgresURLRefused: a URL that can never work is refused, without the password.
func TestPostgresURLRefused(t *testing.T) {
	_, err := Open(t.Context(), Options{URL: "postgres://helve:hush-hush@127.0.0.1:port/helve"})
	if err == nil || strings.Contains(err.Error(), "hush-hush") {
		t.Errorf("Open = %v, want an error without the password", err)
	}
}
