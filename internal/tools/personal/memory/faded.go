package memory

import (
	"context"
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/lib/listing"
	"github.com/helve-dev/helve/tool"
)

// fadedPage is the number of memories that faded reads together.
const fadedPage = 100

// faded reads memories of at least some importance, where that is so low that those which
// have decayed to their floor may have it. The store compares one or the other, not either.
type faded struct {
	least float64
	now   time.Time
}

// read returns the memories of a query as [listing.Read] does.
func (f *faded) read(
	ctx context.Context, c *tool.Collection[stored], s tool.Store, q tool.Query, offset int,
) ([]tool.Record[stored], listing.Counts, error) {
	total, err := f.count(ctx, c, s, q.Where)
	if err != nil {
		return nil, listing.Counts{}, err
	}
	limit, skip := q.Limit, max(offset, 0)
	list := []tool.Record[stored]{}
	if skip >= total {
		return list, listing.CountsOf(total, offset, 0), nil
	}
	for q.Limit = fadedPage; ; {
		page, err := c.Query(ctx, s, q)
		if err != nil {
			return nil, listing.Counts{}, err
		}
		for _, r := range page.List {
			switch {
			case r.Value.Importance*factor(dayOf(f.now)-r.Value.Accessed) < f.least:
			case skip > 0:
				skip--
			default:
				list = append(list, r)
			}
			if len(list) == limit {
				return list, listing.CountsOf(total, offset, len(list)), nil
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return list, listing.CountsOf(total, offset, len(list)), nil
		}
	}
}

// count returns the number of memories that match.
func (f *faded) count(ctx context.Context, c *tool.Collection[stored], s tool.Store, where []tool.Condition) (total int, err error) {
	line := strength(f.least, dayOf(f.now))
	for _, more := range [][]tool.Condition{
		{tool.Where("strength", tool.GreaterEqual, line)},
		{tool.Where("strength", tool.Less, line), tool.Where("importance", tool.GreaterEqual, f.least/floor)},
	} {
		groups, err := c.Aggregate(ctx, s, tool.AggregateQuery{Where: slices.Concat(where, more)})
		if err != nil {
			return 0, err
		}
		for _, g := range groups {
			total += g.Count
		}
	}
	return total, nil
}
