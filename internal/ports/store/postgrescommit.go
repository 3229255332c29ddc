package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/helve-dev/helve/internal/x/failpoint"
)

// The statements of a commit. The usage comes second, so that commits of one person
// wait for each other there and not in the middle of their changes.
const (
	pgAddCall = `INSERT INTO store_call (tenant, call_id, person, attempt, expires, result) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`
	pgUsage   = `INSERT INTO store_usage AS u (tenant, person, documents, bytes) SELECT $1, $2, $3, $4 WHERE 0 <= $5::bigint AND 0 <= $6::bigint
ON CONFLICT (tenant, person) DO UPDATE SET documents = u.documents + excluded.documents, bytes = u.bytes + excluded.bytes WHERE u.documents <= $5 AND u.bytes <= $6`
	pgInsert = `INSERT INTO store_row (tenant, person, collection, id, revision, created, updated, size, doc, words, ` + keyColumns + `)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, array_to_tsvector($10::text[]), $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)`
	pgUpdate = `UPDATE store_row SET revision = $6, updated = $7, size = $8, doc = $9::jsonb, words = coalesce(array_to_tsvector($10::text[]), words),
(` + keyColumns + `) = ($11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
WHERE tenant = $1 AND person = $2 AND collection = $3 AND id = $4 AND revision = $5`
	pgDelete = `DELETE FROM store_row WHERE tenant = $1 AND person = $2 AND collection = $3 AND id = $4 AND revision = $5`
)

// commit implements [database].
func (p *postgresDB) commit(ctx context.Context, c *commit) error {
	return p.with(ctx, func(conn *pgx.Conn) error {
		if err := send(ctx, conn, c); err != nil {
			err = postgresError(ctx, err)
			bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitWithin)
			defer cancel()
			_, _ = conn.Exec(bounded, "ROLLBACK") // or the connection is lost, which does the same
			return err
		}
		// No caller interrupts this: the outcome would not be known.
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitWithin)
		defer cancel()
		_, err := conn.Exec(bounded, "COMMIT")
		switch {
		case err == nil:
			return nil
		case isPgError(err, "23", "40", "53"): // the server has refused it
			return postgresError(bounded, err)
		}
		return fmt.Errorf("%w: %w", ErrUncertain, err)
	})
}

// send begins a transaction and runs the statements of a commit, in one trip to the
// server.
func send(ctx context.Context, conn *pgx.Conn, c *commit) error {
	var batch pgx.Batch
	p := c.person
	batch.Queue("BEGIN")
	batch.Queue(bindPerson, p.tenant, p.name)
	if c.callID != "" {
		batch.Queue(pgAddCall, p.tenant, c.callID, p.name, c.attempt, c.expires, c.result)
	}
	limits := c.limits()
	batch.Queue(pgUsage, p.tenant, p.name, c.growth.documents, c.growth.bytes, limits.documents, limits.bytes)
	for _, ch := range c.changes {
		queue(&batch, p, ch)
	}
	results := conn.SendBatch(ctx, &batch)
	err := receive(results, c)
	if closed := results.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = failpoint.Hit(failpoint.StoreInCommit)
	}
	return err
}

func queue(batch *pgx.Batch, p person, ch *change) {
	var words []string
	if ch.words != nil {
		words = ownerKeyOf(p, ch.collection).index(ch.words)
	}
	switch {
	case ch.base.revision == 0:
		batch.Queue(pgInsert,
			append([]any{p.tenant, p.name, ch.collection, ch.id, ch.revision, ch.created, ch.updated, ch.size, string(ch.doc), words},
				ch.keys.values()...)...)
	case ch.revision == 0:
		batch.Queue(pgDelete, p.tenant, p.name, ch.collection, ch.id, ch.base.revision)
	default:
		batch.Queue(pgUpdate,
			append([]any{p.tenant, p.name, ch.collection, ch.id, ch.base.revision, ch.revision, ch.updated, ch.size, string(ch.doc), words},
				ch.keys.values()...)...)
	}
}

// rekey implements [database].
func (p *postgresDB) rekey(ctx context.Context, who person, list []rekey) error {
	return p.with(ctx, func(c *pgx.Conn) error {
		var batch pgx.Batch // one transaction
		batch.Queue(bindPerson, who.tenant, who.name)
		for _, r := range list {
			batch.Queue(numbered(`UPDATE store_row SET `+setKeys+` WHERE n = ? AND revision = ?`), append(r.keys.values(), r.n, r.revision)...)
		}
		return postgresError(ctx, c.SendBatch(ctx, &batch).Close())
	})
}

// receive reads the results of the statements that send has sent.
func receive(results pgx.BatchResults, c *commit) error {
	for range 2 { // BEGIN and bindPerson
		if _, err := results.Exec(); err != nil {
			return err
		}
	}
	if c.callID != "" {
		if err := one(results, errDone); err != nil {
			return err
		}
	}
	if err := one(results, errFull); err != nil {
		return err
	}
	for range c.changes {
		if err := one(results, ErrStale); err != nil {
			return err
		}
	}
	return nil
}

// one reads the result of a statement that changes one row, and returns none if it
// changed no row.
func one(results pgx.BatchResults, none error) error {
	tag, err := results.Exec()
	if err == nil && tag.RowsAffected() != 1 {
		err = none
	}
	return err
}

// own reports whether receive made the error.
func own(err error) bool {
	return errors.Is(err, errFull) || errors.Is(err, errDone) || errors.Is(err, ErrStale)
}
