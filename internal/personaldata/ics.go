package personaldata

import (
	"fmt"
	"io"
	"time"

	"github.com/emersion/go-ical"

	"github.com/helve-dev/helve/internal/lib/dates"
	"github.com/helve-dev/helve/internal/ports/store"
	"github.com/helve-dev/helve/internal/tools/personal/calendar"
)

const calendarHead = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Helve//Calendar//EN\r\n"

// writeICS writes events as iCalendar. Zones are named by their IANA names, without a
// description, which calendar programs know.
func writeICS(w io.Writer, items Items) error {
	cal := ical.NewCalendar()
	cal.Props.SetText(ical.PropVersion, "2.0")
	cal.Props.SetText(ical.PropProductID, "-//Helve//Calendar//EN")
	err := each(calendar.Collection, items, func(item *store.Item, v *calendar.Event) error {
		cal.Children = append(cal.Children, componentOf(item, v))
		return nil
	})
	switch {
	case err != nil:
		return err
	case len(cal.Children) == 0: // which the library refuses
		_, err = io.WriteString(w, calendarHead+"END:VCALENDAR\r\n")
		return err
	}
	return ical.NewEncoder(&folder{out: w}).Encode(cal)
}

func componentOf(item *store.Item, v *calendar.Event) *ical.Component {
	event := ical.NewEvent()
	p := event.Props
	p.SetText(ical.PropUID, item.ID)
	p.SetDateTime(ical.PropDateTimeStamp, item.UpdatedAt.UTC())
	p.SetDateTime(ical.PropCreated, item.CreatedAt.UTC())
	p.SetDateTime(ical.PropLastModified, item.UpdatedAt.UTC())
	for _, f := range []struct{ name, text string }{
		{ical.PropSummary, v.Title}, {ical.PropDescription, v.Description}, {ical.PropLocation, v.Location}, {ical.PropCategories, v.Category},
	} {
		if f.text != "" {
			p.SetText(f.name, f.text)
		}
	}
	setTime(p, ical.PropDateTimeStart, v.StartTime, v.Timezone, 0)
	if v.EndTime != "" {
		setTime(p, ical.PropDateTimeEnd, v.EndTime, v.Timezone, 1)
	}
	if v.Recurrence != "" {
		rule := ical.NewProp(ical.PropRecurrenceRule)
		rule.Value = v.Recurrence
		p.Set(rule)
	}
	addTimes(p, ical.PropExceptionDates, v.Excluded, v.Timezone)
	addTimes(p, ical.PropRecurrenceDates, v.Added, v.Timezone)
	if v.ReminderMinutes != nil {
		alarm := ical.NewComponent(ical.CompAlarm)
		alarm.Props.SetText(ical.PropAction, "DISPLAY")
		alarm.Props.SetText(ical.PropDescription, v.Title)
		trigger := ical.NewProp(ical.PropTrigger)
		trigger.Value = fmt.Sprintf("-PT%dM", *v.ReminderMinutes)
		alarm.Props.Set(trigger)
		event.Children = append(event.Children, alarm)
	}
	return event.Component
}

// setTime sets a day, days later, or a time in its zone.
func setTime(p ical.Props, name, text, zone string, days int) {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		p.SetDate(name, day.AddDate(0, 0, days))
		return
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil { // stored events were checked
		return
	}
	at = at.UTC()
	place, err := time.LoadLocation(zone)
	if err == nil && zone != "" && dates.At(dates.Shown(at.In(place)), place).Equal(at) { // not the second of a repeated hour
		at = at.In(place)
	}
	p.SetDateTime(name, at)
}
