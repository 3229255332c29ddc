package personaldata

import (
	"strings"

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

// setDates sets the excluded and the additional dates of a series.
func (f *calendarFile) setDates(in *calendar.Input, p ical.Props) error {
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
				if strings.TrimSpace(value) == "" {
					continue
				}
				at, err := f.dateIn(&prop, value)
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
		in.ExcludedDates = append(in.ExcludedDates, f.moved[uid.Value]...)
	}
	return nil
}

// dateIn returns one of the values of a property as calendar's tools take it. A time without
// a zone is in that of the event.
func (f *calendarFile) dateIn(prop *ical.Prop, value string) (string, error) {
	one := *prop
	one.Value = strings.TrimSpace(value)
	m, err := f.timeIn(&one, false)
	if err != nil {
		return "", err
	}
	if m.assumed {
		return m.at.Format("2006-01-02T15:04:05"), nil
	}
	return m.String(), nil
}
