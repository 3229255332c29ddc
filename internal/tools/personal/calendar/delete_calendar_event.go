package calendar

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/lib/dates"
	"github.com/helve-dev/helve/tool"
)

type deleteArgs struct {
	EventID   string `json:"eventId" doc:"The id of the event, as list_calendar_events shows it." min:"1" max:"64"`
	StartTime string `json:"startTime,omitempty" doc:"When the event of a series begins that is to be deleted, as list_calendar_events shows it; the whole series is deleted if it is left out." max:"100"`
}

type deleteResult struct {
	Message string `json:"message"`
	Deleted view   `json:"deleted" doc:"The event as it was; of a series, the first, or the one that was deleted."`
}

var _ = tool.Add(Set, tool.Spec[deleteArgs, *deleteResult]{
	Name:          "delete_calendar_event",
	Description:   "Delete an event of the calendar for ever, a series with all its events or one of them, and return what was deleted.",
	Tags:          []string{"cancel event", "remove event", "delete event"},
	Example:       `{"eventId":"k3f9q2x7m5ab"}`,
	Risk:          tool.Medium,
	Mutates:       true,
	Destructive:   true,
	Transactional: true,
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{tool.NotFound},
	Timeout:       timeout,
	Check: func(ctx context.Context, call *tool.Call, args deleteArgs) error {
		r, err := find(ctx, call, args.EventID) // nobody is asked about an id that does not exist
		if err == nil && args.StartTime != "" {
			_, _, err = args.one(&r.Value)
		}
		return err
	},
	Run: deleteCalendarEvent,
})

func deleteCalendarEvent(ctx context.Context, call *tool.Call, args deleteArgs) (*deleteResult, error) {
	r, err := find(ctx, call, args.EventID)
	if err != nil {
		return nil, err
	}
	if args.StartTime != "" {
		return args.exclude(ctx, call, r)
	}
	if err := Collection.Delete(ctx, call.Store, r); err != nil {
		return nil, err
	}
	res := &deleteResult{Message: fmt.Sprintf("Event deleted: %q.", r.Value.Title), Deleted: show(r, r.Value.start())}
	if r.Value.Repeats {
		res.Message = fmt.Sprintf("Event deleted: %q, with all events of its series.", r.Value.Title)
	}
	return res, nil
}

// one returns the start of the event of the series, and whether it is the only one left.
func (args deleteArgs) one(v *Event) (at time.Time, last bool, err error) {
	first := v.start()
	m, err := dates.ReadMoment(args.StartTime, first.Location())
	if err != nil {
		return at, false, named("startTime", err)
	}
	s, err := v.series()
	if err != nil {
		return at, false, err
	}
	from, to := m.Time, m.Time
	if m.Day {
		from, to = dayIn(dates.Shown(m.Time), first.Location())
	}
	found, more := s.Starts(first, from, to, 1)
	if len(found) == 0 || more {
		return at, false, tool.Fail(tool.NotFound,
			"of the series %q no event, or more than one, begins at %s; list_calendar_events shows the starts", v.Title, args.StartTime)
	}
	left, _ := s.Starts(first, first, latest, 2)
	return found[0], len(left) == 1, nil
}

// exclude deletes one event of a series; with the last one, the series.
func (args deleteArgs) exclude(ctx context.Context, call *tool.Call, r tool.Record[Event]) (*deleteResult, error) {
	at, last, err := args.one(&r.Value)
	if err != nil {
		return nil, err
	}
	deleted := show(r, at)
	res := &deleteResult{
		Message: fmt.Sprintf("Event deleted: %q, of %s; the series has others.", r.Value.Title, deleted.StartTime), Deleted: deleted,
	}
	if last {
		res.Message = fmt.Sprintf("Event deleted: %q.", r.Value.Title)
		return res, Collection.Delete(ctx, call.Store, r)
	}
	if len(r.Value.Excluded) >= maxDates {
		return nil, tool.Fail(tool.RateLimited, "a series has at most %d excluded dates; end the series and add another", maxDates)
	}
	r.Value.Excluded = append(r.Value.Excluded, deleted.StartTime)
	slices.Sort(r.Value.Excluded)
	if err := r.Value.bound(); err != nil {
		return nil, err
	}
	_, err = Collection.Update(ctx, call.Store, r)
	return res, err
}
