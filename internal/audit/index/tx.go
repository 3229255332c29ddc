package index

import (
	"context"
	"database/sql"
	"strconv"
	"strings"
)

// tx is a transaction. Both databases get the same statements, with a ? for each value.
type tx struct {
	sql *sql.Tx
	db  database
}

// beginner is a pool of connections, or one connection.
type beginner interface {
	BeginTx(ctx context.Context, o *sql.TxOptions) (*sql.Tx, error)
}

// within runs f in a transaction, which is committed if f returns no error.
func within(ctx context.Context, conn beginner, db database, o *sql.TxOptions, f func(*tx) error) error {
	t, err := conn.BeginTx(ctx, o)
	if err != nil {
		return err
	}
	defer func() { _ = t.Rollback() }()
	if err := f(&tx{t, db}); err != nil {
		return err
	}
	return t.Commit()
}

// exec runs a statement and returns the number of changed rows.
func (t *tx) exec(ctx context.Context, statement string, values ...any) (int64, error) {
	ctx, statement = t.db.adapt(ctx, statement)
	res, err := t.sql.ExecContext(ctx, statement, values...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// row reads one row into the values that to points to. Its error is [sql.ErrNoRows] if
// there is none.
func (t *tx) row(ctx context.Context, to []any, statement string, values ...any) error {
	ctx, statement = t.db.adapt(ctx, statement)
	return t.sql.QueryRowContext(ctx, statement, values...).Scan(to...)
}

// rows calls each with a function that reads a row, for each row.
func (t *tx) rows(ctx context.Context, each func(scan func(...any) error) error, statement string, values ...any) error {
	ctx, statement = t.db.adapt(ctx, statement)
	rows, err := t.sql.QueryContext(ctx, statement, values...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// numbered returns a statement with $1, $2, … instead of ?.
func numbered(statement string) string {
	var b strings.Builder
	for n := 1; ; n++ {
		before, after, more := strings.Cut(statement, "?")
		b.WriteString(before)
		if !more {
			return b.String()
		}
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(n))
		statement = after
	}
}
