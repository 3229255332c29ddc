package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Erased counts what was deleted of a person.
type Erased struct {
	Items int64 `json:"items"`
	// Results counts the stored results of calls.
	Results int64 `json:"results"`
}

// eraseFrom are the tables that hold something of a person.
var eraseFrom = [...]string{"store_row", "store_call", "store_usage"}

const ofPerson = ` WHERE tenant = ? AND person = ?`

// Erase deletes all that the database holds of a person, and rewrites its files so that
// they hold no byte of it. Other calls wait meanwhile. If the error is not nil but
// something was deleted, the rewriting failed; Erase may be repeated.
func (s *Store) Erase(ctx context.Context, tenant, user string) (Erased, error) {
	done, err := s.db.erase(ctx, person{tenant, cmp.Or(user, Nobody)})
	switch {
	case err != nil && done != (Erased{}):
		return done, fmt.Errorf("the data was deleted, but the database files may still hold bytes of it; delete again: %w", err)
	case errors.Is(err, errAway):
		return done, unreachable(err)
	}
	return done, err
}

// count adds the rows that a statement deleted.
func (e *Erased) count(table string, res sql.Result) {
	n, _ := res.RowsAffected() // both drivers support it
	switch table {
	case "store_row":
		e.Items += n
	case "store_call":
		e.Results += n
	}
}

// erase implements [database]. The words of deleted documents leave the search index when
// its parts are merged; freed parts of pages are overwritten by VACUUM.
func (s *sqliteDB) erase(ctx context.Context, p person) (done Erased, err error) {
	err = s.alone(ctx, func(conn *sql.Conn) error {
		if done, err = s.eraseRows(ctx, conn, p); err != nil {
			return errors.Join(err, run(context.WithoutCancel(ctx), conn, "ROLLBACK"))
		}
		if err := run(ctx, conn, "VACUUM"); err != nil {
			return err
		}
		return truncateLog(ctx, conn)
	}, "secure_delete(1)")
	return done, err
}

func (s *sqliteDB) eraseRows(ctx context.Context, conn *sql.Conn, p person) (done Erased, err error) {
	if err := run(ctx, conn, "BEGIN IMMEDIATE"); err != nil {
		return Erased{}, err
	}
	if _, err := conn.ExecContext(ctx, `DELETE FROM store_text WHERE rowid IN (SELECT n FROM store_row`+ofPerson+`)`, p.tenant,
		p.name); err != nil {
		return Erased{}, err
	}
	for _, table := range eraseFrom {
		res, err := conn.ExecContext(ctx, `DELETE FROM `+table+ofPerson, p.tenant, p.name) //nolint:gosec // names of our own tables
		if err != nil {
			return Erased{}, err
		}
		done.count(table, res)
	}
	if err := run(ctx, conn, `INSERT INTO store_text (store_text) VALUES ('optimize')`, "COMMIT"); err != nil {
		return Erased{}, err
	}
	return done, nil
}

// truncatePause is the time between tries to empty the log of SQLite, which needs a
// moment without a reader.
const truncatePause = 50 * time.Millisecond

// truncateLog writes the log to the file and empties it.
func truncateLog(ctx context.Context, conn *sql.Conn) error {
	for {
		var busy, pages, written int
		err := conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &written)
		if err != nil || busy == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("another process reads the database all the time: %w", ctx.Err())
		case <-time.After(truncatePause):
		}
	}
}
