// Package recurrence expands the rules of repeated events (RRULE of RFC 5545).
//
// A series keeps the time of day of its first event in the zone of that. Expansion is
// bounded: rules that repeat within a day, and rules that never apply, are refused, and
// the start of a window is reached without visiting what lies before it. A [Series] adds
// exceptions (EXDATE) and further dates (RDATE) to a rule.
package recurrence

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/teambition/rrule-go"

	"github.com/helve-dev/helve/internal/lib/dates"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// Limits of a rule.
const (
	maxLength   = 300
	maxCount    = 10_000
	maxInterval = 1000
	maxADay     = 24
	maxAMonth   = 5 // as often as a weekday comes in a month
)

// Rule is a recurrence rule. The zero value is none.
type Rule struct {
	text     string
	option   rrule.ROption
	untilDay bool // UNTIL is a day, which belongs to the series
	untilUTC bool // UNTIL is a time in UTC, and otherwise one of the series' zone
}

// shape is the form of a rule: parts of a name and a value.
var shape = regexp.MustCompile(`^[A-Z]+=[A-Z0-9,+-]+(;[A-Z]+=[A-Z0-9,+-]+)*$`)

func invalid(format string, args ...any) error {
	return tool.Fail(tool.ValidationError,
		"%s; write an RRULE of RFC 5545, such as FREQ=WEEKLY;BYDAY=MO,WE;COUNT=10 or FREQ=DAILY;UNTIL=20261231", fmt.Sprintf(format, args...))
}

// Parse reads a rule, with or without the prefix RRULE.
func Parse(text string) (Rule, error) {
	if len(text) > maxLength {
		return Rule{}, invalid("the rule has more than %d characters", maxLength)
	}
	clean := strings.TrimSuffix(strings.TrimPrefix(strings.ToUpper(strings.TrimSpace(text)), "RRULE:"), ";")
	if !shape.MatchString(clean) {
		return Rule{}, invalid("%q is no recurrence rule", textcut.Excerpt(text, 60))
	}
	seen := map[string]bool{}
	for part := range strings.SplitSeq(clean, ";") {
		name, value, _ := strings.Cut(part, "=")
		if seen[name] || name == "DTSTART" || name == "BYEASTER" || name == "INTERVAL" && strings.Trim(value, "0") == "" ||
			name == "COUNT" && strings.Trim(value, "0") == "" {
			return Rule{}, invalid("%s is given twice, or is not a part that is supported", part)
		}
		seen[name] = true
	}
	option, err := rrule.StrToROption(clean)
	if err != nil {
		return Rule{}, invalid("%q is no recurrence rule: %s", textcut.Excerpt(text, 60), err)
	}
	if _, err := rrule.NewRRule(*option); err != nil {
		return Rule{}, invalid("%q is no recurrence rule: %s", textcut.Excerpt(text, 60), err)
	}
	r := Rule{text: clean, option: *option}
	if seen["UNTIL"] {
		_, until, _ := strings.Cut(clean, "UNTIL=")
		until, _, _ = strings.Cut(until, ";")
		r.untilDay, r.untilUTC = !strings.Contains(until, "T"), strings.HasSuffix(until, "Z")
	}
	return r, r.check()
}

// check refuses rules whose expansion would cost too much.
func (r Rule) check() error {
	o := r.option
	switch {
	case o.Freq > rrule.DAILY:
		return invalid("a series repeats daily at most; for several times a day use FREQ=DAILY with BYHOUR")
	case o.Count > 0 && !o.Until.IsZero():
		return invalid("COUNT and UNTIL exclude each other")
	case o.Count < 0 || o.Count > maxCount:
		return invalid("COUNT must be 1 to %d", maxCount)
	case o.Interval < 0 || o.Interval > maxInterval:
		return invalid("INTERVAL must be 1 to %d", maxInterval)
	case max(1, len(o.Byhour))*max(1, len(o.Byminute))*max(1, len(o.Bysecond)) > maxADay:
		return invalid("a series has at most %d times a day", maxADay)
	}
	if o.Freq == rrule.MONTHLY || o.Freq == rrule.YEARLY && len(o.Bymonth) > 0 {
		for _, day := range o.Byweekday { // the library counts past the end of its year
			if n := day.N(); n < -maxAMonth || n > maxAMonth {
				return invalid("BYDAY=%s: no weekday comes more than %d times in a month", day, maxAMonth)
			}
		}
	}
	return nil
}

// String returns the rule without a prefix.
func (r Rule) String() string { return r.text }

// IsZero reports whether there is no rule.
func (r Rule) IsZero() bool { return r.text == "" }

// Timed reports whether the rule names times of day.
func (r Rule) Timed() bool {
	return len(r.option.Byhour)+len(r.option.Byminute)+len(r.option.Bysecond) > 0
}

// Endless reports whether the rule has no end.
func (r Rule) Endless() bool { return r.option.Count == 0 && r.option.Until.IsZero() }

// until returns the last time of day and date that clocks in zone show for the series.
func (r Rule) until(zone *time.Location) time.Time {
	switch u := r.option.Until; {
	case u.IsZero():
		return time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC)
	case r.untilDay:
		return u.AddDate(0, 0, 1).Add(-time.Second)
	case r.untilUTC:
		return dates.Shown(u.In(zone))
	default:
		return u
	}
}
