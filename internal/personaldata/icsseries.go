package personaldata

import (
	"strings"
	"time"

	"github.com/emersion/go-ical"

	"github.com/helve-dev/helve/internal/tools/personal/calendar"
)

// addTimes adds a property for each time or day, in its zone.
func addTimes(p ical.Props, name string, texts []string, zone string) {
	for _, text := range texts {
		one := ical.Props{}
		setTime(one, name, text, zone, 0)
		if prop := one.Get(name); prop != nil {
			p.Add(prop)
		}
	}
}

// movedIn returns the starts of events that were moved out of their series, by the UID of
// the series: each is an event of its own with the same UID.
func movedIn(cal *ical.Calendar) map[string][]string {
	moved := map[string][]string{}
	for _, event := range cal.Events() {
		uid, of := event.Props.Get(ical.PropUID), event.Props.Get(ical.PropRecurrenceID)
		if uid == nil || of == nil {
			continue
		}
		if at, err := dateIn(of, of.Value); err == nil {
			moved[uid.Value] = append(moved[uid.Value], at)
		}
	}
	return moved
}

// setDates sets the excluded and the additional dates of a series.
func setDates(in *calendar.Input, p ical.Props, moved map[string][]string) error {
	if p.Get(ical.PropRecurrenceID) != nil { // an event of a series that was moved
		return nil
	}
	for _, list := range []struct {
		name string
		into *[]string
	}{{ical.PropExceptionDates, &in.ExcludedDates}, {ical.PropRecurrenceDates, &in.AdditionalDates}} {
		for _, prop := range p.Values(list.name) {
			for value := range strings.SplitSeq(prop.Value, ",") {
				value, _, _ = strings.Cut(value, "/") // a period has its own end, which is not kept
				at, err := dateIn(&prop, value)
				if err != nil {
					return err
				}
				*list.into = append(*list.into, at)
			}
		}
	}
	if in.Recurrence == "" && len(in.AdditionalDates) == 0 {
		in.ExcludedDates = nil // of an event that does not repeat
		return nil
	}
	if uid := p.Get(ical.PropUID); uid != nil {
		in.ExcludedDates = append(in.ExcludedDates, moved[uid.Value]...)
	}
	return nil
}

// dateIn returns one of the values of a property as calendar's tools take it.
func dateIn(prop *ical.Prop, value string) (string, error) {
	one := *prop
	if one.Value = strings.TrimSpace(value); len(one.Value) == len("20060102") {
		day, err := time.Parse("20060102", one.Value)
		return day.Format(time.DateOnly), err
	}
	if one.Params.Get(ical.PropTimezoneID) == "" && !strings.HasSuffix(one.Value, "Z") {
		at, err := time.Parse("20060102T150405", one.Value)
		return at.Format("2006-01-02T15:04:05"), err // in the zone of the event
	}
	text, _, err := timeIn(&one, 0)
	return text, err
}
