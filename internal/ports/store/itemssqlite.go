package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"
)

func microseconds(n int64) time.Time { return time.UnixMicro(n).UTC() }

// alone runs f with a connection of its own, which may have temporary tables.
func (s *sqliteDB) alone(ctx context.Context, f func(*sql.Conn) error, pragmas ...string) error {
	pool, err := s.connect(1, pragmas...)
	if err != nil {
		return err
	}
	defer func() { _ = pool.Close() }()
	conn, err := pool.Conn(ctx)
	if err != nil {
		return sqliteError(err)
	}
	defer func() { _ = conn.Close() }()
	return sqliteError(f(conn))
}

// run runs statements until one fails.
func run(ctx context.Context, conn *sql.Conn, statements ...string) error {
	for _, statement := range statements {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// The search index keeps no documents, only words with the numbers of the documents that
// have them. These statements read the words of documents from it, once for all.
const (
	makeVocabulary = `CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab('main', 'store_text', 'instance')`
	makeFound      = `CREATE TABLE temp.found (doc INTEGER PRIMARY KEY, words TEXT NOT NULL)`
	fillFound      = `INSERT INTO temp.found SELECT doc, group_concat(term, ' ') FROM temp.vocabulary `
)

// items implements [database]. It reads in one transaction, so the items are those of one
// moment.
func (s *sqliteDB) items(ctx context.Context, p person, each func(*Item, []string) error) error {
	return s.alone(ctx, func(conn *sql.Conn) error {
		if err := run(ctx, conn, makeVocabulary, makeFound, "BEGIN"); err != nil {
			return err
		}
		fill := fillFound + `WHERE doc IN (SELECT n FROM store_row WHERE tenant = ? AND person = ?) GROUP BY doc`
		if _, err := conn.ExecContext(ctx, fill, p.tenant, p.name); err != nil {
			return err
		}
		rows, err := conn.QueryContext(ctx,
			`SELECT collection, id, revision, created, updated, doc, coalesce((SELECT words FROM temp.found WHERE found.doc = n), '')
FROM store_row WHERE tenant = ? AND person = ? ORDER BY collection, id`, p.tenant, p.name)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var words string
			item, err := scanItem(rows.Scan, &words)
			if err != nil {
				return err
			}
			if err := each(item, plainWords(strings.Fields(words))); err != nil {
				return err
			}
		}
		return errors.Join(rows.Err(), rows.Close(), run(ctx, conn, "COMMIT"))
	})
}
