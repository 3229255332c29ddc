package calendar

import (
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

func ptr[T any](v T) *T { return &v }

func TestInput(t *testing.T) {
	for _, tt := range []struct {
		name                           string
		in                             Input
		start, end, zone, starts, ends string
		allDay, assumed                bool
	}{
		{
			"offset", Input{StartTime: "2026-11-24T09:30+01:00", EndTime: "2026-11-24 10:30"}, "2026-11-24T09:30:00+01:00",
			"2026-11-24T10:30:00+01:00", "", "2026-11-24T08:30:00Z", "2026-11-24T09:30:00Z", false, false,
		},
		{
			"zone", Input{StartTime: "2026-11-24T09:30", Timezone: "Europe/Berlin"}, "2026-11-24T09:30:00+01:00", "", "Europe/Berlin",
			"2026-11-24T08:30:00Z", "2026-11-24T08:30:00Z", false, false,
		},
		{
			"zone with the time", Input{StartTime: "2026-11-24T09:30[America/New_York]", Timezone: "Europe/Berlin"}, "2026-11-24T09:30:00-05:00", "",
			"America/New_York", "2026-11-24T14:30:00Z", "2026-11-24T14:30:00Z", false, false,
		},
		{
			"no zone", Input{StartTime: "2026-11-24T09:30"}, "2026-11-24T09:30:00Z", "", "UTC", "2026-11-24T09:30:00Z", "2026-11-24T09:30:00Z",
			false, true,
		},
		{
			"UTC", Input{StartTime: "2026-11-24T09:30Z"}, "2026-11-24T09:30:00Z", "", "UTC", "2026-11-24T09:30:00Z", "2026-11-24T09:30:00Z",
			false, false,
		},
		{
			"a day", Input{StartTime: "2026-11-24", Timezone: "Europe/Berlin"}, "2026-11-24", "", "Europe/Berlin", "2026-11-23T23:00:00Z",
			"2026-11-24T23:00:00Z", true, false,
		},
		{
			"days", Input{StartTime: "2026-11-24", EndTime: "2026-11-25", IsAllDay: ptr(true)}, "2026-11-24", "2026-11-25", "UTC",
			"2026-11-24T00:00:00Z", "2026-11-26T00:00:00Z", true, true,
		},
		{
			"days written as times", Input{StartTime: "2026-11-24T09:00+05:30", EndTime: "2026-11-25T10:00+05:30", IsAllDay: ptr(true)},
			"2026-11-24", "2026-11-25", "UTC", "2026-11-24T00:00:00Z", "2026-11-26T00:00:00Z", true, false,
		},
		{
			"a day that is a time", Input{StartTime: "2026-11-24", IsAllDay: ptr(false), Timezone: "Europe/Berlin"}, "2026-11-24T00:00:00+01:00", "",
			"Europe/Berlin", "2026-11-23T23:00:00Z", "2026-11-23T23:00:00Z", false, false,
		},
		{
			"a skipped hour", Input{StartTime: "2026-03-29T02:30", Timezone: "Europe/Berlin"}, "2026-03-29T03:30:00+02:00", "", "Europe/Berlin",
			"2026-03-29T01:30:00Z", "2026-03-29T01:30:00Z", false, false,
		},
		{"29 February", Input{StartTime: "2024-02-29"}, "2024-02-29", "", "UTC", "2024-02-29T00:00:00Z", "2024-03-01T00:00:00Z", true, true},
		{"the last day", Input{StartTime: "9999-12-31"}, "9999-12-31", "", "UTC", "9999-12-31T00:00:00Z", "9999-12-31T23:59:59Z", true, true},
		{"the first day", Input{StartTime: "0001-01-01"}, "0001-01-01", "", "UTC", "0001-01-01T00:00:00Z", "0001-01-02T00:00:00Z", true, true},
		{
			"endless series", Input{StartTime: "2026-11-24", Recurrence: "RRULE:FREQ=DAILY"}, "2026-11-24", "", "UTC", "2026-11-24T00:00:00Z",
			"9999-12-31T23:59:59Z", true, true,
		},
		{
			"series", Input{StartTime: "2026-11-24T09:00Z", EndTime: "2026-11-24T10:00Z", Recurrence: "FREQ=DAILY;COUNT=3"}, "2026-11-24T09:00:00Z",
			"2026-11-24T10:00:00Z", "UTC", "2026-11-24T09:00:00Z", "2026-11-26T10:00:00Z", false, false,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.in.Title = "x"
			v, assumed, err := tt.in.Event()
			if err != nil {
				t.Fatal(err)
			}
			if v.StartTime != tt.start || v.EndTime != tt.end || v.Timezone != tt.zone || v.AllDay != tt.allDay || assumed != tt.assumed {
				t.Errorf("event %+v, assumed %v", v, assumed)
			}
			if starts, ends := v.Starts.UTC().Format(time.RFC3339), v.Ends.UTC().Format(time.RFC3339); starts != tt.starts || ends != tt.ends {
				t.Errorf("from %s to %s, want %s to %s", starts, ends, tt.starts, tt.ends)
			}
			if shown := show(tool.Record[Event]{Value: v}, v.start()); shown.StartTime != tt.start || shown.EndTime != tt.end {
				t.Errorf("shown from %s to %s", shown.StartTime, shown.EndTime)
			}
		})
	}
}

func TestInputRefused(t *testing.T) {
	const day = "2026-11-24"
	long := strings.Repeat("x", 900_001)
	for want, in := range map[string]Input{
		"title is missing or blank":                  {Title: " ", StartTime: day},
		"title has 900001 bytes":                     {Title: long, StartTime: day},
		"location has 900001 bytes":                  {Location: long, StartTime: day},
		"description has 900001 bytes":               {Description: long, StartTime: day},
		"category has 900001 bytes":                  {Category: long, StartTime: day},
		"startTime is missing or blank":              {},
		"startTime: \"tomorrow\" is no date":         {StartTime: "tomorrow"},
		"startTime: \"2026-02-29\" is no date":       {StartTime: "2026-02-29"},
		"startTime: \"0000-01-01\" is no date":       {StartTime: "0000-01-01"},
		"startTime: \"2016-12-31T23:59:60Z\" is no":  {StartTime: "2016-12-31T23:59:60Z"},
		"endTime: \"later\" is no date":              {StartTime: day, EndTime: "later"},
		"endTime 2026-11-23 is before startTime":     {StartTime: day, EndTime: "2026-11-23"},
		"endTime 2026-11-24T08:00:00Z is before":     {StartTime: day + "T09:00Z", EndTime: day + "T08:00Z"},
		"timezone: Invalid timezone: 'Mars/Olympus'": {StartTime: day, Timezone: "Mars/Olympus"},
		"reminder must be whole minutes":             {StartTime: day, Reminder: ptr(-1.0)},
		"recurrence: \"every day\" is no recurrence": {StartTime: day, Recurrence: "every day"},
		"recurrence: a series repeats daily at most": {StartTime: day, Recurrence: "FREQ=SECONDLY"},
		"recurrence: the rule FREQ=YEARLY":           {StartTime: day, Recurrence: "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"},
		"recurrence: a series of whole days":         {StartTime: day, Recurrence: "FREQ=DAILY;BYHOUR=9"},
		"recurrence: an event of a series lasts":     {StartTime: day, EndTime: "2027-11-25", Recurrence: "FREQ=YEARLY"},
		"recurrence: the series ends before":         {StartTime: day, Recurrence: "FREQ=DAILY;UNTIL=20261123"},
	} {
		if in.Title == "" {
			in.Title = "x"
		}
		_, _, err := in.Event()
		if e := tool.AsError(err); e == nil || e.Kind != tool.ValidationError || !strings.HasPrefix(e.Msg, want) {
			t.Errorf("%v, want a validation_error with %q", err, want)
		}
	}
	for _, minutes := range []float64{0.5, 1e300, -1e300, 525_601} {
		if _, _, err := (Input{Title: "x", StartTime: day, Reminder: &minutes}).Event(); tool.AsError(err) == nil {
			t.Errorf("a reminder of %v minutes is accepted", minutes)
		}
	}
}
