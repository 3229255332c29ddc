package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"modernc.org/sqlite"
)

// sqliteSide is a file that no other process has open.
type sqliteSide struct {
	pool    *sql.DB
	conn    *sql.Conn
	inserts map[string]*sql.Stmt
	text    *sql.Stmt
}

// openSQLiteSide opens dir/store.db, which must exist unless create is set.
func openSQLiteSide(ctx context.Context, o Options, create bool) (_ side, err error) {
	file := filepath.Join(o.Dir, sqliteFile)
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) && !create {
		return nil, fmt.Errorf("there is no %s", file)
	}
	s, err := Open(ctx, Options{Dir: o.Dir}) // for the tables
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	// The order matters: a file that is in exclusive mode before its log is opened cannot
	// be opened if another process has it.
	pragmas := url.Values{"_pragma": {"busy_timeout(1000)", "locking_mode(EXCLUSIVE)", "journal_mode(WAL)", "secure_delete(1)"}}
	name := url.URL{Scheme: "file", Path: filepath.ToSlash(file), RawQuery: pragmas.Encode()}
	connector, err := sqlite.NewConnector(name.String())
	if err != nil {
		return nil, err
	}
	q := &sqliteSide{pool: sql.OpenDB(connector), inserts: map[string]*sql.Stmt{}}
	if q.conn, err = q.pool.Conn(ctx); err == nil {
		err = run(ctx, q.conn, makeVocabulary, makeFound, "BEGIN EXCLUSIVE")
	}
	if errors.Is(sqliteError(err), errAway) {
		err = fmt.Errorf("%s: %w: %w", file, ErrInUse, err)
	}
	if err != nil {
		return nil, errors.Join(err, q.close(context.WithoutCancel(ctx)))
	}
	return q, nil
}

// tables implements [side].
func (q *sqliteSide) tables(ctx context.Context) (map[string][]string, error) {
	rows, err := q.conn.QueryContext(ctx, `SELECT s.name, c.name FROM sqlite_schema s, pragma_table_info(s.name) c
WHERE s.type = 'table' AND s.name GLOB 'store_*' AND s.name <> 'store_version' AND NOT s.name GLOB 'store_text*' AND c.name <> 'n' ORDER BY 1, 2`)
	if err != nil {
		return nil, err
	}
	return readTables(rows)
}

func readTables(rows *sql.Rows) (map[string][]string, error) {
	defer func() { _ = rows.Close() }()
	tables := map[string][]string{}
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			return nil, err
		}
		tables[table] = append(tables[table], column)
	}
	return tables, rows.Err()
}

// read implements [side].
func (q *sqliteSide) read(ctx context.Context, table string, columns []string, each func([]any) error) error {
	list := strings.Join(columns, ", ")
	if table == rowTable {
		if err := run(ctx, q.conn, "DELETE FROM temp.found", fillFound+"GROUP BY doc"); err != nil {
			return err
		}
		list += ", (SELECT words FROM temp.found WHERE found.doc = n)"
	}
	rows, err := q.conn.QueryContext(ctx, "SELECT "+list+" FROM "+table) //nolint:gosec // names of our own tables and columns
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		values := make([]any, len(columns), len(columns)+1)
		if table == rowTable {
			values = append(values, nil)
		}
		into := make([]any, len(values))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if words, ok := values[len(values)-1].(string); ok && table == rowTable {
			values[len(values)-1] = plainWords(strings.Fields(words))
		}
		if err := each(values); err != nil {
			return err
		}
	}
	return rows.Err()
}

// write implements [side].
func (q *sqliteSide) write(ctx context.Context, table string, columns []string, values []any) error {
	insert := q.inserts[table]
	if insert == nil {
		var err error
		//nolint:gosec // names of our own tables and columns
		insert, err = q.conn.PrepareContext(ctx,
			`INSERT INTO `+table+` (`+strings.Join(columns, ", ")+`) VALUES (?`+strings.Repeat(", ?", len(columns)-1)+`)`)
		if err != nil {
			return err
		}
		q.inserts[table] = insert
	}
	res, err := insert.ExecContext(ctx, values[:len(columns)]...)
	if err != nil || table != rowTable || values[len(columns)] == nil {
		return err
	}
	n, err := res.LastInsertId()
	if err != nil {
		return err
	}
	if q.text == nil {
		if q.text, err = q.conn.PrepareContext(ctx, `INSERT INTO store_text (rowid, words) VALUES (?, ?)`); err != nil {
			return err
		}
	}
	words, _ := values[len(columns)].([]string) // of no words too
	_, err = q.text.ExecContext(ctx, n, strings.Join(ownerOf(columns, values).index(words), " "))
	return err
}

// ownerOf returns the owner's key of a row of documents.
func ownerOf(columns []string, values []any) ownerKey {
	text := func(column string) string {
		v, _ := values[slices.Index(columns, column)].(string)
		return v
	}
	return ownerKeyOf(person{text("tenant"), text("person")}, text("collection"))
}

func (q *sqliteSide) flush(context.Context) error { return nil }

func (q *sqliteSide) commit(ctx context.Context) error { return run(ctx, q.conn, "COMMIT") }

func (q *sqliteSide) close(ctx context.Context) error {
	if q.conn == nil {
		return q.pool.Close()
	}
	_ = run(ctx, q.conn, "ROLLBACK") // fails after a commit
	if q.text != nil {
		_ = q.text.Close()
	}
	for _, insert := range q.inserts {
		_ = insert.Close()
	}
	return errors.Join(q.conn.Close(), q.pool.Close())
}
