package dates

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

const (
	// Timestamp is RFC 3339 with milliseconds, the format of every date in results.
	Timestamp = "2006-01-02T15:04:05.000Z07:00"
	// maxDateText limits the length of a date, in bytes.
	maxDateText = 100
)

// ISO formats a time. Before standard time the offset of a zone may have seconds, which
// RFC 3339 cannot represent: the time is then written with the offset's minutes.
func ISO(t time.Time) string {
	if _, offset := t.Zone(); offset%60 != 0 {
		t = t.In(time.FixedZone("", offset-offset%60))
	}
	return t.Format(Timestamp)
}

// dayLayouts lists the forms of a day, without commas. In 01/02/2006 the month comes
// first, in 02.01.2006 the day, as is customary for each form.
var dayLayouts = []string{
	"2006-01-02", "20060102", "2006-1-2", "2006/1/2", "2006-002", "2006-01", "2006", "1/2/2006", "2.1.2006",
	"January 2 2006", "Jan 2 2006", "2 January 2006", "2 Jan 2006", "2-Jan-2006", "2006 January 2", "2006 Jan 2",
	"Monday January 2 2006", "Mon Jan 2 2006", "Monday 2 January 2006", "Mon 2 Jan 2006", "January 2006", "Jan 2006",
}

var clockLayouts = []string{"15:04:05", "15:04", "3:04:05PM", "3:04PM", "3PM", "150405", "1504"}

var offsetLayouts = []string{"-07:00", "-0700", "-07"}

// withClock splits a date into day, time of day and offset; an offset is valid only
// after a time of day.
var withClock = regexp.MustCompile(`(?i)^(.+?)` +
	`(?:[T\s](\d{1,2}:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:\s?[ap]m)?|\d{1,2}\s?[ap]m)|T(\d{6}|\d{4}))` +
	`\s?(Z|(?:UTC|GMT)?[+-]\d\d(?::?\d\d)?|UTC|GMT)?(?:\s\([^)]*\))?$`)

// writing removes optional words and characters between the parts of a date.
var writing = strings.NewReplacer(",", " ", " at ", " ", "Sept ", "Sep ")

var (
	// ISO 8601 allows a comma before the fraction of a second.
	commaFraction = regexp.MustCompile(`(:\d\d),(\d)`)

	ordinal  = regexp.MustCompile(`(?i)\b(\d{1,2})(?:st|nd|rd|th)\b`)
	zoneTag  = regexp.MustCompile(`^(.*)\[([A-Za-z0-9_+/-]+)\]$`)     // RFC 9557
	weekDate = regexp.MustCompile(`^(\d{4})-?W(\d\d)(?:-?([1-7]))?$`) // ISO 8601
	unixTime = regexp.MustCompile(`^-?\d{9,14}$`)
)

func invalidDate(text string) error {
	return tool.Fail(tool.ValidationError, "Invalid date format: '%s'. Use ISO 8601, such as 2026-06-15 or 2026-06-15T10:30:00Z.",
		textcut.Excerpt(text, 30))
}

// Read parses a date, with or without a time of day. Without an offset it is in zone; a
// day alone means its beginning. Read also accepts Unix time, and now, today, tomorrow
// and yesterday.
func Read(text string, zone *time.Location, now time.Time) (time.Time, error) {
	clean := strings.Join(strings.Fields(text), " ")
	if clean == "" || len(text) > maxDateText {
		return time.Time{}, invalidDate(text)
	}
	if day, ok := relativeDay(clean, zone, now); ok {
		return day, nil
	}
	tag := zoneTag.FindStringSubmatch(clean)
	if tag != nil {
		var err error
		if zone, err = Zone(tag[2]); err != nil {
			return time.Time{}, err
		}
		clean = tag[1]
	}
	t, ok := parse(clean, zone)
	switch {
	case !ok:
		return time.Time{}, invalidDate(text)
	case tag != nil:
		t = t.In(zone)
	}
	return WithinCalendar(t)
}

func relativeDay(text string, zone *time.Location, now time.Time) (time.Time, bool) {
	now = now.In(zone)
	days := 0
	switch strings.ToLower(text) {
	case "now":
		return now, true
	case "today":
	case "tomorrow":
		days = 1
	case "yesterday":
		days = -1
	default:
		return time.Time{}, false
	}
	return wallClock(time.Date(now.Year(), now.Month(), now.Day()+days, 0, 0, 0, 0, time.UTC), zone), true
}

func parse(text string, zone *time.Location) (time.Time, bool) {
	if unixTime.MatchString(text) {
		return parseUnix(text, zone)
	}
	text = ordinal.ReplaceAllString(commaFraction.ReplaceAllString(text, "$1.$2"), "$1")
	text = strings.Join(strings.Fields(writing.Replace(text)), " ")
	parts := withClock.FindStringSubmatch(text)
	if parts == nil {
		day, ok := parseDay(text)
		return wallClock(day, zone), ok
	}
	day, dayOK := parseDay(parts[1])
	clock, clockOK := parseClock(parts[2] + parts[3])
	if !dayOK || !clockOK {
		return time.Time{}, false
	}
	if parts[4] != "" {
		var ok bool
		if zone, ok = parseOffset(parts[4]); !ok {
			return time.Time{}, false
		}
	}
	return wallClock(day.Add(clock), zone), true
}

// parseUnix reads up to 11 digits as seconds and more as milliseconds.
func parseUnix(text string, zone *time.Location) (time.Time, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	if len(strings.TrimPrefix(text, "-")) > 11 {
		return time.UnixMilli(n).In(zone), err == nil
	}
	return time.Unix(n, 0).In(zone), err == nil
}

func parseDay(text string) (time.Time, bool) {
	for _, layout := range dayLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	m := weekDate.FindStringSubmatch(text)
	if m == nil {
		return time.Time{}, false
	}
	year, _ := strconv.Atoi(m[1])
	week, _ := strconv.Atoi(m[2])
	day, _ := strconv.Atoi(m[3] + "1") // Monday if there is none
	if m[3] != "" {
		day /= 10
	}
	t := time.Date(year, time.January, 4, 0, 0, 0, 0, time.UTC) // always in week 1
	t = t.AddDate(0, 0, (week-1)*7+day-1-(int(t.Weekday())+6)%7)
	gotYear, gotWeek := t.ISOWeek()
	return t, gotYear == year && gotWeek == week
}

// parseClock returns the time since midnight; 24:00 is the end of a day, and a leap
// second is the moment after :59.
func parseClock(text string) (time.Duration, bool) {
	text = strings.ToUpper(strings.ReplaceAll(text, " ", ""))
	if text == "24:00" || text == "24:00:00" {
		return 24 * time.Hour, true
	}
	extra := time.Duration(0)
	if rest, leap := strings.CutSuffix(text, ":60"); leap && strings.Count(text, ":") == 2 {
		text, extra = rest+":59", time.Second
	}
	for _, layout := range clockLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t.Sub(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)) + extra, true
		}
	}
	return 0, false
}

// parseOffset parses Z, +02:00, -0500, +01, GMT or UTC+02.
func parseOffset(text string) (*time.Location, bool) {
	text = strings.ToUpper(text)
	text = strings.TrimPrefix(strings.TrimPrefix(text, "UTC"), "GMT")
	if text == "" || text == "Z" {
		return time.UTC, true
	}
	for _, layout := range offsetLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			_, seconds := t.Zone()
			if seconds == 0 {
				return time.UTC, true
			}
			return time.FixedZone("", seconds), true
		}
	}
	return nil, false
}
