package timetable

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Kind is the kind of a schedule.
type Kind string

// The kinds.
const (
	KindCron     Kind = "cron"
	KindInterval Kind = "interval"
	KindOnce     Kind = "once"
)

// Rule is a schedule in a time zone.
type Rule struct {
	Kind Kind
	zone *time.Location
	cron Cron
	step time.Duration
	at   time.Time
}

// MaxInterval is the longest interval.
const MaxInterval = 10 * 366 * 24 * time.Hour

// forms describes the schedules that Parse reads.
const forms = `a cron expression of 5 fields ("0 9 * * mon-fri", "@daily"), an interval ("every 15 minutes"), or one time ("2026-11-23T09:00")`

// Parse reads a schedule whose times are those of the zone. The error is a sentence for
// the author of the schedule.
func Parse(text string, zone *time.Location) (Rule, error) {
	text = strings.TrimSpace(text)
	lower := strings.ToLower(text)
	r := Rule{zone: zone}
	var err error
	switch {
	case text == "":
		return Rule{}, errors.New("a schedule is missing: write " + forms)
	case strings.HasPrefix(lower, "every ") || lower == "every":
		r.Kind = KindInterval
		r.step, err = parseInterval(lower)
	case looksLikeDate.MatchString(text):
		r.Kind = KindOnce
		if len(text) <= len(time.DateOnly) {
			return Rule{}, fmt.Errorf("%q has no time of the day: write YYYY-MM-DDTHH:mm (2026-11-23T09:00)", text)
		}
		r.at, err = ParseTime(text, zone)
	default:
		r.Kind = KindCron
		r.cron, err = ParseCron(lower)
	}
	if err != nil {
		return Rule{}, err
	}
	return r, nil
}

// Next returns the first time after a time; zero if there is none. Intervals count from
// anchor, which is the first of their times.
func (r Rule) Next(after, anchor time.Time) time.Time {
	switch r.Kind {
	case KindInterval:
		if after.Before(anchor) {
			return anchor
		}
		past := after.Sub(anchor)
		return anchor.Add(past - past%r.step + r.step)
	case KindOnce:
		if r.at.After(after) {
			return r.at
		}
		return time.Time{}
	case KindCron:
	}
	return r.cron.Next(after, r.zone)
}

// Cron returns the expression of a cron schedule; it is empty for others.
func (r Rule) Cron() string { return r.cron.text }

var interval = regexp.MustCompile(`^every(?: +(\d+))? +([a-z]+)$`)

var units = map[string]time.Duration{
	"second": time.Second, "sec": time.Second, "minute": time.Minute, "min": time.Minute, "hour": time.Hour, "day": 24 * time.Hour,
	"week": 7 * 24 * time.Hour,
}

// errOften refuses schedules with seconds.
var errOften = errors.New("a schedule can be due each minute at most; \"every minute\" or \"* * * * *\" is the shortest")

func parseInterval(text string) (time.Duration, error) {
	m := interval.FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("%q is no interval: write \"every N minutes\", \"every N hours\" or \"every N days\"; "+
			"for a time of the day use a cron expression such as \"0 9 * * *\"", text)
	}
	unit := units[strings.TrimSuffix(m[2], "s")]
	n, err := uint64(1), error(nil)
	if m[1] != "" {
		n, err = strconv.ParseUint(m[1], 10, 64)
	}
	switch {
	case unit == 0:
		return 0, fmt.Errorf(
			"%q is no unit of an interval: use minutes, hours or days; for a day of the week use a cron expression such as \"0 9 * * mon\"", m[2],
		)
	case err != nil || n > uint64(MaxInterval/unit):
		return 0, errors.New("an interval is at most 3660 days")
	case time.Duration(n)*unit < time.Minute:
		return 0, errOften
	}
	return time.Duration(n) * unit, nil
}

// looksLikeDate matches the beginning of one time.
var looksLikeDate = regexp.MustCompile(`^\d{4,}-`)

// timeForms are the layouts of one time, with and without an offset.
var timeForms = []string{"2006-01-02T15:04Z07:00", time.RFC3339Nano, "2006-01-02T15:04", "2006-01-02T15:04:05", time.DateOnly}

// ParseTime reads a time, which is one of the zone if it has no offset. A day is its first
// moment.
func ParseTime(text string, zone *time.Location) (time.Time, error) {
	text = strings.ToUpper(text)
	if len(text) > 10 && text[10] == ' ' {
		text = text[:10] + "T" + text[11:]
	}
	for i, form := range timeForms {
		at, err := time.Parse(form, text)
		switch {
		case err != nil:
		case i < 2:
			return at, nil
		default:
			return instant(at.Unix(), zone), nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time: write YYYY-MM-DDTHH:mm (2026-11-23T09:00), with an offset if it is not in the time zone "+
		"of the schedule (2026-11-23T09:00+01:00)", text)
}
