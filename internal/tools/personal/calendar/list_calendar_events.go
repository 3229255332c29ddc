package calendar

import (
	"context"
	"fmt"
	"time"

	"github.com/helve-dev/helve/internal/lib/dates"
	"github.com/helve-dev/helve/internal/lib/listing"
	"github.com/helve-dev/helve/tool"
)

type listArgs struct {
	StartAfter  string `json:"startAfter,omitempty" doc:"Only events that begin at this time or later: YYYY-MM-DD, or YYYY-MM-DDTHH:mm with an offset or timezone." max:"100"`
	StartBefore string `json:"startBefore,omitempty" doc:"Only events that begin at this time or earlier; a day means its beginning." max:"100"`
	Category    string `json:"category,omitempty" doc:"Only events of this category."`
	Search      string `json:"search,omitempty" doc:"Words that the title must have; the beginning of a word is enough."`
	Timezone    string `json:"timezone,omitempty" doc:"The IANA zone of startAfter and startBefore where they have no offset; UTC if it is left out." max:"100"`
	Limit       int    `json:"limit,omitempty" doc:"The most events to return, 1 to 50."`
	Offset      int    `json:"offset,omitempty" doc:"How many events to skip."`
}

type listResult struct {
	Message string `json:"message"`
	Events  []view `json:"events" doc:"The earliest first; of a series, each event that is in the period."`

	listing.Counts
}

var _ = tool.Add(Set, tool.Spec[listArgs, *listResult]{
	Name: "list_calendar_events",
	Description: "List the events of the person's calendar in a period, earliest first, with each event of a series, and return them with " +
		"their ids.",
	Tags:         []string{"calendar", "events", "appointments", "schedule", "today", "tomorrow", "week", "free"},
	Example:      `{"startAfter":"2026-11-23","startBefore":"2026-12-08","timezone":"Europe/Berlin"}`,
	Risk:         tool.Low,
	Confirmation: tool.ConfirmNever,
	Mutates:      false,
	Idempotent:   true,
	Limit:        &tool.Limit{Param: "limit", Default: 20, Max: 50},
	Needs:        tool.NeedStore,
	Errors:       []tool.Kind{},
	Timeout:      timeout,
	Run:          listCalendarEvents,
})

func listCalendarEvents(ctx context.Context, call *tool.Call, args listArgs) (*listResult, error) {
	w, assumed, err := args.window()
	if err != nil {
		return nil, err
	}
	q := tool.Query{Text: args.Search, Limit: args.Limit}
	if args.Category != "" {
		q.Where = append(q.Where, tool.Where("category", tool.Equal, args.Category))
	}
	found, counts, cut, err := w.read(ctx, call.Store, q, args.Offset)
	if err != nil {
		return nil, err
	}
	res := &listResult{Events: make([]view, len(found)), Counts: counts}
	for i, h := range found {
		res.Events[i] = show(h.record, h.at.In(h.record.Value.zone()))
	}
	res.Message = fmt.Sprintf("%d event(s) found.", res.Total)
	if res.Truncated {
		res.Message = fmt.Sprintf("%d of %d event(s), the earliest; narrow the period, or set offset, to see others.", res.Count, res.Total)
	}
	if assumed {
		call.Note(noZone)
	}
	if cut {
		res.Message = fmt.Sprintf("%d of more than %d event(s), the earliest; give startAfter and startBefore to see others of a series.",
			res.Count, res.Total)
		call.Note("Only the first events of a series were listed; give startAfter and startBefore to see others.")
	}
	return res, nil
}

// window returns the period, and whether UTC was assumed for it.
func (args listArgs) window() (w window, assumed bool, err error) {
	zone, err := dates.ZoneIf("timezone", args.Timezone)
	if err != nil {
		return w, false, err
	}
	for _, bound := range []struct {
		param, text string
		at          *time.Time
	}{{"startAfter", args.StartAfter, &w.from}, {"startBefore", args.StartBefore, &w.to}} {
		if bound.text == "" {
			continue
		}
		m, err := dates.ReadMoment(bound.text, zone)
		if err != nil {
			return w, false, named(bound.param, err)
		}
		*bound.at, assumed = m.Time, assumed || m.Assumed
	}
	if !w.from.IsZero() && !w.to.IsZero() && w.to.Before(w.from) {
		return w, false, tool.Fail(tool.ValidationError, "startBefore %s is before startAfter %s", args.StartBefore, args.StartAfter)
	}
	return w, assumed, nil
}
