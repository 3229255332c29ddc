package index

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/helve-dev/helve/internal/audit"
)

const (
	// partBits says how many places are a part, 2^14. The indexes say so, too.
	partBits = 14
	// partsFirst and partsMost are how many parts are asked for at a time: few
	// first, because they may fill the page.
	partsFirst, partsMost = 16, 1024
)

// byParts looks for up to limit records behind after, part by part of the
// stream, as the indexes of traces and calls are laid out.
func byParts(ctx context.Context, db *bun.DB, q *audit.Query, after int64, limit int) ([]row, error) {
	var first, last int64
	err := db.NewRaw(`SELECT coalesce((SELECT min(seq) FROM audit_record), 1), coalesce((SELECT max(seq) FROM audit_record), 0)`).Scan(ctx, &first, &last)
	if err != nil {
		return nil, err
	}
	var rows []row
	next, end := max(first, after+1)>>partBits, last>>partBits
	for n := int64(partsFirst); next <= end && len(rows) < limit; n = min(2*n, partsMost) {
		var parts []int64
		for ; next <= end && int64(len(parts)) < n; next++ {
			parts = append(parts, next)
		}
		var some []row
		if err := inParts(db, q, after, limit-len(rows), parts).Scan(ctx, &some); err != nil {
			return nil, err
		}
		rows = append(rows, some...)
	}
	return rows, nil
}

func inParts(db *bun.DB, q *audit.Query, after int64, limit int, parts []int64) *bun.SelectQuery {
	return ask(db, q, after, limit).Where("seq >> 14 IN ?", bun.Tuple(parts)) // in the words of the indexes
}
