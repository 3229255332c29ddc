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
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"go.uber.org/zap"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqliteDB is a file with one connection that writes and some that read. Nothing
// in it is needed that the stream does not have, so it is not synced with each
// transaction.
type sqliteDB struct {
	dir         string
	log         *zap.Logger
	read, write *bun.DB
}

const sqliteReaders = 4

// openSQLite opens dir/audit.db, and makes a new one where there is none that
// can be used.
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
	// SQLite would make a file that everybody may read.
	f, err := os.OpenFile(s.file(), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	if s.write, err = s.connect(1, "synchronous(NORMAL)", "journal_size_limit(67108864)", "cache_size(-65536)", "wal_autocheckpoint(4096)"); err != nil {
		return nil, err
	}
	if s.read, err = s.connect(sqliteReaders, "query_only(1)"); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *sqliteDB) file() string { return filepath.Join(s.dir, "audit.db") }

// prepare tries more than once: when two processes make the tables at the same
// time one of them fails, and finds them made.
func (s *sqliteDB) prepare(ctx context.Context) (err error) {
	// Goose does not say what is wrong with a damaged file.
	if _, err := s.write.ExecContext(ctx, touch); err != nil && s.broken(err) {
		return err
	}
	for range 3 {
		err = migrate(ctx, s.write.DB, goose.DialectSQLite3, "sqlite")
		if err == nil || ctx.Err() != nil {
			break
		}
	}
	return err
}

// touch reads something of each table, as far as they are there.
const touch = `SELECT (SELECT max(version_id) FROM audit_index_version), (SELECT seq FROM audit_cursor), (SELECT max(seq) FROM audit_record)`

// connect makes a pool, and no connection yet.
func (s *sqliteDB) connect(most int, pragmas ...string) (*bun.DB, error) {
	options := url.Values{
		"_txlock": {"immediate"},
		// The first: the others wait for the file, too. The second: a file that is
		// made has its pages' size for ever.
		"_pragma": append([]string{"busy_timeout(5000)", "page_size(16384)", "journal_mode(WAL)"}, pragmas...),
	}
	name := url.URL{Scheme: "file", Path: filepath.ToSlash(s.file()), RawQuery: options.Encode()}
	connector, err := sqlite.NewConnector(name.String())
	if err != nil {
		return nil, err
	}
	pool := sql.OpenDB(connector)
	pool.SetMaxOpenConns(most)
	pool.SetMaxIdleConns(most)
	return bun.NewDB(pool, sqlitedialect.New()), nil
}

func (s *sqliteDB) reader() *bun.DB { return s.read }

func (s *sqliteDB) pool() *bun.DB { return s.write }

func (s *sqliteDB) writer(context.Context) (bun.IDB, func(), error) {
	return s.write, func() {}, nil
}

// insertRow is one row's: rows by the dozen in a statement take no less time.
const insertRow = `INSERT INTO audit_record (seq, tenant, time, trace_id, call_id, tool, user_id, agent,
	conversation, status, error_type, phase, outcome, record)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`

func (s *sqliteDB) insert(ctx context.Context, tx bun.Tx, rows []row) error {
	stmt, err := tx.Tx.PrepareContext(ctx, insertRow)
	if err != nil {
		return err
	}
	defer func() { _ = stmt.Close() }()
	// The driver starts a goroutine for each statement whose context may end.
	// When ctx ends the transaction does, and so does this.
	each := context.WithoutCancel(ctx)
	for i := range rows {
		r := &rows[i]
		_, err := stmt.ExecContext(each, r.Seq, r.Tenant, r.Time, r.TraceID, r.CallID, r.Tool, r.User, r.Agent,
			r.Conversation, r.Status, r.ErrorType, r.Phase, r.Outcome, r.Record)
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *sqliteDB) clear(ctx context.Context, tx bun.Tx) error {
	_, err := tx.ExecContext(ctx, "DELETE FROM audit_record")
	return err
}

func (s *sqliteDB) broken(err error) bool {
	var failed *sqlite.Error
	if !errors.As(err, &failed) {
		return false
	}
	code := failed.Code() & 0xff // without the detail
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB
}

// renew keeps the last broken file for whoever wants to know why.
func (s *sqliteDB) renew(ctx context.Context) (database, error) {
	_ = s.close()
	aside := s.file() + ".broken"
	s.log.Warn("audit index: its file is damaged; it was moved aside and is built anew from the stream",
		zap.String("file", s.file()), zap.String("moved_to", aside))
	if err := os.Rename(s.file(), aside); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	// They belong to the file that is gone.
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

func (s *sqliteDB) close() error { return errors.Join(s.read.Close(), s.write.Close()) }
