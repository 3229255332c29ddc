// Package calendar holds the tools for a person's events.
//
// An event is stored as it was written: a day stays a day, and a time keeps its zone, so
// that a series keeps its hour when clocks change.
package calendar

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/dates"
	"github.com/helve-dev/helve/tool"
)

// Set is every tool in this package; each file adds its own.
var Set = tool.NewSet("Calendar", "calendar")

const timeout = 30 * time.Second

// Event is an event in the store.
type Event struct {
	Title       string `json:"title" store:"search"`
	Description string `json:"description,omitempty"`
	Location    string `json:"location,omitempty"`
	// StartTime is a day, YYYY-MM-DD, if AllDay is set, and otherwise RFC 3339.
	StartTime string `json:"startTime"`
	// EndTime has the form of StartTime. A day belongs to the event. It may be empty.
	EndTime string `json:"endTime,omitempty"`
	AllDay  bool   `json:"allDay,omitempty"`
	// Timezone is an IANA name; it is empty if the event has only an offset.
	Timezone string `json:"timezone,omitempty"`
	// Recurrence is an RRULE without its prefix.
	Recurrence string `json:"recurrence,omitempty"`
	// Excluded are starts of events of the series that do not take place, and Added starts of
	// further events; both have the form of StartTime. A day of Excluded means all of it.
	Excluded        []string `json:"excluded,omitempty"`
	Added           []string `json:"added,omitempty"`
	ReminderMinutes *int     `json:"reminderMinutes,omitempty"`
	Category        string   `json:"category,omitempty"`

	// Starts, Ends and Repeats serve queries. Ends is when the event, or the last of a
	// series, has ended at the latest.
	Starts  time.Time `json:"starts" store:"index"`
	Ends    time.Time `json:"ends" store:"index"`
	Repeats bool      `json:"repeats,omitempty" store:"index"`
}

// Collection holds the events of a person.
var Collection = tool.NewCollection[Event]("events")

// view is an event, or one of a series, as a model sees it.
type view struct {
	ID              string   `json:"id" doc:"For the eventId of delete_calendar_event; events of a series share it."`
	Title           string   `json:"title"`
	Description     string   `json:"description,omitempty"`
	Location        string   `json:"location,omitempty"`
	StartTime       string   `json:"startTime" doc:"A day for an event of whole days, otherwise a time with its offset."`
	EndTime         string   `json:"endTime,omitempty" doc:"The last day, or the time of the end."`
	AllDay          bool     `json:"allDay"`
	Timezone        string   `json:"timezone" doc:"An IANA name, or an offset."`
	Recurrence      string   `json:"recurrence,omitempty" doc:"The rule of the series, as RRULE."`
	ExcludedDates   []string `json:"excludedDates,omitempty" doc:"Starts, or days, of events of the series that do not take place."`
	AdditionalDates []string `json:"additionalDates,omitempty" doc:"Starts of further events of the series."`
	ReminderMinutes *int     `json:"reminderMinutes,omitempty" doc:"Minutes before the start."`
	Category        string   `json:"category,omitempty"`
	CreatedAt       string   `json:"createdAt"`
	UpdatedAt       string   `json:"updatedAt"`
}

// show returns the event, or that of its series that begins at start.
func show(r tool.Record[Event], start time.Time) view {
	v := r.Value
	out := view{
		ID: r.ID, Title: v.Title, Description: v.Description, Location: v.Location, AllDay: v.AllDay, Recurrence: v.Recurrence,
		ExcludedDates: v.Excluded, AdditionalDates: v.Added,
		ReminderMinutes: v.ReminderMinutes, Category: v.Category, Timezone: cmp.Or(v.Timezone, start.Format("-07:00")),
		CreatedAt: r.CreatedAt.Format(time.RFC3339), UpdatedAt: r.UpdatedAt.Format(time.RFC3339),
	}
	layout := time.RFC3339
	if v.AllDay {
		layout = time.DateOnly
	}
	out.StartTime = start.Format(layout)
	if v.EndTime != "" {
		end := v.endOf(start)
		if v.AllDay {
			end = dates.At(dates.Shown(end).AddDate(0, 0, -1), end.Location())
		}
		out.EndTime = end.Format(layout)
	}
	return out
}

// zone returns the zone of the event.
func (v *Event) zone() *time.Location {
	if zone, err := dates.ZoneIf("timezone", v.Timezone); err == nil && zone != nil {
		return zone
	}
	if at, err := time.Parse(time.RFC3339, v.StartTime); err == nil {
		if _, offset := at.Zone(); offset != 0 {
			return time.FixedZone("", offset)
		}
	}
	return time.UTC
}

// start returns when the event, or the first of its series, begins, in its zone.
func (v *Event) start() time.Time { return v.Starts.In(v.zone()) }

// endOf returns when the event that begins at start ends: its length is that of the
// first, by the clock. A day ends when the next one begins.
func (v *Event) endOf(start time.Time) time.Time {
	first := v.start()
	switch {
	case v.EndTime == "" && !v.AllDay:
		return start
	case v.EndTime == "":
		return dates.At(dates.Shown(start).AddDate(0, 0, 1), start.Location())
	}
	m, err := dates.ReadMoment(v.EndTime, start.Location())
	if err != nil { // stored events were checked
		return start
	}
	if start.Equal(first) && !v.AllDay {
		return m.Time // which may be the second of a repeated hour
	}
	end := dates.Shown(m.Time)
	if v.AllDay {
		end = end.AddDate(0, 0, 1)
	}
	if start.Equal(first) {
		return dates.At(end, start.Location())
	}
	return dates.At(dates.Shown(start).Add(end.Sub(dates.Shown(first))), start.Location())
}

// find returns an event by its id.
func find(ctx context.Context, call *tool.Call, id string) (tool.Record[Event], error) {
	r, err := Collection.Get(ctx, call.Store, strings.TrimSpace(id))
	if e := tool.AsError(err); e != nil && e.Kind == tool.NotFound {
		return r, tool.Fail(tool.NotFound, "Event not found: %s; list_calendar_events shows the events with their ids", id)
	}
	return r, err
}
