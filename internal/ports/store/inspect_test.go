package store

import (
	"context"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/testpostgres"
	"github.com/jackc/pgx/v5"
)

// TestInspect: a database in order has no problem; an inspection makes nothing.
func TestInspect(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		for _, want := range []string{" be ", " MiB"} {
			r := Inspect(t.Context(), where)
			if len(r.Problems) > 0 || !strings.Contains(r.Summary, want) {
				t.Errorf("Inspect = %+v, want %q", r, want)
			}
			open(t, where)
		}
	})
}

// TestInspectProblems: what keeps the tools from working, or persons apart, is named.
func TestInspectProblems(t *testing.T) {
	t.Parallel()
	if r := Inspect(t.Context(), Options{
		URL: "postgres://helve@127.0.0.1:1/none",
	}); len(r.Problems) != 1 || !strings.Contains(r.Problems[0], "not reachable") {
		t.Errorf("Inspect of a database that is away = %+v", r)
	}
	onEach(t, func(t *testing.T, where Options) {
		s := open(t, where)
		newer := `INSERT INTO store_version (version_id, is_applied) VALUES (99, true)`
		var err error
		switch db := s.db.(type) {
		case *sqliteDB:
			_, err = db.read.Exec("PRAGMA query_only = 0; " + newer)
		case *postgresDB:
			_, err = db.owner.Exec(newer)
		}
		if err != nil {
			t.Fatal(err)
		}
		if r := Inspect(t.Context(), where); len(r.Problems) != 1 || !strings.Contains(r.Problems[0], "update this program") {
			t.Errorf("Inspect of newer tables = %+v", r)
		}
	})
}

// TestInspectRowSecurity: a table, or a role, that row-level security does not bind is a
// problem.
func TestInspectRowSecurity(t *testing.T) {
	t.Parallel()
	where := Options{URL: testpostgres.New(t)}
	open(t, where)
	conn, err := pgx.Connect(t.Context(), where.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	if _, err := conn.Exec(t.Context(),
		`ALTER TABLE store_row DISABLE ROW LEVEL SECURITY; ALTER TABLE store_call OWNER TO helve_person`); err != nil {
		t.Fatal(err)
	}
	r := Inspect(t.Context(), where)
	if all := strings.Join(r.Problems, "\n"); len(r.Problems) != 2 || !strings.Contains(all, "off for store_row:") ||
		!strings.Contains(all, "owns tables") {
		t.Errorf("Inspect = %+v", r)
	}
}
