package recurrence

import (
	"time"

	"github.com/teambition/rrule-go"

	"github.com/helve-dev/helve/internal/lib/dates"
)

// margin is more than clocks are ever changed by.
const margin = 49 * time.Hour

// Check returns an error if a series that begins at first ends before that, or if its rule
// never applies later.
func (r Rule) Check(first time.Time) error {
	zone, shown := first.Location(), dates.Shown(first)
	if r.until(zone).Before(shown) {
		return invalid("the series ends before its first event")
	}
	endless := r
	endless.option.Count, endless.option.Until = 0, time.Time{}
	next := endless.after(endless.from(shown), endless.until(zone))
	for {
		switch t, ok := next(); {
		case !ok:
			return invalid("the rule %s never applies after the first event", r.text)
		case t.After(shown):
			return nil
		}
	}
}

// Starts returns when the events of a series begin, between from and to, both included.
// It returns at most limit of them, and whether there are more. The series begins with
// first, which is its first event.
func (r Rule) Starts(first, from, to time.Time, limit int) (starts []time.Time, more bool) {
	zone, shown := first.Location(), dates.Shown(first)
	add := func(t time.Time) bool {
		switch {
		case t.Before(from) || len(starts) > 0 && starts[len(starts)-1].Equal(t):
			return true
		case t.After(to) || len(starts) == limit:
			more = !t.After(to)
			return false
		}
		starts = append(starts, t)
		return true
	}
	if !add(first) {
		return starts, more
	}
	last := r.until(zone)
	if end := to.In(zone); end.Year() < 9999 {
		if end := dates.Shown(end).Add(margin); end.Before(last) {
			last = end
		}
	}
	next := r.after(r.near(shown, dates.Shown(from.In(zone)).Add(-margin)), last)
	for n := 1; r.option.Count == 0 || n < r.option.Count; {
		t, ok := next()
		if !ok {
			break
		}
		if !t.After(shown) {
			continue
		}
		n++
		if !add(dates.At(t, zone)) {
			break
		}
	}
	return starts, more
}

// Last returns when the last event begins, and for a series whose end is a date, a time
// that is not before it. It is zero if there is none.
func (r Rule) Last(first time.Time) time.Time {
	switch {
	case r.Endless():
		return time.Time{}
	case r.option.Count == 0:
		return dates.At(r.until(first.Location()), first.Location())
	}
	starts, _ := r.Starts(first, first, time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC), maxCount)
	return starts[len(starts)-1]
}

// series is the beginning of a series: the first date and time of day, and the rule
// with everything explicit that it takes from them.
type series struct {
	shown  time.Time
	option rrule.ROption
}

var weekdays = []rrule.Weekday{rrule.SU, rrule.MO, rrule.TU, rrule.WE, rrule.TH, rrule.FR, rrule.SA}

func (r Rule) from(shown time.Time) series {
	o := r.option
	if len(o.Byweekno)+len(o.Byyearday)+len(o.Bymonthday)+len(o.Byweekday) == 0 {
		if o.Freq == rrule.YEARLY && len(o.Bymonth) == 0 {
			o.Bymonth = []int{int(shown.Month())}
		}
		if o.Freq == rrule.YEARLY || o.Freq == rrule.MONTHLY {
			o.Bymonthday = []int{shown.Day()}
		}
		if o.Freq == rrule.WEEKLY {
			o.Byweekday = []rrule.Weekday{weekdays[shown.Weekday()]}
		}
	}
	for _, part := range []struct {
		by  *[]int
		now int
	}{{&o.Byhour, shown.Hour()}, {&o.Byminute, shown.Minute()}, {&o.Bysecond, shown.Second()}} {
		if len(*part.by) == 0 {
			*part.by = []int{part.now}
		}
	}
	o.Interval = max(o.Interval, 1)
	return series{shown, o}
}

// near returns the beginning of the series moved forward by whole periods, to some
// periods before from. A series with a count stays as it is, for it must be counted.
func (r Rule) near(shown, from time.Time) series {
	s := r.from(shown)
	if s.option.Count > 0 || !from.After(shown) {
		return s
	}
	n := s.option.Interval
	switch years := from.Year() - shown.Year(); s.option.Freq {
	case rrule.YEARLY:
		if k := years/n - 2; k > 0 {
			s.shown = time.Date(shown.Year()+k*n, time.January, 1, 0, 0, 0, 0, time.UTC)
		}
	case rrule.MONTHLY:
		if k := (12*years+int(from.Month()-shown.Month()))/n - 2; k > 0 {
			s.shown = time.Date(shown.Year(), shown.Month()+time.Month(k*n), 1, 0, 0, 0, 0, time.UTC)
		}
	default:
		if s.option.Freq == rrule.WEEKLY {
			n *= 7
		}
		if k := int((from.Unix()-shown.Unix())/86400)/n - 2; k > 0 {
			s.shown = shown.AddDate(0, 0, k*n)
		}
	}
	return s
}

// after returns a function that returns the dates and times of day of the series, in
// their order, to last.
func (r Rule) after(s series, last time.Time) func() (time.Time, bool) {
	o := s.option
	o.Dtstart, o.Until = s.shown, last
	rule, err := rrule.NewRRule(o)
	if err != nil {
		return func() (time.Time, bool) { return time.Time{}, false }
	}
	return rule.Iterator()
}
