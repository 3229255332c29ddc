package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// postgresSide is a database whose tables are locked.
type postgresSide struct {
	conn  *pgx.Conn
	batch pgx.Batch
}

const (
	// aloneWithin is the time in which the last sessions of other processes must end.
	aloneWithin = 2 * time.Second
	// copyBatch is the number of rows that are sent at a time.
	copyBatch = 500
)

// othersThere counts the sessions of the same role in the database: those of workers, and
// of dispatchers, which copy the audit trail there.
const othersThere = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND usename = session_user AND pid <> pg_backend_pid() AND backend_type = 'client backend'`

func openPostgresSide(ctx context.Context, o Options) (_ side, err error) {
	db, err := openPostgres(ctx, o)
	if err != nil {
		return nil, err
	}
	p, _ := db.(*postgresDB) // which openPostgres has made
	bounded, cancel := context.WithTimeout(ctx, openWithin)
	defer cancel()
	if err := errors.Join(p.prepare(bounded), p.close()); err != nil {
		return nil, err
	}
	conn, err := pgx.Connect(ctx, o.URL)
	if err != nil {
		return nil, err
	}
	q := &postgresSide{conn: conn}
	if err := q.lock(ctx); err != nil {
		return nil, errors.Join(err, q.close(context.WithoutCancel(ctx)))
	}
	return q, nil
}

// lock waits until no other session is there, and locks the tables.
func (q *postgresSide) lock(ctx context.Context) error {
	end := time.Now().Add(aloneWithin)
	for {
		var others int
		if err := q.conn.QueryRow(ctx, othersThere).Scan(&others); err != nil {
			return err
		}
		if others == 0 {
			break
		}
		if time.Now().After(end) {
			return fmt.Errorf("%w: %d sessions of its role", ErrInUse, others)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
	tables, err := q.tables(ctx)
	if err != nil {
		return err
	}
	names := []string{}
	for table := range tables {
		names = append(names, table)
	}
	slices.Sort(names)
	_, err = q.conn.Exec(ctx, "BEGIN; SET LOCAL lock_timeout = '3s'; LOCK TABLE "+strings.Join(names, ", ")+" IN EXCLUSIVE MODE")
	if isPgError(err, "55P03") {
		err = fmt.Errorf("%w: %w", ErrInUse, err)
	}
	return err
}

// tables implements [side].
func (q *postgresSide) tables(ctx context.Context) (map[string][]string, error) {
	rows, err := q.conn.Query(ctx,
		`SELECT table_name::text, column_name::text FROM information_schema.columns WHERE table_schema = current_schema()
AND table_name LIKE 'store\_%' AND table_name <> 'store_version' AND column_name NOT IN ('n', 'words')`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	tables := map[string][]string{}
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			return nil, err
		}
		tables[table] = append(tables[table], column)
	}
	for _, columns := range tables {
		slices.Sort(columns)
	}
	return tables, rows.Err()
}

// read implements [side].
func (q *postgresSide) read(ctx context.Context, table string, columns []string, each func([]any) error) error {
	list := slices.Clone(columns)
	if i := slices.Index(list, "doc"); i >= 0 {
		list[i] = "doc::text"
	}
	if table == rowTable {
		list = append(list, "tsvector_to_array(words)")
	}
	rows, err := q.conn.Query(ctx, "SELECT "+strings.Join(list, ", ")+" FROM "+table)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return err
		}
		if list, ok := values[len(values)-1].([]any); ok {
			values[len(values)-1] = textsOf(list)
		}
		if err := each(values); err != nil {
			return err
		}
	}
	return rows.Err()
}

// textsOf returns the words of an array of the search index.
func textsOf(list []any) []string {
	words := make([]string, 0, len(list))
	for _, v := range list {
		if word, ok := v.(string); ok {
			words = append(words, word)
		}
	}
	return plainWords(words)
}

// write implements [side].
func (q *postgresSide) write(ctx context.Context, table string, columns []string, values []any) error {
	places := make([]string, 0, len(columns)+1)
	for i, column := range columns {
		place := "$" + itoa(i+1)
		if column == "doc" {
			place += "::jsonb"
		}
		places = append(places, place)
	}
	names := slices.Clone(columns)
	if table == rowTable {
		names, places = append(names, "words"), append(places, "array_to_tsvector($"+itoa(len(columns)+1)+"::text[])")
		values = slices.Clone(values)
		if words, ok := values[len(columns)].([]string); ok {
			values[len(columns)] = ownerOf(columns, values).index(words)
		}
	}
	q.batch.Queue(`INSERT INTO `+table+` (`+strings.Join(names, ", ")+`) VALUES (`+strings.Join(places, ", ")+`)`, values...)
	if q.batch.Len() < copyBatch {
		return nil
	}
	return q.flush(ctx)
}

// flush implements [side].
func (q *postgresSide) flush(ctx context.Context) error {
	if q.batch.Len() == 0 {
		return nil
	}
	err := q.conn.SendBatch(ctx, &q.batch).Close()
	q.batch = pgx.Batch{}
	return err
}

func (q *postgresSide) commit(ctx context.Context) error {
	_, err := q.conn.Exec(ctx, "COMMIT")
	return err
}

// close implements [side]. The server undoes what was not committed.
func (q *postgresSide) close(ctx context.Context) error { return q.conn.Close(ctx) }
