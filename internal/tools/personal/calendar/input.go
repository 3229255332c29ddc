package calendar

import (
	"time"

	"github.com/helve-dev/helve/internal/lib/dates"
	"github.com/helve-dev/helve/internal/lib/entry"
	"github.com/helve-dev/helve/tool"
)

// Input is a new event.
type Input struct {
	Title       string   `json:"title" doc:"What the event is." min:"1"`
	StartTime   string   `json:"startTime" doc:"When it begins: YYYY-MM-DDTHH:mm with an offset (+01:00) or timezone, or YYYY-MM-DD for a whole day." min:"1" max:"100"`
	EndTime     string   `json:"endTime,omitempty" doc:"When it ends, written as startTime; for whole days the last day." max:"100"`
	IsAllDay    *bool    `json:"isAllDay,omitempty" doc:"Whether it takes whole days; it does if startTime is a day."`
	Location    string   `json:"location,omitempty" doc:"Where it takes place."`
	Description string   `json:"description,omitempty" doc:"Details."`
	Category    string   `json:"category,omitempty" doc:"A category, such as work or family."`
	Reminder    *float64 `json:"reminder,omitempty" doc:"Minutes before the start to remind at, 0 to 525600."`
	Timezone    string   `json:"timezone,omitempty" doc:"The IANA zone of times without an offset, such as Europe/Berlin; UTC if it is left out." max:"100"`
	Recurrence  string   `json:"recurrence,omitempty" doc:"An RRULE for a series, such as FREQ=WEEKLY;BYDAY=MO;COUNT=10." max:"300"`

	ExcludedDates   []string `json:"excludedDates,omitempty" doc:"Starts of events of the series that do not take place, or their days as YYYY-MM-DD." max:"500"`
	AdditionalDates []string `json:"additionalDates,omitempty" doc:"Starts of further events of the series; a day has the time of day of startTime." max:"500"`
}

const maxReminder = 525_600

// latest is the last time that the store can hold.
var latest = time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC)

// named returns an error that names the parameter.
func named(param string, err error) error {
	return tool.Fail(tool.ValidationError, "%s: %s", param, tool.AsError(err).Msg).Because(err)
}

// Event returns the event to store, and whether its zone was not given and UTC assumed,
// or what is wrong with the input.
func (in Input) Event() (v Event, assumed bool, err error) {
	v = Event{Title: in.Title, Location: in.Location, Description: in.Description, Category: in.Category}
	if err := entry.Required("title", in.Title); err != nil {
		return v, false, err
	}
	if err := entry.Fit(entry.Text{Name: "location", Value: in.Location}, entry.Text{Name: "description", Value: in.Description}, entry.Text{
		Name: "category", Value: in.Category,
	}); err != nil {
		return v, false, err
	}
	if in.Reminder != nil {
		minutes := int(max(-1, min(*in.Reminder, maxReminder+1)))
		if minutes < 0 || minutes > maxReminder || float64(minutes) != *in.Reminder {
			return v, false, tool.Fail(tool.ValidationError, "reminder must be whole minutes before the start, 0 to %d", maxReminder)
		}
		v.ReminderMinutes = &minutes
	}
	if assumed, err = v.times(in); err != nil {
		return v, false, err
	}
	return v, assumed, v.repeat(in)
}

// times sets the start and end of the event.
func (v *Event) times(in Input) (assumed bool, err error) {
	zone, err := dates.ZoneIf("timezone", in.Timezone)
	if err != nil {
		return false, err
	}
	if err := entry.Required("startTime", in.StartTime); err != nil {
		return false, err
	}
	start, err := dates.ReadMoment(in.StartTime, zone)
	if err != nil {
		return false, named("startTime", err)
	}
	if v.AllDay = start.Day; in.IsAllDay != nil {
		v.AllDay = *in.IsAllDay
	}
	if v.AllDay && start.Zone == "" { // a day has no offset
		start.Time, start.Zone = dates.Shown(start.Time), "UTC"
	}
	start.Day, start.Time = v.AllDay, v.dayOf(start.Time)
	v.StartTime, v.Timezone, v.Starts = start.String(), start.Zone, start.Time
	if in.EndTime != "" {
		end, err := dates.ReadMoment(in.EndTime, start.Time.Location())
		if err != nil {
			return false, named("endTime", err)
		}
		end.Day, end.Time = v.AllDay, v.dayOf(end.Time.In(start.Time.Location()))
		if end.Time.Before(start.Time) {
			return false, tool.Fail(tool.ValidationError, "endTime %s is before startTime %s", end, start)
		}
		v.EndTime = end.String()
	}
	v.Ends = v.endOf(start.Time)
	if v.Ends.After(latest) {
		v.Ends = latest
	}
	return start.Assumed, nil
}

// dayOf returns the beginning of the day of a time, for an event of whole days.
func (v *Event) dayOf(t time.Time) time.Time {
	if !v.AllDay {
		return t
	}
	shown := dates.Shown(t)
	return dates.At(time.Date(shown.Year(), shown.Month(), shown.Day(), 0, 0, 0, 0, time.UTC), t.Location())
}
