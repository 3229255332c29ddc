package personaldata

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/emersion/go-ical"

	"github.com/helve-dev/helve/internal/ports/store"
	"github.com/helve-dev/helve/internal/tools/personal/calendar"
)

// calendarFile is one calendar of a file.
type calendarFile struct {
	to     receiver
	zones  zones
	events []readEvent
	// moved are the starts of events that were moved out of their series, by the UID of the
	// series: each is an event of its own with the same UID.
	moved map[string][]string
}

// readEvent is an event with the line where it begins.
type readEvent struct {
	line  int
	props ical.Props
	*ical.Component
}

// needed are the properties without which an event would be another one.
var needed = map[string]bool{
	ical.PropDateTimeStart: true, ical.PropDateTimeEnd: true, ical.PropDuration: true, ical.PropRecurrenceRule: true,
	ical.PropRecurrenceDates: true, ical.PropExceptionDates: true, ical.PropRecurrenceID: true, ical.PropUID: true, ical.PropSummary: true,
}

func readICS(r io.Reader, to receiver) error {
	lines := newContentLines(r)
	for n := 0; ; n++ {
		line, err := lines.read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		begins, name, ok := boundary(line.text)
		if !ok || !begins || name != ical.CompCalendar {
			if n > 0 { // what some programs write between or after calendars
				to.skip(line.number, "", errors.New("it stands outside BEGIN:VCALENDAR and END:VCALENDAR"))
				continue
			}
			return fmt.Errorf("line %d is not BEGIN:VCALENDAR", line.number)
		}
		f := &calendarFile{to: to, zones: zones{defined: map[string]*zoneRules{}}, moved: map[string][]string{}}
		if err := f.read(lines, line.number); err != nil {
			return err
		}
		if err := f.store(); err != nil {
			return err
		}
	}
}

// read reads a calendar up to its end.
func (f *calendarFile) read(lines *contentLines, from int) error {
	for {
		line, err := lines.read()
		if errors.Is(err, io.EOF) {
			f.to.skip(from, "", errors.New("the calendar has no END:VCALENDAR; the file may be cut"))
			return nil
		}
		if err != nil {
			return err
		}
		begins, name, ok := boundary(line.text)
		switch {
		case ok && !begins && name == ical.CompCalendar:
			return nil
		case ok && begins:
			if err := f.component(lines, line.number, name); err != nil {
				return err
			}
		default:
			if p, err := propertyOf(line.text); err == nil && p.Name == "X-WR-TIMEZONE" {
				f.zones.usual = strings.TrimSpace(p.Value)
			}
		}
	}
}

// component reads a component of the calendar.
func (f *calendarFile) component(lines *contentLines, from int, name string) error {
	body, err := lines.rest(name)
	if err == nil && name != ical.CompEvent && name != ical.CompTimezone {
		err = fmt.Errorf("%.40s is no event; only events are imported", name)
	}
	var c *ical.Component
	if err == nil {
		c, err = componentFrom(name, body, needed)
	}
	switch {
	case err != nil:
		f.to.skip(from, titleIn(body), err)
		return lines.in.Err()
	case name == ical.CompTimezone:
		f.zones.define(c)
		return nil
	}
	f.events = append(f.events, readEvent{from, c.Props, c})
	return nil
}

// titleIn returns the title among the lines of a component, for a person to find it.
func titleIn(lines []contentLine) string {
	for _, line := range lines {
		if p, err := propertyOf(line.text); err == nil && p.Name == ical.PropSummary {
			return p.Value
		}
	}
	return ""
}

// store passes the events on.
func (f *calendarFile) store() error {
	for _, e := range f.events {
		if uid, of := e.props.Get(ical.PropUID), e.props.Get(ical.PropRecurrenceID); uid != nil && of != nil {
			if at, err := f.dateIn(of, of.Value); err == nil {
				f.moved[uid.Value] = append(f.moved[uid.Value], at)
			}
		}
	}
	for _, e := range f.events {
		var item *store.Item
		title := propText(e.props, ical.PropSummary)
		err := f.to.catch(func() (err error) {
			item, err = f.item(e)
			return err
		})
		if err != nil {
			f.to.skip(e.line, title, err)
			continue
		}
		if err := f.to.item(e.line, title, item); err != nil {
			return err
		}
	}
	return nil
}

// propText returns a property as text, and empty if there is none.
func propText(p ical.Props, name string) string {
	value, _ := p.Text(name)
	return value
}

func (f *calendarFile) item(e readEvent) (*store.Item, error) {
	p := e.props
	text := func(name string) string { return propText(p, name) }
	in := calendar.Input{
		Title:       cmp.Or(text(ical.PropSummary), "(no title)"),
		Description: text(ical.PropDescription),
		Location:    text(ical.PropLocation),
		Category:    text(ical.PropCategories),
	}
	if rule := p.Get(ical.PropRecurrenceRule); rule != nil {
		in.Recurrence = strings.Trim(strings.Join(strings.Fields(rule.Value), ""), ";")
	}
	if err := f.setTimes(&in, e); err != nil {
		return nil, err
	}
	f.setReminder(&in, e)
	v, _, err := in.Event()
	if err != nil {
		return nil, err
	}
	id := text(ical.PropUID)
	if of := p.Get(ical.PropRecurrenceID); of != nil { // an event of a series that was moved
		id += " " + of.Value
	}
	item, err := itemOf(calendar.Collection, idOf(cmp.Or(id, in.Title+"\x00"+in.StartTime)), v)
	if err == nil {
		item.CreatedAt, _ = p.DateTime(ical.PropCreated, time.UTC) // the zero time if there is none
		item.UpdatedAt, _ = p.DateTime(ical.PropLastModified, time.UTC)
	}
	return item, err
}

// setTimes sets when an event begins and ends, and the exceptions of its series.
func (f *calendarFile) setTimes(in *calendar.Input, e readEvent) error {
	start := e.props.Get(ical.PropDateTimeStart)
	if start == nil {
		return errors.New("it has no start (DTSTART)")
	}
	begin, err := f.timeIn(start, in.Recurrence != "" || len(e.props.Values(ical.PropRecurrenceDates)) > 0)
	if err != nil {
		return err
	}
	if begin.assumed {
		f.to.note(e.line, in.Title, "its time names no zone and is taken as UTC; correct it if it is meant in another")
	}
	in.StartTime, in.Timezone = begin.String(), begin.zone
	switch end, length := e.props.Get(ical.PropDateTimeEnd), e.props.Get(ical.PropDuration); {
	case end != nil:
		at, err := f.timeIn(end, false)
		if err != nil {
			return err
		}
		if at.day { // which iCalendar excludes from the event
			at.at = at.at.AddDate(0, 0, -1)
		}
		if at.day && at.at.Before(begin.at) { // an event of no length, as some programs write a day
			at.at = begin.at
		}
		in.EndTime = at.String()
	case length != nil:
		d, err := length.Duration()
		if err != nil {
			return fmt.Errorf("DURATION is %.60q, and must be like PT1H30M or P1D", length.Value)
		}
		ends := moment{at: begin.at.Add(d), day: begin.day}
		if begin.day {
			ends.at = begin.at.Add(max(d-24*time.Hour, 0))
		}
		in.EndTime = ends.String()
	}
	return f.setDates(in, e.props)
}

// setReminder sets the last reminder before the start.
func (f *calendarFile) setReminder(in *calendar.Input, e readEvent) {
	for _, child := range e.Children {
		trigger := child.Props.Get(ical.PropTrigger)
		if child.Name != ical.CompAlarm || trigger == nil {
			continue
		}
		before, err := trigger.Duration()
		if err != nil || before > 0 || before < -365*24*time.Hour || strings.EqualFold(trigger.Params.Get("RELATED"), "END") {
			f.to.note(e.line, in.Title, fmt.Sprintf("its reminder %.60q is no time before its start, and is left out", trigger.Value))
			continue
		}
		minutes := float64(int(-before.Minutes()))
		in.Reminder = &minutes
	}
}
