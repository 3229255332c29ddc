// Package listing reads a part of a collection by offset and limit.
//
// It returns at most limit records, how many match in all, and whether others follow.
package listing

import (
	"context"

	"github.com/helve-dev/helve/tool"
)

// Counts are the members that every list has in its result.
type Counts struct {
	Total     int  `json:"total" doc:"How many match."`
	Count     int  `json:"count" doc:"How many are returned."`
	Truncated bool `json:"truncated" doc:"Whether more follow those that are returned; offset skips the first."`
}

// CountsOf returns the counts of a list of count items, of total that match, after offset.
func CountsOf(total, offset, count int) Counts {
	return Counts{Total: total, Count: count, Truncated: total-count > max(offset, 0)}
}

// Read returns the records of a query from offset on, at most q.Limit, and their counts.
// An offset below 0 is 0, and one beyond the last record returns none.
func Read[T any](ctx context.Context, c *tool.Collection[T], s tool.Store, q tool.Query, offset int) ([]tool.Record[T], Counts, error) {
	q.Offset, q.Total = max(offset, 0), true
	page, err := c.Query(ctx, s, q)
	if err != nil {
		return nil, Counts{}, err
	}
	return page.List, CountsOf(page.Total, offset, len(page.List)), nil
}
