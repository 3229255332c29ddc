package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/helve-dev/helve/internal/test/testpostgres"
	"github.com/helve-dev/helve/tool"
)

// recorder keeps the last query of a database.
type recorder struct {
	database
	statement string
	values    []any
}

func (r *recorder) rows(ctx context.Context, p person, each func(scan func(...any) error) error, text string, values ...any) error {
	r.statement, r.values = text, values
	return r.database.rows(ctx, p, each, text, values...)
}

// plan returns how the database runs the last query.
func (r *recorder) plan(t *testing.T) string {
	t.Helper()
	var lines []string
	explain := "EXPLAIN QUERY PLAN "
	each := func(scan func(...any) error) error {
		var line string
		err := scan(new(int), new(int), new(int), &line)
		lines = append(lines, line)
		return err
	}
	if _, ok := r.database.(*postgresDB); ok {
		explain = "EXPLAIN "
		each = func(scan func(...any) error) error {
			var line string
			err := scan(&line)
			lines = append(lines, line)
			return err
		}
	}
	if err := r.database.rows(t.Context(), person{"acme", "ann"}, each, explain+r.statement, r.values...); err != nil {
		t.Fatalf("%s: %v", r.statement, err)
	}
	return strings.Join(lines, "\n")
}

// TestPlans: a filter or an order on an indexed field, and a search, read an index and not
// the collection, with row-level security too. A page in the order of an index sorts
// nothing.
func TestPlans(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := open(t, where)
		const n = 3000
		list := make([]contact, n)
		for i := range list {
			list[i] = contact{Email: fmt.Sprint("e", i, "@example.com"), Name: fmt.Sprint("name", i%300), Score: float64(i), Done: i%2 == 0}
		}
		add(t, s, contacts.Shape(), "fill", list...)
		if db, ok := s.db.(*postgresDB); ok {
			if _, err := db.owner.ExecContext(t.Context(), "ANALYZE store_row"); err != nil {
				t.Fatal(err)
			}
		}
		some, err := s.For("acme", "ann", "", 1).Query(t.Context(), contacts.Shape(), tool.Query{Limit: 20})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, r := range some.Rows {
			ids = append(ids, r.ID)
		}
		r := &recorder{database: s.db}
		s.db = r
		u := s.For("acme", "ann", "", 1)
		filter := func(field string, op tool.Op, value any) []tool.Condition {
			return []tool.Condition{tool.Where(field, op, value)}
		}
		for _, tt := range []struct {
			name, index string
			sorts       bool
			q           tool.Query
		}{
			{"unique", "_(unique1|k1)", true, tool.Query{Where: filter("email", tool.Equal, "e7@example.com")}},
			{"equal, newest first", "k3", false, tool.Query{Where: filter("name", tool.Equal, "name7"), Limit: 5}},
			{"range of numbers", "k4", true, tool.Query{Where: filter("score", tool.Greater, 2990)}},
			{"order", "k4", false, tool.Query{Order: []tool.Order{{Field: "score"}}, Limit: 5}},
			{"order down", "k4", false, tool.Query{Order: []tool.Order{{Field: "score", Down: true}}, Limit: 5}},
			{"in", "k3", true, tool.Query{Where: filter("name", tool.In, []string{"name7", "name8"})}},
			{"ids", "row_id|pkey", true, tool.Query{Where: filter(tool.FieldID, tool.In, ids), Limit: len(ids)}},
			{"id", "row_id|pkey", true, tool.Query{Where: filter(tool.FieldID, tool.Equal, ids[0])}},
			{"search", "text|search", true, tool.Query{Text: "e77"}},
		} {
			page, err := u.Query(t.Context(), contacts.Shape(), tt.q)
			if err != nil || len(page.Rows) == 0 {
				t.Errorf("%s: %d rows, %v", tt.name, len(page.Rows), err)
			}
			plan := r.plan(t)
			wanted := false
			for _, name := range strings.Split(strings.Trim(tt.index, "_()"), "|") {
				wanted = wanted || strings.Contains(plan, name)
			}
			if sorted := strings.Contains(plan, "Sort") || strings.Contains(plan, "B-TREE"); !wanted || sorted && !tt.sorts {
				t.Errorf("%s: the plan is not that of an index:\n%s", tt.name, plan)
			}
			if tt.q.Cursor = page.Next; tt.q.Cursor == "" {
				continue
			}
			if _, err := u.Query(t.Context(), contacts.Shape(), tt.q); err != nil {
				t.Errorf("%s: page 2: %v", tt.name, err)
			}
			if plan := r.plan(t); strings.Contains(plan, "Seq Scan") || strings.Contains(plan, "SCAN store_row") {
				t.Errorf("%s: the plan of page 2 reads all:\n%s", tt.name, plan)
			}
		}
	})
}

// TestSearchPlan: PostgreSQL's search function reads its index, and nothing of another
// person, whatever the query names.
func TestSearchPlan(t *testing.T) {
	t.Parallel()
	s := open(t, Options{URL: testpostgres.New(t)})
	db := s.db.(*postgresDB)
	call(t, s, "c1", func(u *Unit) { insert(t, u, note{Title: "secret"}) })
	query := "'" + string(ownerKeyOf(person{"acme", "ann"}, "notes")) + "secret'"
	for who, want := range map[string]int{"ann": 1, "bob": 0} {
		var n int
		err := db.rows(t.Context(), person{"acme", who}, func(scan func(...any) error) error { return scan(&n) },
			"SELECT count(*) FROM store_search(?::tsquery)", query)
		if err != nil || n != want {
			t.Errorf("%s finds %d, %v, want %d", who, n, err, want)
		}
	}
	err := db.with(t.Context(), func(c *pgx.Conn) error {
		var n int
		err := c.QueryRow(t.Context(), "SELECT count(*) FROM store_search($1::tsquery)", query).Scan(&n)
		if n != 0 {
			err = errors.Join(err, fmt.Errorf("without a person %d documents are found", n))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
