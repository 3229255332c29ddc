package calendar

import (
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/lib/dates"
	"github.com/helve-dev/helve/internal/lib/recurrence"
	"github.com/helve-dev/helve/tool"
)

// maxDates bounds the excluded and the additional dates of a series, each.
const maxDates = 500

// series returns the series of the event. An event that does not repeat is one of itself.
func (v *Event) series() (s recurrence.Series, err error) {
	if v.Recurrence != "" {
		if s.Rule, err = recurrence.Parse(v.Recurrence); err != nil {
			return s, err
		}
	}
	for _, text := range v.Excluded {
		m, err := dates.ReadMoment(text, v.zone())
		if err != nil {
			return s, err
		}
		if m.Day {
			s.ExcludedDays = append(s.ExcludedDays, dates.Shown(m.Time))
		} else {
			s.Excluded = append(s.Excluded, m.Time)
		}
	}
	for _, text := range v.Added {
		m, err := dates.ReadMoment(text, v.zone())
		if err != nil {
			return s, err
		}
		s.Added = append(s.Added, m.Time)
	}
	return s, nil
}

// repeat makes the event a series.
func (v *Event) repeat(in Input) error {
	if in.Recurrence != "" {
		rule, err := recurrence.Parse(in.Recurrence)
		if err != nil {
			return named("recurrence", err)
		}
		if v.AllDay && rule.Timed() {
			return tool.Fail(tool.ValidationError, "recurrence: a series of whole days has no times of day; leave out BYHOUR, BYMINUTE and BYSECOND")
		}
		if err := rule.Check(v.start()); err != nil {
			return named("recurrence", err)
		}
		v.Recurrence, v.Repeats = rule.String(), true
	}
	if len(in.ExcludedDates) > maxDates || len(in.AdditionalDates) > maxDates {
		return tool.Fail(tool.ValidationError, "excludedDates and additionalDates have at most %d dates each; end the series and add another",
			maxDates)
	}
	var err error
	if v.Excluded, err = v.moments("excludedDates", in.ExcludedDates, true); err != nil {
		return err
	}
	if v.Added, err = v.moments("additionalDates", in.AdditionalDates, false); err != nil {
		return err
	}
	if v.Repeats = v.Repeats || len(v.Added) > 0; !v.Repeats {
		if len(v.Excluded) > 0 {
			return tool.Fail(tool.ValidationError, "excludedDates: the event is not a series; give recurrence or additionalDates")
		}
		return nil
	}
	if first := v.start(); v.endOf(first).After(first.AddDate(1, 0, 0)) {
		return tool.Fail(tool.ValidationError, "recurrence: an event of a series lasts at most a year")
	}
	if !v.AllDay {
		if err := v.resolve(); err != nil {
			return err
		}
	}
	return v.bound()
}

// resolve replaces excluded days by the starts of the events on them, which is the form that
// calendar programs understand. A day without an event stays.
func (v *Event) resolve() error {
	s, err := v.series()
	if err != nil {
		return err
	}
	all, first := recurrence.Series{Rule: s.Rule, Added: s.Added}, v.start()
	for _, day := range s.ExcludedDays {
		from, to := dayIn(day, first.Location())
		found, _ := all.Starts(first, from, to, maxDates)
		for i, at := range found {
			text := dates.Moment{Time: at}.String()
			if i == 0 {
				v.Excluded[slices.Index(v.Excluded, day.Format(time.DateOnly))] = text
			} else {
				v.Excluded = append(v.Excluded, text)
			}
		}
	}
	slices.Sort(v.Excluded)
	v.Excluded = slices.Compact(v.Excluded)
	return nil
}

// dayIn returns the first and the last moment of a day in a zone.
func dayIn(day time.Time, zone *time.Location) (from, to time.Time) {
	return dates.At(day, zone), dates.At(day.AddDate(0, 0, 1), zone).Add(-1)
}

// moments reads the dates of a series, in the zone of the event. A date without a time of
// day has that of the event, unless days is set.
func (v *Event) moments(param string, texts []string, days bool) (list []string, err error) {
	first := v.start()
	for _, text := range texts {
		m, err := dates.ReadMoment(text, first.Location())
		if err != nil {
			return nil, named(param, err)
		}
		if m.Day && !days && !v.AllDay {
			clock := dates.Shown(first)
			m.Time = dates.At(dates.Shown(m.Time).Add(
				time.Duration(clock.Hour())*time.Hour+time.Duration(clock.Minute())*time.Minute+time.Duration(clock.Second())*time.Second,
			), first.Location())
		}
		m.Day, m.Time = v.AllDay || m.Day && days, v.dayOf(m.Time.In(first.Location()))
		if m.Time.Before(v.dayOf(first)) && !days {
			return nil, tool.Fail(tool.ValidationError, "%s: %s is before startTime; begin the series with its earliest event", param, text)
		}
		list = append(list, m.String())
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// bound sets the end of the series. It fails if no event of it is left.
func (v *Event) bound() error {
	s, err := v.series()
	if err != nil {
		return err
	}
	first := v.start()
	if left, _ := s.Starts(first, first, latest, 1); len(left) == 0 {
		return tool.Fail(tool.ValidationError, "excludedDates: no event of the series is left")
	}
	v.Ends = latest
	if last := s.Last(first); !last.IsZero() {
		if end := v.endOf(last); end.Before(latest) {
			v.Ends = end
		}
	}
	return nil
}

// event returns the event to store, as [Input.Event] does. It fails if an excluded date is
// not one of the series, which an import leaves alone.
func (in Input) event() (v Event, assumed bool, err error) {
	if v, assumed, err = in.Event(); err != nil || len(v.Excluded) == 0 {
		return v, assumed, err
	}
	s, err := v.series()
	if err != nil {
		return v, false, err
	}
	all, first := recurrence.Series{Rule: s.Rule, Added: s.Added}, v.start()
	for _, at := range slices.Concat(s.Excluded, s.ExcludedDays) {
		to, day := at, slices.ContainsFunc(s.ExcludedDays, at.Equal)
		if day {
			at, to = dayIn(at, first.Location())
		}
		if found, _ := all.Starts(first, at, to, 1); len(found) == 0 {
			return v, false, tool.Fail(tool.ValidationError,
				"excludedDates: no event of the series begins at %s; give the start of an event, or its day as YYYY-MM-DD",
				dates.Moment{Time: at, Day: v.AllDay || day})
		}
	}
	return v, assumed, nil
}
