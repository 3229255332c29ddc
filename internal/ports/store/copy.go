package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Copied is the number of rows of each table that were copied.
type Copied map[string]int64

// Errors of [Copy].
var (
	// ErrInUse means that another process uses one of the databases.
	ErrInUse = errors.New("another process uses the database")
	// ErrNotEmpty means that the database to copy to holds data.
	ErrNotEmpty = errors.New("the database to copy to is not empty")
)

// side is one of the two databases of a copy. No other process changes it until it is
// closed. Values are int64, string, []byte, nil and, for the words of a document,
// []string.
type side interface {
	// tables returns the columns of each table, sorted, without those that exist in one
	// kind of database only.
	tables(ctx context.Context) (map[string][]string, error)
	// read calls each with the values of every row; those of store_row end with words.
	read(ctx context.Context, table string, columns []string, each func([]any) error) error
	// write adds a row; the rows are stored when commit returns.
	write(ctx context.Context, table string, columns []string, values []any) error
	// flush completes the rows that were written, so that read finds them.
	flush(ctx context.Context) error
	commit(ctx context.Context) error
	// close ends the use, and undoes what was not committed.
	close(ctx context.Context) error
}

// rowTable is the table of documents, whose words are in the search index.
const rowTable = "store_row"

// Copy copies everything from one database to another, which must be empty, in one
// transaction. It compares the hashes of all rows before it commits. No process may use
// either database.
func Copy(ctx context.Context, from, to Options) (done Copied, err error) {
	source, err := openSide(ctx, from.complete(), false)
	if err != nil {
		return nil, fmt.Errorf("the database to copy from: %w", err)
	}
	defer func() { err = errors.Join(err, source.close(context.WithoutCancel(ctx))) }()
	target, err := openSide(ctx, to.complete(), true)
	if err != nil {
		return nil, fmt.Errorf("the database to copy to: %w", err)
	}
	defer func() { err = errors.Join(err, target.close(context.WithoutCancel(ctx))) }()
	tables, err := sameTables(ctx, source, target)
	if err != nil {
		return nil, err
	}
	if err := checkEmpty(ctx, target, tables); err != nil {
		return nil, err
	}
	done = Copied{}
	for _, table := range slices.Sorted(maps.Keys(tables)) {
		if done[table], err = copyTable(ctx, source, target, table, tables[table]); err != nil {
			return nil, fmt.Errorf("copy %s: %w", table, err)
		}
	}
	if err := target.commit(ctx); err != nil {
		return nil, fmt.Errorf("commit the copy: %w", err)
	}
	return done, nil
}

func openSide(ctx context.Context, o Options, create bool) (side, error) {
	if o.URL != "" {
		return openPostgresSide(ctx, o)
	}
	return openSQLiteSide(ctx, o, create)
}

// sameTables returns the tables, which both sides must have.
func sameTables(ctx context.Context, source, target side) (map[string][]string, error) {
	tables, err := source.tables(ctx)
	if err != nil {
		return nil, err
	}
	other, err := target.tables(ctx)
	if err != nil {
		return nil, err
	}
	if !maps.EqualFunc(tables, other, slices.Equal[[]string]) {
		return nil, fmt.Errorf("the databases have different tables: %v and %v", tables, other)
	}
	return tables, nil
}

func checkEmpty(ctx context.Context, target side, tables map[string][]string) error {
	for table, columns := range tables {
		err := target.read(ctx, table, columns, func([]any) error { return ErrNotEmpty })
		if err != nil {
			return fmt.Errorf("%s: %w", table, err)
		}
	}
	return nil
}

// copyTable copies a table, reads the copy and compares.
func copyTable(ctx context.Context, source, target side, table string, columns []string) (int64, error) {
	var sent, stored digest
	err := source.read(ctx, table, columns, func(values []any) error {
		sent.add(columns, values)
		return target.write(ctx, table, columns, values)
	})
	if err != nil {
		return 0, err
	}
	if err := target.flush(ctx); err != nil {
		return 0, err
	}
	err = target.read(ctx, table, columns, func(values []any) error {
		stored.add(columns, values)
		return nil
	})
	if err == nil && sent != stored {
		err = fmt.Errorf("the copy of %d rows has %d rows or other values; nothing was copied", sent.rows, stored.rows)
	}
	return sent.rows, err
}
