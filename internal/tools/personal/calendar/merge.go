package calendar

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/lib/listing"
	"github.com/helve-dev/helve/tool"
)

// Limits on the events of series in one list.
const (
	maxOfSeries  = 1000   // of one series
	maxOfEndless = 100    // of one series without an end, in a list without one
	maxOfAll     = 20_000 // of all series
)

// happening is an event, or one of a series.
type happening struct {
	at     time.Time
	record tool.Record[Event]
}

func (h happening) compare(other happening) int {
	return cmp.Or(h.at.Compare(other.at), cmp.Compare(h.record.ID, other.record.ID))
}

// window selects events by when they begin. A zero time is no bound.
type window struct{ from, to time.Time }

// conditions returns those of events that may begin in the window, by the fields that
// are the first and the last start.
func (w window) conditions(last string) []tool.Condition {
	var list []tool.Condition
	if !w.from.IsZero() {
		list = append(list, tool.Where(last, tool.GreaterEqual, w.from))
	}
	if !w.to.IsZero() {
		list = append(list, tool.Where("starts", tool.LessEqual, w.to))
	}
	return list
}

// read returns the events of a query that begin in the window, in their order, from
// offset on; and whether series were cut, so that there are more than are counted.
func (w window) read(
	ctx context.Context, s tool.Store, q tool.Query, offset int,
) (list []happening, counts listing.Counts, cut bool, err error) {
	repeated, cut, err := w.repeated(ctx, s, q)
	if err != nil {
		return nil, counts, false, err
	}
	// At least offset-len(repeated) of the events before the page are single ones.
	offset = max(offset, 0)
	limit, skip := cmp.Or(q.Limit, maxOfEndless), max(offset-len(repeated), 0)
	q.Where = slices.Concat(q.Where, w.conditions("starts"), []tool.Condition{tool.Where("repeats", tool.Equal, false)})
	q.Order = []tool.Order{{Field: "starts"}}
	var all []happening
	for rest := offset - skip + limit; ; {
		q.Limit = min(rest, tool.MaxPage)
		singles, single, err := listing.Read(ctx, Collection, s, q, skip+len(all))
		if err != nil {
			return nil, counts, false, err
		}
		counts.Total = single.Total + len(repeated)
		for _, r := range singles {
			all = append(all, happening{r.Value.Starts, r})
		}
		if rest -= len(singles); rest <= 0 || !single.Truncated || len(singles) == 0 {
			break
		}
	}
	before := 0 // events of series before the single events that were read
	if skip > 0 && len(all) > 0 {
		before, _ = slices.BinarySearchFunc(repeated, all[0], happening.compare)
	} else if skip > 0 {
		before = len(repeated)
	}
	all = append(all, repeated[before:]...)
	slices.SortStableFunc(all, happening.compare)
	first := min(max(offset-skip-before, 0), len(all))
	list = all[first:min(first+limit, len(all))]
	counts = listing.CountsOf(counts.Total, offset, len(list))
	counts.Truncated = counts.Truncated || cut
	return list, counts, cut, nil
}

// repeated returns the events of series in the window, in their order, and whether some
// were left out.
func (w window) repeated(ctx context.Context, s tool.Store, q tool.Query) (list []happening, cut bool, err error) {
	q.Where = slices.Concat(q.Where, w.conditions("ends"), []tool.Condition{tool.Where("repeats", tool.Equal, true)})
	q.Order, q.Limit, q.Total = []tool.Order{{Field: "starts"}}, tool.MaxPage, false
	page, err := Collection.Query(ctx, s, q)
	if err != nil {
		return nil, false, err
	}
	cut = page.Next != ""
	for _, r := range page.List {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		series, err := r.Value.series()
		if err != nil {
			continue // written by a newer version
		}
		first, most, to := r.Value.start(), maxOfSeries, w.to
		if to.IsZero() {
			to = latest
			if series.Endless() {
				most = maxOfEndless
			}
		}
		from := w.from
		if from.IsZero() {
			from = first
		}
		starts, more := series.Starts(first, from, to, min(most, maxOfAll-len(list)))
		for _, at := range starts {
			list = append(list, happening{at, r})
		}
		cut = cut || more
	}
	slices.SortStableFunc(list, happening.compare)
	return list, cut, nil
}
