package timetable

import (
	"time"
)

// maxDays is the number of days in which each expression that has a day at all has one: 29
// February is missing for 8 years around 2100.
const maxDays = 9 * 366

const dayMinutes = 24 * 60

// Next returns the first time of the expression after a time, in a zone; zero if there is
// none.
func (c Cron) Next(after time.Time, zone *time.Location) time.Time {
	local := after.In(zone)
	// A day that the zone skipped has its times on the day after it.
	first := time.Date(local.Year(), local.Month(), local.Day()-1, 0, 0, 0, 0, time.UTC)
	for i := range maxDays {
		day := first.AddDate(0, 0, i)
		at, changes := c.on(day, after, zone)
		if at.IsZero() {
			continue
		}
		if changes {
			// A time that was moved can be later than one of the next day.
			if other, _ := c.on(day.AddDate(0, 0, 1), after, zone); !other.IsZero() && other.Before(at) {
				at = other
			}
		}
		return at
	}
	return time.Time{}
}

// matches reports whether the expression has times on a day.
func (c Cron) matches(day time.Time) bool {
	inMonth := c.day&(1<<day.Day()) != 0
	inWeek := c.weekday&(1<<day.Weekday()) != 0
	either := inMonth || inWeek
	if c.anyDay || c.anyWeekday {
		either = inMonth && inWeek
	}
	return either && c.month&(1<<day.Month()) != 0
}

// on returns the first time after a time that is one of a day, zero if there is none, and
// whether the clocks of the zone change on that day.
func (c Cron) on(day, after time.Time, zone *time.Location) (at time.Time, changes bool) {
	if !c.matches(day) {
		return time.Time{}, false
	}
	midnight := instant(day.Unix(), zone)
	_, end := midnight.ZoneBounds()
	changes = wall(midnight) != day.Unix() || !end.IsZero() && end.Before(midnight.Add(24*time.Hour))
	for m := range dayMinutes {
		if c.hour&(1<<(m/60)) == 0 || c.minute&(1<<(m%60)) == 0 {
			continue
		}
		if !changes {
			if t := midnight.Add(time.Duration(m) * time.Minute); t.After(after) {
				return t, false
			}
			continue
		}
		if t := instant(day.Unix()+int64(m)*60, zone); t.After(after) && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	return at, changes
}

// wall returns what the clock shows, as the Unix time at which a clock in UTC shows it.
func wall(t time.Time) int64 {
	_, offset := t.Zone()
	return t.Unix() + int64(offset)
}

// instant returns when the clock of a zone first shows a time, which is given as wall
// returns it. A time that it skips is moved forward by what is skipped.
func instant(shown int64, zone *time.Location) time.Time {
	u := time.Unix(shown, 0).UTC()
	t := time.Date(u.Year(), u.Month(), u.Day(), u.Hour(), u.Minute(), u.Second(), 0, zone)
	switch is := wall(t); {
	case is < shown: // skipped: t is before the change, by the offset after it
		_, offset := t.Zone()
		return time.Unix(shown-int64(offset), 0).In(zone)
	case is > shown: // skipped: t is after the change, by the offset before it
		return t
	}
	start, _ := t.ZoneBounds()
	if start.IsZero() {
		return t
	}
	_, offset := start.Add(-time.Second).Zone()
	if earlier := time.Unix(shown-int64(offset), 0).In(zone); earlier.Before(start) {
		return earlier
	}
	return t
}
