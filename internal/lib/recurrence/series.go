package recurrence

import (
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/lib/dates"
)

// Series is a rule with exceptions (EXDATE) and further dates (RDATE).
type Series struct {
	// Rule may be the zero value: the series is then its first event and the added ones.
	Rule Rule
	// Excluded are times at which no event begins, in any order.
	Excluded []time.Time
	// ExcludedDays are days on which no event begins, in the zone of the first event.
	ExcludedDays []time.Time
	// Added are the starts of further events.
	Added []time.Time
}

// Starts returns when the events of the series begin, as [Rule.Starts] does. Excluded events
// belong to the COUNT of a rule; an added event that is excluded does not take place.
func (s Series) Starts(first, from, to time.Time, limit int) (starts []time.Time, more bool) {
	excludes := s.excludes(first.Location())
	for n := limit + len(s.Excluded) + len(s.ExcludedDays); ; n *= 2 {
		starts, more = s.ruled(first, from, to, n)
		end := to
		if more && len(starts) > 0 {
			end = starts[len(starts)-1]
		}
		starts = slices.DeleteFunc(starts, excludes)
		if len(starts) < limit && more {
			continue
		}
		for _, at := range s.Added {
			if !at.Before(from) && !at.After(end) && !excludes(at) {
				starts = append(starts, at.In(first.Location()))
			}
		}
		slices.SortFunc(starts, time.Time.Compare)
		starts = slices.CompactFunc(starts, time.Time.Equal)
		if len(starts) > limit {
			starts, more = starts[:limit], true
		}
		return starts, more
	}
}

// ruled returns the starts of the rule, or the first event without one.
func (s Series) ruled(first, from, to time.Time, limit int) ([]time.Time, bool) {
	switch {
	case !s.Rule.IsZero():
		return s.Rule.Starts(first, from, to, limit)
	case first.Before(from) || first.After(to):
		return nil, false
	}
	return []time.Time{first}, false
}

// excludes returns a function that reports whether no event begins at a time.
func (s Series) excludes(zone *time.Location) func(time.Time) bool {
	days := map[string]bool{}
	for _, day := range s.ExcludedDays {
		days[day.Format(time.DateOnly)] = true
	}
	return func(at time.Time) bool {
		return days[dates.Shown(at.In(zone)).Format(time.DateOnly)] || slices.ContainsFunc(s.Excluded, at.Equal)
	}
}

// Endless reports whether the series has no end.
func (s Series) Endless() bool { return !s.Rule.IsZero() && s.Rule.Endless() }

// Last returns a time that is not before the start of the last event; zero if there is none.
func (s Series) Last(first time.Time) time.Time {
	if s.Endless() {
		return time.Time{}
	}
	last := first
	if !s.Rule.IsZero() {
		last = s.Rule.Last(first)
	}
	for _, at := range s.Added {
		if at.After(last) {
			last = at
		}
	}
	return last
}
