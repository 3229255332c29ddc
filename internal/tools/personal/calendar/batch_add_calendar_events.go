package calendar

import (
	"cmp"
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/lib/batch"
	"github.com/helve-dev/helve/tool"
)

// item is one event of a batch. Its error is reported with those of the others.
type item struct {
	Input

	wrong error
}

// UnmarshalJSON implements [json.Unmarshaler].
func (it *item) UnmarshalJSON(data []byte) error {
	it.wrong = batch.Decode(data, &it.Input)
	return nil
}

type batchArgs struct {
	Events []item `json:"events" doc:"The events, 1 to 100." min:"1" max:"100"`
	Atomic *bool  `json:"atomic,omitempty" doc:"Whether all events are added or none; if false, each is added that can be. The default is true."`
}

// placed is an event that was added, and what it overlaps.
type placed struct {
	view

	Conflicts []conflict `json:"conflicts,omitempty" doc:"Events at the same time, at most 50; of a series, within its first year."`
}

type batchResult struct {
	Message string          `json:"message"`
	Events  []placed        `json:"events" doc:"The events that were added."`
	Count   int             `json:"count" doc:"How many were added."`
	Results []batch.Outcome `json:"results,omitempty" doc:"The outcome of each event in the order given, if atomic is false."`
}

var _ = tool.Add(Set, tool.Spec[batchArgs, *batchResult]{
	Name: "batch_add_calendar_events",
	Description: "Add several events to the person's calendar in one call, all or none unless atomic is false, and return them with their " +
		"ids and the events they overlap.",
	Tags:          []string{"bulk events", "batch calendar", "multiple events"},
	Example:       `{"events":[{"title":"Dentist","startTime":"2026-11-25T08:00+01:00"},{"title":"Holiday","startTime":"2026-12-24","endTime":"2026-12-26"}]}`,
	Risk:          tool.Low,
	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Transactional: true,
	Loose:         []string{"events"},
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{},
	Timeout:       timeout,
	Run:           batchAddCalendarEvents,
})

func batchAddCalendarEvents(ctx context.Context, call *tool.Call, args batchArgs) (*batchResult, error) {
	atomic := args.Atomic == nil || *args.Atomic
	values := make([]Event, len(args.Events))
	res := &batchResult{Events: []placed{}}
	var added []tool.Record[Event]
	assumed := false
	outcomes, err := batch.Create(len(values), atomic, func(i int) (err error) {
		if err := cmp.Or(ctx.Err(), args.Events[i].wrong); err != nil {
			return err
		}
		var utc bool
		values[i], utc, err = args.Events[i].event()
		assumed = assumed || utc
		return err
	}, func(i int) (string, error) {
		conflicts, err := conflictsOf(ctx, call.Store, &values[i], added)
		if err != nil {
			return "", err
		}
		r, err := Collection.Insert(ctx, call.Store, values[i])
		if err != nil {
			return "", err
		}
		added = append(added, r)
		res.Events = append(res.Events, placed{show(r, values[i].start()), conflicts})
		return r.ID, nil
	})
	if err != nil {
		return nil, err
	}
	if assumed {
		call.Note(noZone)
	}
	res.Count = len(res.Events)
	res.Message = fmt.Sprintf("Added %d event(s).", res.Count)
	if !atomic {
		res.Results = outcomes
		res.Message = fmt.Sprintf("Added %d of %d event(s); results has the outcome of each.", res.Count, len(values))
	}
	return res, nil
}
