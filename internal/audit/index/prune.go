package index

import (
	"context"
	"fmt"
)

// pruneRows limits the rows that one transaction removes, so that it ends soon and lets
// the copy continue.
const pruneRows = 64

// Prune removes the records of messages below before, which the stream no longer keeps.
// Queries stop finding them immediately.
func (x *Index) Prune(ctx context.Context, before uint64) error {
	if err := x.change(ctx, func(t *tx) error {
		_, err := t.exec(ctx, `UPDATE audit_cursor SET kept = ? WHERE kept < ?`, int64(firstIn(before)), int64(firstIn(before)))
		return err
	}); err != nil {
		return fmt.Errorf("prune the audit index: %w", err)
	}
	for n := int64(pruneRows); n >= pruneRows; {
		err := x.change(ctx, func(t *tx) (err error) {
			n, err = t.prune(ctx, firstIn(before))
			return err
		})
		if err != nil {
			return fmt.Errorf("prune the audit index: %w", err)
		}
	}
	return nil
}

// prune removes some rows without records from a place on.
func (t *tx) prune(ctx context.Context, before place) (removed int64, err error) {
	if err := t.lock(ctx); err != nil {
		return 0, err
	}
	for _, statement := range [...]string{
		`DELETE FROM audit_chunk WHERE (tenant, first) IN (SELECT tenant, first FROM audit_chunk WHERE last < ? LIMIT ?)`,
		`DELETE FROM audit_span WHERE (tenant, first) IN (SELECT tenant, first FROM audit_span WHERE last < ? LIMIT ?)`,
		`DELETE FROM audit_key WHERE (segment, hash, place) IN (SELECT k.segment, k.hash, k.place FROM audit_key k
	JOIN audit_segment s ON s.id = k.segment WHERE s.last < ? LIMIT ?)`,
	} {
		n, err := t.exec(ctx, statement, int64(before), int64(pruneRows))
		if err != nil {
			return 0, err
		}
		removed = max(removed, n)
	}
	if removed < pruneRows {
		_, err = t.exec(ctx, `DELETE FROM audit_segment WHERE last < ?`, int64(before))
	}
	return removed, err
}

// change runs f in a transaction concurrent with the copy.
func (x *Index) change(ctx context.Context, f func(*tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, writeWithin)
	defer cancel()
	x.mu.RLock()
	defer x.mu.RUnlock()
	return within(ctx, x.db.pool(), x.db, nil, f)
}
