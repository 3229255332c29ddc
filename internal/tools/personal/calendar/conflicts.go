package calendar

import (
	"context"
	"slices"
	"time"

	"github.com/helve-dev/helve/tool"
)

// conflict is an event at the same time as another.
type conflict struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// Limits on the search for conflicts.
const (
	maxConflicts = 50
	// maxAhead bounds the events of a series for which conflicts are looked for.
	maxAhead  = 100
	aheadTime = 366 * 24 * time.Hour
)

// span is the time of one event. An event without an end takes a moment.
type span struct{ from, to time.Time }

// spans returns the times of the event between from and to, at most limit.
func (v *Event) spans(from, to time.Time, limit int) []span {
	first := v.start()
	starts := []time.Time{first}
	if series, err := v.series(); v.Repeats && err == nil {
		starts, _ = series.Starts(first, from.Add(-v.endOf(first).Sub(first)-time.Hour), to, limit)
	}
	list := make([]span, len(starts))
	for i, at := range starts {
		list[i] = span{at, v.endOf(at)}
		if !list[i].to.After(at) {
			list[i].to = at.Add(1)
		}
	}
	return list
}

// overlap reports whether a time of one list and one of the other overlap. Both are in
// order; times that touch do not overlap.
func overlap(a, b []span) bool {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].from.Before(b[0].to) && b[0].from.Before(a[0].to):
			return true
		case a[0].to.Before(b[0].to):
			a = a[1:]
		default:
			b = b[1:]
		}
	}
	return false
}

// conflictsOf returns the committed events, and those of others, that are at the same
// time as v. Of a series it compares the events of a year.
func conflictsOf(ctx context.Context, s tool.Store, v *Event, others []tool.Record[Event]) ([]conflict, error) {
	mine := v.spans(v.Starts, v.Starts.Add(aheadTime), maxAhead)
	if len(mine) == 0 { // the events of its first year are excluded
		return []conflict{}, nil
	}
	from, to := mine[0].from, slices.MaxFunc(mine, func(a, b span) int { return a.to.Compare(b.to) }).to
	if to.After(latest) {
		to = latest
	}
	page, err := Collection.Query(ctx, s, tool.Query{
		Where: []tool.Condition{tool.Where("starts", tool.LessEqual, to), tool.Where("ends", tool.GreaterEqual, from)},
		Order: []tool.Order{{Field: "starts"}}, Limit: tool.MaxPage,
	})
	if err != nil {
		return nil, err
	}
	found := []conflict{}
	for _, r := range append(page.List, others...) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(found) < maxConflicts && overlap(mine, r.Value.spans(from, to, 10*maxAhead)) {
			found = append(found, conflict{r.ID, r.Value.Title})
		}
	}
	return found, nil
}
