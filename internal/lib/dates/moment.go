package dates

import (
	"regexp"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Moment is a date as it was written, with the zone that it was meant in.
type Moment struct {
	// Time is in the zone of the moment. That of a day is its beginning.
	Time time.Time
	// Day is set if no time of day was written.
	Day bool
	// Zone is the IANA name of the zone; it is empty if only an offset was written.
	Zone string
	// Assumed is set if no zone was known, so the moment is in UTC.
	Assumed bool
}

// String returns a day as YYYY-MM-DD and a time as RFC 3339, with its offset.
func (m Moment) String() string {
	if m.Day {
		return m.Time.Format(time.DateOnly)
	}
	return m.Time.Format(time.RFC3339)
}

// withZone splits a date from the zone after it, in the form of RFC 9557 or after a space.
var withZone = regexp.MustCompile(`^(.*?)(?: ?\[([A-Za-z0-9_+/-]+)\]| ([A-Za-z]+(?:/[A-Za-z0-9_+-]+)+|UTC|GMT))$`)

// ReadMoment reads what [Written] reads, and a zone after it, such as
// 2026-11-23T09:00[Europe/Berlin]. A date without a zone is in zone; without that, in
// UTC. An hour that a zone skips is shifted by what it skips; of an hour that it repeats,
// the first is meant.
func ReadMoment(text string, zone *time.Location) (Moment, error) {
	text = strings.TrimSpace(text)
	if parts := withZone.FindStringSubmatch(text); parts != nil {
		var err error
		if zone, err = Zone(parts[2] + parts[3]); err != nil {
			return Moment{}, err
		}
		text = parts[1]
	}
	clean, err := Written(text)
	if err != nil {
		return Moment{}, err
	}
	m := Moment{Day: len(clean) == len(time.DateOnly)}
	if at, err := time.Parse(time.RFC3339, clean); err == nil {
		m.Time = at.In(offsetOf(at))
		if zone != nil {
			m.Time = at.In(zone)
		}
	} else {
		layout := "2006-01-02T15:04:05"
		if m.Day {
			layout = time.DateOnly
		}
		shown, err := time.Parse(layout, clean)
		if err != nil {
			return Moment{}, err
		}
		if m.Assumed = zone == nil; m.Assumed {
			zone = time.UTC
		}
		m.Time = wallClock(shown, zone)
	}
	m.Zone = m.Time.Location().String()
	m.Time, err = WithinCalendar(m.Time)
	return m, err
}

// offsetOf returns the offset of a time as a zone without a name, and UTC for none.
func offsetOf(at time.Time) *time.Location {
	if _, offset := at.Zone(); offset != 0 {
		return time.FixedZone("", offset)
	}
	return time.UTC
}

// At returns the time at which clocks in zone show the date and time of day of shown. If
// they never do, as summer time begins, it is shifted by what they skip; if they do
// twice, it is the first.
func At(shown time.Time, zone *time.Location) time.Time { return wallClock(wall(shown), zone) }

// Shown returns the date and time of day that clocks show at t, as a time in UTC.
func Shown(t time.Time) time.Time { return wall(t) }

// ZoneIf returns the zone of a name, and nil for an empty name. The error names the
// parameter.
func ZoneIf(param, name string) (*time.Location, error) {
	if name = strings.TrimSpace(name); name == "" {
		return nil, nil
	}
	zone, err := Zone(name)
	if err != nil {
		return nil, tool.Fail(tool.ValidationError, "%s: %s", param, tool.AsError(err).Msg)
	}
	return zone, nil
}
