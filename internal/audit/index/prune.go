package index

import (
	"context"
	"fmt"
)

// pruneRecords is how many records one statement removes, so that it is soon
// done and lets the copy in between.
const pruneRecords = 2000

// Prune removes the records before the place before: those that the stream does
// not keep any longer.
func (x *Index) Prune(ctx context.Context, before uint64) error {
	for {
		n, err := x.pruneSome(ctx, before)
		if err != nil {
			return fmt.Errorf("prune the audit index: %w", err)
		}
		if n < pruneRecords {
			return nil
		}
	}
}

func (x *Index) pruneSome(ctx context.Context, before uint64) (int64, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	db := x.db.pool()
	oldest := db.NewSelect().Model((*row)(nil)).Column("seq").Where("seq < ?", int64(before)).Order("seq").Limit(pruneRecords)
	res, err := db.NewDelete().Model((*row)(nil)).Where("seq IN (?)", oldest).Exec(ctx)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}
