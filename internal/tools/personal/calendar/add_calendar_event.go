package calendar

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/tool"
)

// noZone is the note on times without a zone.
const noZone = "No zone was given, so times are in UTC; write them with an offset, or set timezone."

// one is the result of add_calendar_event.
type one struct {
	Message   string     `json:"message"`
	Event     view       `json:"event"`
	Conflicts []conflict `json:"conflicts" doc:"Events at the same time, at most 50; of a series, within its first year."`
}

var _ = tool.Add(Set, tool.Spec[Input, *one]{
	Name: "add_calendar_event",
	Description: "Add an event, appointment or series of events to the person's calendar, and return it with its id and the events it " +
		"overlaps.",
	Tags:          []string{"calendar", "event", "appointment", "meeting", "plan", "schedule", "create", "date"},
	Example:       `{"title":"Project review","startTime":"2026-12-01T10:00","endTime":"2026-12-01T11:30","timezone":"Europe/Berlin","location":"Room 2","recurrence":"FREQ=MONTHLY;BYDAY=1TU;COUNT=6","reminder":15}`,
	Risk:          tool.Low,
	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Transactional: true,
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{},
	Timeout:       timeout,
	Run:           addCalendarEvent,
})

func addCalendarEvent(ctx context.Context, call *tool.Call, in Input) (*one, error) {
	v, assumed, err := in.event()
	if err != nil {
		return nil, err
	}
	res := &one{}
	if assumed {
		call.Note(noZone)
	}
	if res.Conflicts, err = conflictsOf(ctx, call.Store, &v, nil); err != nil {
		return nil, err
	}
	r, err := Collection.Insert(ctx, call.Store, v)
	if err != nil {
		return nil, err
	}
	res.Event = show(r, v.start())
	res.Message = fmt.Sprintf("Event added: %q, %s.", v.Title, v.StartTime)
	if n := len(res.Conflicts); n > 0 {
		res.Message = fmt.Sprintf("Event added: %q, %s; it overlaps %d other event(s).", v.Title, v.StartTime, n)
	}
	return res, nil
}
