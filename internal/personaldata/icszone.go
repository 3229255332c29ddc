package personaldata

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/emersion/go-ical"

	"github.com/helve-dev/helve/internal/lib/dates"
)

// zones are the time zones of a calendar. What the file defines counts, and else what a name
// means in the IANA database or in Windows; a name that means nothing is an error.
type zones struct {
	defined map[string]*zoneRules // by TZID
	usual   string                // of times without a zone; empty if the file names none
}

// zoneRules are the rules of a VTIMEZONE.
type zoneRules struct {
	place      string // the IANA name that the file gives it; may be empty
	observance []observance
	problem    error
}

// observance is a STANDARD or DAYLIGHT part: an offset, and when it begins.
type observance struct {
	start    time.Time // as clocks show it before the change
	from, to int       // offsets in seconds
	yearly   *yearly   // nil if it begins once
	dates    []time.Time
}

// define adds a zone of the file.
func (z *zones) define(c *ical.Component) {
	id := c.Props.Get(ical.PropTimezoneID)
	if id == nil {
		return
	}
	rules := &zoneRules{}
	for _, name := range []string{"X-LIC-LOCATION", "TZID-ALIAS-OF"} {
		if p := c.Props.Get(name); p != nil {
			rules.place = strings.TrimSpace(p.Value)
		}
	}
	for _, part := range c.Children {
		if part.Name != ical.CompTimezoneStandard && part.Name != ical.CompTimezoneDaylight {
			continue
		}
		o, err := observanceOf(part.Props)
		if err != nil {
			rules.problem = err
			continue
		}
		rules.observance = append(rules.observance, o)
	}
	if len(rules.observance) == 0 && rules.problem == nil {
		rules.problem = fmt.Errorf("it has no STANDARD or DAYLIGHT part")
	}
	z.defined[strings.TrimSpace(id.Value)] = rules
}

func observanceOf(p ical.Props) (o observance, err error) {
	text := func(name string) string {
		if prop := p.Get(name); prop != nil {
			return strings.TrimSpace(prop.Value)
		}
		return ""
	}
	if o.start, err = time.Parse("20060102T150405", text(ical.PropDateTimeStart)); err != nil {
		return o, fmt.Errorf("its DTSTART is %.60q", text(ical.PropDateTimeStart))
	}
	if o.from, err = offsetIn(text(ical.PropTimezoneOffsetFrom)); err != nil {
		return o, err
	}
	if o.to, err = offsetIn(text(ical.PropTimezoneOffsetTo)); err != nil {
		return o, err
	}
	if rule := text(ical.PropRecurrenceRule); rule != "" {
		if o.yearly, err = yearlyIn(rule, o.start, o.from); err != nil {
			return o, err
		}
	}
	for _, prop := range p.Values(ical.PropRecurrenceDates) {
		for value := range strings.SplitSeq(prop.Value, ",") {
			at, err := time.Parse("20060102T150405", strings.TrimSpace(value))
			if err != nil {
				return o, fmt.Errorf("its RDATE is %.60q", value)
			}
			o.dates = append(o.dates, at)
		}
	}
	return o, nil
}

// offsetIn reads an offset such as +0100 or -033000, in seconds.
func offsetIn(text string) (int, error) {
	digits := strings.TrimLeft(text, "+-")
	n, err := strconv.Atoi(digits)
	if err != nil || len(text)-len(digits) != 1 || len(digits) != 4 && len(digits) != 6 {
		return 0, fmt.Errorf("its offset is %.60q, and must be like +0100", text)
	}
	if len(digits) == 4 {
		n *= 100
	}
	seconds := n/10000*3600 + n/100%100*60 + n%100
	if text[0] == '-' {
		seconds = -seconds
	}
	return seconds, nil
}

// offset returns the offset when clocks show a time.
func (r *zoneRules) offset(shown time.Time) int {
	var last time.Time
	first := r.observance[0]
	offset, found := 0, false
	for _, o := range r.observance {
		if o.start.Before(first.start) {
			first = o
		}
		if at, ok := o.lastBefore(shown); ok && (!found || at.After(last)) {
			last, offset, found = at, o.to, true
		}
	}
	if !found {
		return first.from
	}
	return offset
}

// lastBefore returns the last time at or before shown when the observance begins.
func (o *observance) lastBefore(shown time.Time) (last time.Time, ok bool) {
	consider := func(at time.Time) {
		if !at.After(shown) && (!ok || at.After(last)) {
			last, ok = at, true
		}
	}
	consider(o.start)
	for _, at := range o.dates {
		consider(at)
	}
	if o.yearly != nil {
		for year := shown.Year(); year >= shown.Year()-1; year-- {
			if at := o.yearly.in(year); !at.Before(o.start) && !at.After(cmp.Or(o.yearly.until, at)) {
				consider(at)
			}
		}
		if until := o.yearly.until; !until.IsZero() && shown.Year() > until.Year() {
			for year := until.Year(); year >= until.Year()-1; year-- {
				if at := o.yearly.in(year); !at.Before(o.start) && !at.After(until) {
					consider(at)
				}
			}
		}
	}
	return last, ok
}

// at returns the time when clocks of a zone show shown.
func (z *zones) at(id string, shown time.Time, series bool) (moment, error) {
	rules := z.defined[id]
	if rules == nil {
		place, name := named(id)
		if place == nil {
			return moment{}, fmt.Errorf("the zone %.80q is neither defined in the file (VTIMEZONE) nor a name of the IANA database or of Windows",
				id)
		}
		return moment{at: dates.At(shown, place), zone: name}, nil
	}
	if rules.problem != nil {
		return moment{}, fmt.Errorf("the definition of the zone %.80q is not understood: %w", id, rules.problem)
	}
	place, name := named(id)
	if place == nil {
		place, name = named(rules.place)
	}
	if place != nil && rules.agree(place, shown, series) {
		return moment{at: dates.At(shown, place), zone: name}, nil
	}
	if series && !rules.fixed(shown) {
		return moment{}, fmt.Errorf("the rules of the zone %.80q in the file are those of no zone that is known, and a series needs one", id)
	}
	return moment{
		at: time.Date(shown.Year(), shown.Month(), shown.Day(), shown.Hour(), shown.Minute(), shown.Second(), 0,
			time.FixedZone("", rules.offset(shown))),
	}, nil
}

// seasons are the months between which the clocks of a zone change.
const seasons = 3

// agree reports whether a zone has the offsets of the rules: at a time, and for a series in
// each season of the year after it.
func (r *zoneRules) agree(place *time.Location, shown time.Time, series bool) bool {
	months := 0
	if series {
		months = 12
	}
	for m := 0; m <= months; m += seasons {
		at := shown.AddDate(0, m, 0)
		if _, offset := dates.At(at, place).Zone(); offset != r.offset(at) && offset != r.offset(at.Add(-3*time.Hour)) &&
			offset != r.offset(at.Add(3*time.Hour)) {
			return false
		}
	}
	return true
}

// fixed reports whether the offset stays as it is at a time.
func (r *zoneRules) fixed(shown time.Time) bool {
	for m := 0; m <= 12; m += seasons {
		if r.offset(shown.AddDate(0, m, 0)) != r.offset(shown) {
			return false
		}
	}
	return true
}
