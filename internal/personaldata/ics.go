package personaldata

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/emersion/go-ical"

	"github.com/helve-dev/helve/internal/backend/store"
	"github.com/helve-dev/helve/internal/lib/dates"
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
	return ical.NewEncoder(w).Encode(cal)
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

func readICS(r io.Reader, receive func(*store.Item) error) error {
	dec := ical.NewDecoder(r)
	for {
		cal, err := dec.Decode()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		moved := movedIn(cal)
		for _, event := range cal.Events() {
			title, _ := event.Props.Text(ical.PropSummary)
			item, err := eventOf(event, moved)
			if err == nil {
				err = receive(item)
			}
			if err != nil {
				return fmt.Errorf("the event %.100q: %w", title, err)
			}
		}
	}
}

func eventOf(event ical.Event, moved map[string][]string) (*store.Item, error) {
	p := event.Props
	text := func(name string) string {
		value, _ := p.Text(name) // empty if there is none
		return value
	}
	in := calendar.Input{Title: cmp.Or(text(ical.PropSummary), "(no title)"), Description: text(ical.PropDescription), Location: text(ical.PropLocation), Category: text(ical.PropCategories)}
	var err error
	if in.StartTime, in.Timezone, err = timeIn(p.Get(ical.PropDateTimeStart), 0); err != nil {
		return nil, err
	}
	if end := p.Get(ical.PropDateTimeEnd); end != nil {
		if in.EndTime, _, err = timeIn(end, -1); err != nil {
			return nil, err
		}
	} else if p.Get(ical.PropDuration) != nil {
		if end, err := event.DateTimeEnd(time.UTC); err == nil {
			in.EndTime = end.Format(time.RFC3339)
		}
	}
	if rule := p.Get(ical.PropRecurrenceRule); rule != nil {
		in.Recurrence = rule.Value
	}
	if err := setDates(&in, p, moved); err != nil {
		return nil, err
	}
	for _, child := range event.Children {
		if trigger := child.Props.Get(ical.PropTrigger); child.Name == ical.CompAlarm && trigger != nil {
			if before, err := trigger.Duration(); err == nil && before <= 0 {
				minutes := float64(int(-before.Minutes()))
				in.Reminder = &minutes
			}
		}
	}
	v, _, err := in.Event()
	if err != nil {
		return nil, err
	}
	id := text(ical.PropUID)
	if of := p.Get(ical.PropRecurrenceID); of != nil { // an event of a series that was moved
		id += " " + of.Value
	}
	item, err := itemOf(calendar.Collection, idOf(id), v)
	if err == nil {
		item.CreatedAt, _ = p.DateTime(ical.PropCreated, time.UTC) // the zero time if there is none
		item.UpdatedAt, _ = p.DateTime(ical.PropLastModified, time.UTC)
	}
	return item, err
}

// timeIn returns a time as calendar's tools take it, and its zone. A day is moved by days,
// because an event of whole days ends before the day that iCalendar names.
func timeIn(prop *ical.Prop, days int) (text, zone string, err error) {
	if prop == nil {
		return "", "", errors.New("it has no start")
	}
	if prop.ValueType() == ical.ValueDate {
		day, err := time.Parse("20060102", prop.Value)
		return day.AddDate(0, 0, days).Format(time.DateOnly), "", err
	}
	zone = prop.Params.Get(ical.PropTimezoneID)
	if _, unknown := time.LoadLocation(zone); zone == "" || unknown != nil || strings.HasSuffix(prop.Value, "Z") {
		at, err := time.Parse("20060102T150405", strings.TrimSuffix(prop.Value, "Z"))
		return at.Format(time.RFC3339), "", err
	}
	place, _ := time.LoadLocation(zone)
	at, err := time.Parse("20060102T150405", prop.Value)
	return dates.At(at, place).Format(time.RFC3339), zone, err
}
