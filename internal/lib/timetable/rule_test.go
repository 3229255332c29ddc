package timetable

import (
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		text string
		kind Kind
		want string // the next time after 08:20 on 23 November 2026 in Berlin, counted from 08:00
	}{
		{"0 9 * * *", KindCron, "2026-11-23T09:00:00+01:00"},
		{" @Daily ", KindCron, "2026-11-24T00:00:00+01:00"},
		{"0 9 * JAN,Mar Sunday", KindCron, "2027-01-03T09:00:00+01:00"},
		{"every 15 minutes", KindInterval, "2026-11-23T08:30:00+01:00"},
		{"Every minute", KindInterval, "2026-11-23T08:21:00+01:00"},
		{"every 2 hours", KindInterval, "2026-11-23T10:00:00+01:00"},
		{"every 1 day", KindInterval, "2026-11-24T08:00:00+01:00"},
		{"every 60 seconds", KindInterval, "2026-11-23T08:21:00+01:00"},
		{"2026-11-23T09:00", KindOnce, "2026-11-23T09:00:00+01:00"},
		{"2026-11-23 09:00:30", KindOnce, "2026-11-23T09:00:30+01:00"},
		{"2026-11-23T09:00Z", KindOnce, "2026-11-23T10:00:00+01:00"},
		{"2026-11-23t09:00:00+05:45", KindOnce, "never"},
		{"2027-03-28T02:30", KindOnce, "2027-03-28T03:30:00+02:00"},
		{"2026-11-23T08:20:00", KindOnce, "never"},
	} {
		berlin := zone(t, "Europe/Berlin")
		r, err := Parse(tt.text, berlin)
		if err != nil || r.Kind != tt.kind {
			t.Errorf("Parse(%q) = %v, %v, want %v", tt.text, r.Kind, err, tt.kind)
			continue
		}
		got := "never"
		anchor := when(t, "2026-11-23T08:00:00+01:00")
		if at := r.Next(anchor.Add(20*time.Minute), anchor); !at.IsZero() {
			got = at.In(berlin).Format(time.RFC3339)
		}
		if got != tt.want {
			t.Errorf("%q is next at %s, want %s", tt.text, got, tt.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "a schedule is missing",
		"soon":                   "is no schedule: write a cron expression of 5 fields",
		"0 9 * *":                "is no schedule",
		"* * * * * *":            "a schedule can be due each minute at most",
		"every 30 seconds":       "a schedule can be due each minute at most",
		"every 0 minutes":        "a schedule can be due each minute at most",
		"every second":           "a schedule can be due each minute at most",
		"every":                  "is no interval",
		"every day at 9":         "is no interval",
		"every 3 monday":         "is no unit of an interval",
		"every 99999999999 days": "at most 3660 days",
		"@reboot":                "is not supported",
		"@every 5m":              "is not supported",
		"61 * * * *":             `minute "61" is out of range: it must be from 0 to 59`,
		"0 24 * * *":             `hour "24" is out of range`,
		"0 0 0 * *":              `day of month "0" is out of range: it must be from 1 to 31`,
		"0 0 * 13 *":             `month "13" is out of range`,
		"0 0 * * 8":              `day of week "8" is out of range`,
		"0 22-2 * * *":           `hour "22-2" ends before it begins`,
		"*/0 * * * *":            `minute "*/0" has no step`,
		"*/99 * * * *":           `minute "*/99" has no step`,
		"*/ * * * *":             `minute "*/" has no step`,
		"1,,2 * * * *":           `minute "" is not understood`,
		"-5 * * * *":             `minute "-5" is not understood`,
		"+5 * * * *":             `minute "+5" is not understood`,
		"0 0 L * *":              `day of month "l" is not understood`,
		"CRON_TZ=UTC 0 9 * * *":  "has 6 fields",
		"TZ=":                    "is no schedule",
		"0 9 * * " + strings.Repeat("1,", 900) + "1": "at most 1000 characters",
		"2026-02-30T09:00":                           "is no time",
		"2026-11-23":                                 "has no time of the day",
		"2026-11-23T23:59:60":                        "is no time",
		"2026-11-23T24:00":                           "is no time",
	} {
		_, err := Parse(text, time.UTC)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q) = %v, want %q", text, err, want)
		}
	}
}

// FuzzParse parses anything, and finds only times that are later and whose minute the
// expression has.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"0 9 * * *", "*/5 0-3 1,15 jan-mar mon", "@daily", "every 5 minutes", "2026-11-23T09:00", "0 0 31 2 *", "\x00", "* * * * * *",
		"TZ=x 0 0 * * *",
	} {
		f.Add(text, int64(1795424400), "Europe/Berlin")
	}
	f.Fuzz(func(t *testing.T, text string, unix int64, name string) {
		z, err := time.LoadLocation(name)
		if err != nil {
			z = time.UTC
		}
		r, err := Parse(text, z)
		if err != nil {
			return
		}
		after := time.Unix(unix%(1<<35), 0)
		at := r.Next(after, after.Add(-time.Hour))
		if at.IsZero() {
			return
		}
		if !at.After(after) {
			t.Errorf("%q after %v is next at %v", text, after, at)
		}
		if r.Kind == KindCron && at.Unix()%60 == 0 && r.cron.minute&(1<<at.In(z).Minute()) == 0 && !moved(at.In(z)) {
			t.Errorf("%q is next at %v", text, at.In(z))
		}
	})
}

// moved reports whether a time follows a change of the clock within a day.
func moved(t time.Time) bool {
	start, _ := t.ZoneBounds()
	return !start.IsZero() && t.Sub(start) < 25*time.Hour
}
