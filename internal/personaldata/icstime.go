package personaldata

import (
	"fmt"
	"strings"
	"time"

	"github.com/emersion/go-ical"

	"github.com/helve-dev/helve/internal/lib/dates"
)

// moment is a time of an event, or a day.
type moment struct {
	at   time.Time
	day  bool
	zone string // an IANA name; empty for an offset
	// assumed is set if the file names no zone: at is then as clocks show it, in UTC.
	assumed bool
}

// String returns the moment as calendar's tools take it.
func (m moment) String() string {
	if m.day {
		return m.at.Format(time.DateOnly)
	}
	return m.at.Format(time.RFC3339)
}

// timeIn reads a time or a day. A series needs the name of a zone, or an offset that never
// changes.
func (f *calendarFile) timeIn(prop *ical.Prop, series bool) (m moment, err error) {
	value, utc := strings.CutSuffix(strings.ToUpper(strings.TrimSpace(prop.Value)), "Z")
	if day, err := time.Parse("20060102", value); err == nil && !utc { // whether or not it is declared as a day
		return moment{at: day, day: true}, nil
	}
	shown, err := time.Parse("20060102T150405", value)
	if err != nil {
		shown, err = time.Parse("20060102T1504", value)
	}
	if err != nil {
		return m, fmt.Errorf("%.40s is %.60q, and must be like 20260131, 20260131T090000 or 20260131T080000Z", prop.Name, prop.Value)
	}
	if utc {
		return moment{at: shown}, nil
	}
	id := strings.TrimSpace(prop.Params.Get(ical.PropTimezoneID))
	if id == "" {
		id = f.zones.usual
	}
	if id == "" {
		return moment{at: shown, assumed: true}, nil
	}
	return f.zones.at(id, shown, series)
}

// named returns the zone of a name: of the IANA database, at the end of a path that some
// programs put before it, or of Windows.
func named(id string) (*time.Location, string) {
	for _, name := range []string{id, windowsZones[id], afterSlashes(id, 3), afterSlashes(id, 2)} {
		if zone, err := dates.Zone(name); err == nil && name != "" {
			return zone, name
		}
	}
	return nil, ""
}

// afterSlashes returns the last parts of a path such as /mozilla.org/20070129_1/Europe/Berlin.
func afterSlashes(id string, parts int) string {
	all := strings.Split(id, "/")
	if len(all) <= parts {
		return ""
	}
	return strings.Join(all[len(all)-parts:], "/")
}
