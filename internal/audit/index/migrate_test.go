package index

import (
	"context"
	"errors"
	"io/fs"
	"testing"

	"github.com/pressly/goose/v3"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// TestOldTablesAreReplaced: an index that held a row for each record is copied again, and
// the log says so.
func TestOldTablesAreReplaced(t *testing.T) {
	t.Parallel()
	s := newStream()
	s.store("acme", records(t, 20)...)
	onEach(t, func(t *testing.T, where Options) {
		atVersion(t, where, segmentsCame-1,
			`INSERT INTO audit_record (seq, tenant, time, trace_id, call_id, tool, user_id, agent, conversation, status, error_type, phase, outcome, record)
VALUES (1, 'acme', 0, '', '', '', '', '', '', '', '', '', '', '{}')`, "UPDATE audit_cursor SET seq = 20")
		log, told := observer.New(zap.InfoLevel)
		where.Log = zap.New(log)
		x := open(t, where)
		if n := told.FilterMessageSnippet("copied again").Len(); n != 1 {
			t.Errorf("%d lines about it, want one", n)
		}
		copied(t, x, s)
		holds(t, x, s)
		open(t, where)
		if n := told.FilterMessageSnippet("copied again").Len(); n != 1 {
			t.Error("the tables are replaced again")
		}
	})
}

// TestNewerTables: after a downgrade an index in a file is built again, and one in a shared
// database is not touched.
func TestNewerTables(t *testing.T) {
	t.Parallel()
	s := newStream()
	s.store("acme", records(t, 20)...)
	onEach(t, func(t *testing.T, where Options) {
		applied := "1"
		if where.URL != "" {
			applied = "true"
		}
		if _, err := open(t,
			where).db.pool().Exec("INSERT INTO audit_index_version (version_id, is_applied) VALUES (99, " + applied + ")"); err != nil {
			t.Fatal(err)
		}
		x := open(t, where)
		if where.URL == "" {
			copied(t, x, s)
			holds(t, x, s)
			return
		}
		if _, _, err := x.db.writer(t.Context()); !errors.Is(err, errNewer) {
			t.Errorf("writer = %v, want that the tables are newer", err)
		}
	})
}

// atVersion makes an index whose tables are of an earlier version, and runs statements
// on it.
func atVersion(t *testing.T, where Options, version int64, statements ...string) {
	t.Helper()
	files, dialect := "sqlite", goose.DialectSQLite3
	if where.URL != "" {
		files, dialect = "postgres", goose.DialectPostgres
	}
	dir, err := fs.Sub(migrations, "migrations/"+files)
	if err != nil {
		t.Fatal(err)
	}
	db := open(t, where).db.pool()
	for _, drop := range []string{"audit_chunk", "audit_segment", "audit_key", "audit_span", "audit_cursor", "audit_index_version"} {
		if _, err := db.Exec("DROP TABLE " + drop); err != nil {
			t.Fatal(err)
		}
	}
	provider, err := goose.NewProvider(dialect, db, dir, goose.WithTableName("audit_index_version"), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(context.Background(), version); err != nil {
		t.Fatal(err)
	}
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
}
