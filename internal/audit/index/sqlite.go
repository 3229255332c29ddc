package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"github.com/pressly/goose/v3"
	"go.uber.org/zap"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqliteDB is a file with one connection for writing and some for reading. Everything
// in it can be copied from the stream again, so transactions are not synced.
type sqliteDB struct {
	dir         string
	log         *zap.Logger
	read, write *sql.DB
}

const sqliteReaders = 4

// openSQLite opens dir/audit.db, and creates a new one if there is no usable one.
func openSQLite(ctx context.Context, dir string, log *zap.Logger) (database, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	s, err := newSQLite(dir, log)
	if err != nil {
		return nil, err
	}
	if err = s.prepare(ctx); err != nil && s.broken(err) {
		return s.renew(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", s.file(), err), s.close())
	}
	return s, nil
}

func newSQLite(dir string, log *zap.Logger) (*sqliteDB, error) {
	s := &sqliteDB{dir: dir, log: log}
	// SQLite would create a world-readable file.
	f, err := os.OpenFile(s.file(), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	if s.write, err = s.connect(1, "synchronous(NORMAL)", "journal_size_limit(67108864)", "cache_size(-65536)",
		"wal_autocheckpoint(4096)"); err != nil {
		return nil, err
	}
	if s.read, err = s.connect(sqliteReaders, "query_only(1)"); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *sqliteDB) file() string { return filepath.Join(s.dir, "audit.db") }

// prepare tries more than once: when two processes create the tables concurrently, one
// fails, and then finds the tables.
func (s *sqliteDB) prepare(ctx context.Context) (err error) {
	// Goose does not report damage to a file.
	if _, err := s.write.ExecContext(ctx, touch); err != nil && s.broken(err) {
		return err
	}
	for range 3 {
		var replaced bool
		replaced, err = migrate(ctx, s.log, s.write, goose.DialectSQLite3, "sqlite")
		if replaced { // the file is as large as the tables before were
			_, err = s.write.ExecContext(ctx, "VACUUM")
		}
		if err == nil || ctx.Err() != nil {
			break
		}
	}
	return err
}

// touch reads something of each existing table.
const touch = `SELECT (SELECT max(version_id) FROM audit_index_version), (SELECT seq FROM audit_cursor), (SELECT max(last) FROM audit_chunk), (SELECT max(id) FROM audit_segment), (SELECT max(place) FROM audit_key WHERE segment = 0)`

// connect creates a pool without connections.
func (s *sqliteDB) connect(most int, pragmas ...string) (*sql.DB, error) {
	options := url.Values{
		"_txlock": {"immediate"},
		// The first setting: other connections wait for the file, too.
		"_pragma": append([]string{"busy_timeout(5000)", "journal_mode(WAL)"}, pragmas...),
	}
	name := url.URL{Scheme: "file", Path: filepath.ToSlash(s.file()), RawQuery: options.Encode()}
	connector, err := sqlite.NewConnector(name.String())
	if err != nil {
		return nil, err
	}
	pool := sql.OpenDB(connector)
	pool.SetMaxOpenConns(most)
	pool.SetMaxIdleConns(most)
	return pool, nil
}

func (s *sqliteDB) reader() *sql.DB { return s.read }

func (s *sqliteDB) pool() *sql.DB { return s.write }

func (s *sqliteDB) writer(context.Context) (beginner, func(), error) {
	return s.write, func() {}, nil
}

// adapt detaches a statement from a context that may end, because the driver starts a
// goroutine for each such statement. The transaction ends with its own context.
func (s *sqliteDB) adapt(ctx context.Context, statement string) (context.Context, string) {
	return context.WithoutCancel(ctx), statement
}

// insertChunks inserts one row at a time: statements with dozens of rows are not
// faster.
func (s *sqliteDB) insertChunks(ctx context.Context, t *tx, tenant string, chunks []chunk) error {
	return s.insert(ctx, t, `INSERT INTO audit_chunk (tenant, first, last, records, data) VALUES (?, ?, ?, ?, ?)`, len(chunks),
		func(i int) []any {
			c := &chunks[i]
			return []any{tenant, int64(c.first), int64(c.last), int64(c.records), c.data}
		})
}

func (s *sqliteDB) insertPages(ctx context.Context, t *tx, segment int64, pages []keyPage) error {
	return s.insert(ctx, t, `INSERT INTO audit_key (segment, hash, place, data) VALUES (?, ?, ?, ?)`, len(pages), func(i int) []any {
		p := &pages[i]
		return []any{segment, p.hash, int64(p.at), p.data}
	})
}

func (s *sqliteDB) insert(ctx context.Context, t *tx, statement string, rows int, values func(int) []any) error {
	ctx, statement = s.adapt(ctx, statement)
	stmt, err := t.sql.PrepareContext(ctx, statement)
	if err != nil {
		return err
	}
	defer func() { _ = stmt.Close() }()
	for i := range rows {
		if _, err := stmt.ExecContext(ctx, values(i)...); err != nil {
			return err
		}
	}
	return nil
}

func (s *sqliteDB) broken(err error) bool {
	if errors.Is(err, errDamaged) || errors.Is(err, errNewer) {
		return true
	}
	var failed *sqlite.Error
	if !errors.As(err, &failed) {
		return false
	}
	code := failed.Code() & 0xff // without the detail
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB
}

// renew keeps the last broken file, or that of a newer version, for analysis.
func (s *sqliteDB) renew(ctx context.Context) (database, error) {
	_ = s.close()
	aside := s.file() + ".broken"
	s.log.Warn("audit index file damaged or newer; moved aside and rebuilding from the stream",
		zap.String("file", s.file()), zap.String("moved_to", aside))
	if err := os.Rename(s.file(), aside); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	// They belong to the removed file.
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Remove(s.file() + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	fresh, err := newSQLite(s.dir, s.log)
	if err != nil {
		return nil, err
	}
	if err := fresh.prepare(ctx); err != nil {
		return nil, errors.Join(err, fresh.close())
	}
	return fresh, nil
}

// close waits for a transaction that is being rolled back, which a pool's Close leaves running:
// the last connection moves what has been written into the file.
func (s *sqliteDB) close() error {
	err := s.read.Close()
	if last, err := s.write.Conn(context.Background()); err == nil {
		_ = last.Close()
	}
	return errors.Join(err, s.write.Close())
}
