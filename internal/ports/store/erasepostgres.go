package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// oldSnapshots counts the transactions of this database that began before another one
	// committed, and adds one if any database of the server has such a transaction: VACUUM
	// FULL takes a snapshot itself, which is as old as the oldest of those. As long as they
	// run, the server keeps what that one deleted.
	oldSnapshots = `SELECT count(*) + (pg_snapshot_xmin(pg_current_snapshot()) <= $1::text::xid8)::int FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_xmin IS NOT NULL AND age(backend_xmin) >= age($1::text::xid8::xid)`
	// snapshotsWithin bounds how long such transactions are waited for.
	snapshotsWithin = 40 * time.Second
)

// erase implements [database]. VACUUM FULL makes new files; without FULL, dead rows and
// the words of the search index would keep their bytes. Statistics hold values of rows.
func (p *postgresDB) erase(ctx context.Context, who person) (done Erased, err error) {
	if err := p.prepare(ctx); err != nil {
		return done, postgresError(ctx, err)
	}
	deleted, xid, err := p.eraseRows(ctx, who)
	if err != nil {
		return done, postgresError(ctx, err)
	}
	if err := p.outlive(ctx, xid); err != nil {
		return deleted, err
	}
	for _, table := range eraseFrom {
		if _, err := p.owner.ExecContext(ctx, `VACUUM (FULL, ANALYZE) `+table); err != nil {
			return deleted, postgresError(ctx, err)
		}
	}
	return deleted, p.eraseStatistics(ctx)
}

// eraseStatistics removes the statistics that the server kept before the tables were
// analyzed again. Only the owner of the database may: for another role the server leaves
// out the VACUUM with a warning, and refuses the CHECKPOINT.
func (p *postgresDB) eraseStatistics(ctx context.Context) error {
	var xid string
	if err := p.owner.QueryRowContext(ctx, `SELECT pg_current_xact_id()::text`).Scan(&xid); err != nil {
		return postgresError(ctx, err)
	}
	if err := p.outlive(ctx, xid); err != nil { // as an analysis by the server itself
		return err
	}
	if _, err := p.owner.ExecContext(ctx, `VACUUM (FULL) pg_catalog.pg_statistic`); err != nil {
		return postgresError(ctx, err)
	}
	_, _ = p.owner.ExecContext(ctx, `CHECKPOINT`)
	return nil
}

// eraseRows deletes the rows of a person, and returns the number of its transaction.
func (p *postgresDB) eraseRows(ctx context.Context, who person) (done Erased, xid string, err error) {
	tx, err := p.owner.BeginTx(ctx, nil)
	if err != nil {
		return done, "", err
	}
	for _, table := range eraseFrom {
		res, err := tx.ExecContext(ctx, numbered(`DELETE FROM `+table+ofPerson), who.tenant, who.name)
		if err != nil {
			return done, "", errors.Join(err, tx.Rollback())
		}
		done.count(table, res)
	}
	if err := tx.QueryRowContext(ctx, `SELECT pg_current_xact_id()::text`).Scan(&xid); err != nil {
		return done, "", errors.Join(err, tx.Rollback())
	}
	return done, xid, tx.Commit()
}

// outlive waits for the transactions that began before the one of that number committed.
func (p *postgresDB) outlive(ctx context.Context, xid string) error {
	end := time.Now().Add(snapshotsWithin)
	for {
		var n int
		err := p.owner.QueryRowContext(ctx, oldSnapshots, xid).Scan(&n)
		switch {
		case err != nil:
			return postgresError(ctx, err)
		case n == 0:
			return nil
		case time.Now().After(end):
			return fmt.Errorf("%d transactions of other sessions still see it", n)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}
