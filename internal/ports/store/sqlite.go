package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/helve-dev/helve/tool"
)

// sqliteDB is a file with one connection that writes and some that read.
type sqliteDB struct {
	file        string
	read, write *sql.DB

	prepared sync.Map // statements of read, by text

	writer *writer
	jobs   chan *job
	closed chan struct{} // closed when the writer is to end
	ended  chan struct{} // closed when it has
}

const (
	sqliteReaders = 4
	// migrateTries bounds how often a start that another one got in the way of brings
	// the tables up to date.
	migrateTries = 50
)

// openSQLite opens dir/store.db.
func openSQLite(ctx context.Context, o Options) (database, error) {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, err
	}
	s := &sqliteDB{file: filepath.Join(o.Dir, "store.db"), jobs: make(chan *job), closed: make(chan struct{}), ended: make(chan struct{})}
	f, err := os.OpenFile(s.file, os.O_CREATE|os.O_RDWR, 0o600) // SQLite would make a file that everybody may read
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	level := "NORMAL"
	if o.Sync {
		level = "FULL"
	}
	if s.write, err = s.connect(1, "synchronous("+level+")", "secure_delete(1)", "journal_size_limit(67108864)", "cache_size(-65536)",
		"wal_autocheckpoint(4096)"); err != nil {
		return nil, err
	}
	if s.read, err = s.connect(sqliteReaders, "query_only(1)", "cache_size(-16384)"); err != nil {
		return nil, err
	}
	if s.writer, err = s.start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", s.file, err), s.read.Close(), s.write.Close())
	}
	go s.writer.run()
	return s, nil
}

// start brings the tables up to date and prepares the writer.
func (s *sqliteDB) start(ctx context.Context) (*writer, error) {
	var err error
	for range migrateTries { // of processes that make the tables at the same time one succeeds
		if err = migrate(ctx, s.write, goose.DialectSQLite3, "sqlite"); err == nil || ctx.Err() != nil || errors.Is(err, errNewer) {
			break
		}
		<-time.After(20 * time.Millisecond)
	}
	if err != nil {
		return nil, err
	}
	return newWriter(ctx, s)
}

// connect makes a pool, and no connection yet.
func (s *sqliteDB) connect(most int, pragmas ...string) (*sql.DB, error) {
	options := url.Values{
		"_txlock": {"immediate"},
		"_pragma": append([]string{"busy_timeout(5000)", "journal_mode(WAL)"}, pragmas...),
	}
	name := url.URL{Scheme: "file", Path: filepath.ToSlash(s.file), RawQuery: options.Encode()}
	connector, err := sqlite.NewConnector(name.String())
	if err != nil {
		return nil, err
	}
	pool := sql.OpenDB(connector)
	pool.SetMaxOpenConns(most)
	pool.SetMaxIdleConns(most)
	return pool, nil
}

// maxPrepared bounds the statements that are kept prepared.
const maxPrepared = 512

// statement returns a prepared statement of the readers.
func (s *sqliteDB) statement(ctx context.Context, text string) (stmt *sql.Stmt, done func(), err error) {
	if kept, ok := s.prepared.Load(text); ok {
		return kept.(*sql.Stmt), func() {}, nil //nolint:forcetypeassert // nothing else is stored
	}
	if stmt, err = s.read.PrepareContext(ctx, text); err != nil {
		return nil, nil, err
	}
	n := 0
	s.prepared.Range(func(any, any) bool { n++; return n < maxPrepared })
	if n < maxPrepared {
		if _, there := s.prepared.LoadOrStore(text, stmt); !there {
			return stmt, func() {}, nil
		}
	}
	return stmt, func() { _ = stmt.Close() }, nil
}

// rows implements [database]. The driver gets a context that does not end, because
// it starts a goroutine for each that may.
func (s *sqliteDB) rows(ctx context.Context, _ person, each func(scan func(...any) error) error, text string, values ...any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	stmt, done, err := s.statement(ctx, text) //nolint:sqlclosecheck // done closes it if it is not kept
	if err != nil {
		return sqliteError(err)
	}
	defer done()
	rows, err := stmt.QueryContext(ctx, values...)
	if err != nil {
		return sqliteError(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return err
		}
	}
	return sqliteError(rows.Err())
}

// sqliteError returns what an error of the driver means for a call.
func sqliteError(err error) error {
	var failed *sqlite.Error
	if !errors.As(err, &failed) {
		return err
	}
	switch failed.Code() & 0xff { // without the detail
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fmt.Errorf("%w: %w", errAway, err)
	case sqlite3.SQLITE_FULL:
		return full(err)
	case sqlite3.SQLITE_CONSTRAINT:
		if slot := takenSlot(err); slot > 0 {
			return &takenError{slot: slot, cause: err}
		}
	}
	return err
}

func (s *sqliteDB) check(ctx context.Context) error {
	return s.rows(ctx, person{}, func(scan func(...any) error) error { return scan(new(int)) }, `SELECT 1 FROM store_version LIMIT 1`)
}

func (s *sqliteDB) close() error {
	close(s.closed)
	<-s.ended
	s.prepared.Range(func(_, kept any) bool {
		if stmt, ok := kept.(*sql.Stmt); ok {
			_ = stmt.Close()
		}
		return true
	})
	return errors.Join(s.read.Close(), s.write.Close())
}

func (s *sqliteDB) field(name string, kind tool.FieldKind) string {
	zero := "''"
	if kind == tool.KindNumber || kind == tool.KindBoolean {
		zero = "0"
	}
	return `ifnull(json_extract(doc, '$.` + name + `'), ` + zero + `)`
}

func (s *sqliteDB) value(kind tool.FieldKind) string {
	if kind == tool.KindNumber {
		return "(?+0)" // a number is passed as its text
	}
	return "?"
}

func (s *sqliteDB) has(name string) string {
	return `EXISTS (SELECT 1 FROM json_each(doc, '$.` + name + `') WHERE value = ?)`
}

func (s *sqliteDB) matches(owner ownerKey, terms []string) (string, any) {
	var b strings.Builder
	for i, term := range terms { // letters and digits only
		if i > 0 {
			b.WriteString(" AND ")
		}
		b.WriteString(`"` + string(owner) + term + `" *`)
	}
	return "n IN (SELECT rowid FROM store_text WHERE store_text MATCH ?)", b.String()
}

func (s *sqliteDB) text(number string) string { return "CAST(" + number + " AS TEXT)" }
