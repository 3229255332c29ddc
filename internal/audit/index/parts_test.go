package index

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"
	"github.com/uptrace/bun"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit"
)

// A trace and a call are found wherever in the stream they were at work, and in
// its order, however many parts are asked for in between.
func TestQueryAcrossParts(t *testing.T) {
	t.Parallel()
	const part = 1 << partBits
	s := newStream()
	var want []audit.Record
	for i, place := range []uint64{
		1, part - 1, part, part + 1, 2*part - 1, partsFirst*part - 1, partsFirst * part, 40 * part, 3*partsFirst*part - 1, 3 * partsFirst * part,
		900 * part, 3 * partsMost * part, 3*partsMost*part + part - 1,
	} {
		s.skip(place)
		r := recordOf(0)
		r.AuditID = id("record", i)
		r.Seq = s.store("acme", encode(t, r))
		want = append(want, r)
	}
	s.store("acme", encode(t, recordOf(100)))
	s.store("other", encode(t, recordOf(0)))
	onEach(t, func(t *testing.T, where Options) {
		x := open(t, where)
		copied(t, x, s)
		find := func(want []audit.Record) {
			t.Helper()
			for _, q := range []audit.Query{{TraceID: want[0].TraceID}, {CallID: want[0].CallID}, {TraceID: want[0].TraceID, CallID: want[0].CallID, User: want[0].User}} {
				q.Tenant = "acme"
				for _, q.Limit = range []int{0, 1, 2, len(want)} {
					if diff := cmp.Diff(want, all(t, x, q)); diff != "" {
						t.Errorf("%+v: (-want +got)\n%s", q, diff)
					}
				}
			}
		}
		find(want)
		if got := all(t, x, audit.Query{Tenant: "acme", TraceID: want[0].TraceID, CallID: id("call", 7)}); len(got) != 0 {
			t.Errorf("a call that is not of the trace: %v", got)
		}
		if err := x.Prune(t.Context(), 41*part); err != nil {
			t.Fatal(err)
		}
		find(want[8:])
	})
}

// What the queries are answered by.
func TestQueriesUseIndexes(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		n := 5_000 // of fewer, PostgreSQL reads them all
		if where.URL == "" {
			n = 500
		}
		s := newStream()
		s.store("acme", records(t, n)...)
		x := open(t, where)
		copied(t, x, s)
		db := x.db.pool()
		if _, err := db.Exec("ANALYZE audit_record"); err != nil {
			t.Fatal(err)
		}
		explain, parts := "EXPLAIN (FORMAT JSON) ", `"Index Cond": "(((seq >> 14) = ANY`
		if where.URL == "" {
			explain, parts = "EXPLAIN QUERY PLAN ", "(<expr>=? AND tenant=?"
		}
		for index, ask := range map[string]*bun.SelectQuery{
			"audit_record_trace": inParts(db, &audit.Query{Tenant: "acme", TraceID: id("trace", 7)}, 0, 101, []int64{0, 1, 2}),
			"audit_record_call":  inParts(db, &audit.Query{Tenant: "acme", CallID: id("call", 7)}, 0, 101, []int64{0, 1, 2}),
		} {
			var plan []map[string]any
			if err := db.NewRaw(explain+ask.String()).Scan(t.Context(), &plan); err != nil {
				t.Fatal(err)
			}
			if text := fmt.Sprint(plan); !strings.Contains(text, index) || !strings.Contains(text, parts) {
				t.Errorf("%s is not used part by part:\n%s", index, text)
			}
		}
	})
}

// An index that was made before there were parts has its records after it, too.
func TestPartsComeToAnOldIndex(t *testing.T) {
	t.Parallel()
	s := newStream()
	s.store("acme", records(t, 20)...)
	onEach(t, func(t *testing.T, where Options) {
		atVersion(t, where, 1, func(x *Index) { copied(t, x, s) })
		s.store("acme", records(t, 5)...)
		x := open(t, where)
		copied(t, x, s)
		holds(t, x, s)
		if got := all(t, x, audit.Query{Tenant: "acme", TraceID: id("trace", 1)}); len(got) < 4 {
			t.Errorf("%d records of a trace, want all", len(got))
		}
	})
}

// atVersion lets f use an index whose tables are of an earlier version.
func atVersion(t *testing.T, where Options, version int64, f func(*Index)) {
	t.Helper()
	files, dialect := "sqlite", goose.DialectSQLite3
	if where.URL != "" {
		files, dialect = "postgres", goose.DialectPostgres
	}
	dir, err := fs.Sub(migrations, "migrations/"+files)
	if err != nil {
		t.Fatal(err)
	}
	x := open(t, where)
	for _, drop := range []string{"audit_record", "audit_cursor", "audit_index_version"} {
		if _, err := x.db.pool().Exec("DROP TABLE " + drop); err != nil {
			t.Fatal(err)
		}
	}
	provider, err := goose.NewProvider(dialect, x.db.pool().DB, dir, goose.WithTableName("audit_index_version"), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(context.Background(), version); err != nil {
		t.Fatal(err)
	}
	x.log = zap.NewNop()
	f(x)
}
