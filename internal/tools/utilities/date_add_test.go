package utilities

import (
	"fmt"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDateAdd(t *testing.T) {
	tooltest.Run(t, Set, "date_add", tool.Call{}, []tooltest.Case{
		{
			Name: "days", Args: `{"date":"2026-06-01T00:00:00.000Z","amount":10,"unit":"days"}`,
			Want: `{"original":"2026-06-01T00:00:00.000Z","result":"2026-06-11T00:00:00.000Z","resultFormatted":"Thursday, June 11, 2026 at 12:00 AM","added":{"amount":10,"unit":"days"}}`,
		},
		{
			Name: "zone", Args: `{"date":"2026-03-28T18:30","amount":1,"unit":"days","timezone":"Europe/Paris"}`,
			Want: `{"original":"2026-03-28T18:30:00.000+01:00","result":"2026-03-29T18:30:00.000+02:00","resultFormatted":"Sunday, March 29, 2026 at 6:30 PM","added":{"amount":1,"unit":"days"}}`,
		},
		{
			Name: "shown in a zone", Args: `{"date":"2026-01-31T23:30:00Z","amount":-0.5,"unit":"hours","timezone":"Asia/Kolkata"}`,
			Want: `{"original":"2026-02-01T05:00:00.000+05:30","result":"2026-02-01T04:30:00.000+05:30","resultFormatted":"Sunday, February 1, 2026 at 4:30 AM","added":{"amount":-0.5,"unit":"hours"}}`,
		},
		{Name: "tomorrow", Args: `{"date":"tomorrow","amount":1,"unit":"weeks"}`, Check: hasField("result", `"2026-01-10T00:00:00.000Z"`)},
		{Name: "no date", Args: `{"date":"not-a-date","amount":1,"unit":"days"}`, Fails: tool.ValidationError, Message: "Invalid date format: 'not-a-date'"},
		{Name: "no zone", Args: `{"date":"2026-01-01","amount":1,"unit":"days","timezone":"Mars"}`, Fails: tool.ValidationError, Message: "Invalid timezone"},
		{Name: "half a month", Args: `{"date":"2026-01-01","amount":0.5,"unit":"months"}`, Fails: tool.ValidationError, Message: "whole months"},
		{Name: "beyond the calendar", Args: `{"date":"9999-12-31","amount":1,"unit":"days"}`, Fails: tool.ValidationError, Message: "years 1 to 9999"},
		{Name: "before the calendar", Args: `{"date":"0001-01-01","amount":-1,"unit":"months"}`, Fails: tool.ValidationError, Message: "years 1 to 9999"},
		{Name: "far beyond in months", Args: `{"date":"2026-01-01","amount":1e300,"unit":"years"}`, Fails: tool.ValidationError, Message: "years 1 to 9999"},
		{Name: "far beyond in seconds", Args: `{"date":"2026-01-01","amount":-1e300,"unit":"seconds"}`, Fails: tool.ValidationError, Message: "years 1 to 9999"},
		{Name: "unit", Args: `{"date":"2026-01-01","amount":1,"unit":"moons"}`, Fails: tool.ValidationError, Message: "unit"},
		{Name: "missing", Args: `{"date":"2026-01-01","unit":"days"}`, Fails: tool.ValidationError, Message: "amount"},
	})
}

func TestShift(t *testing.T) {
	paris, err := loadZone("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		date   string
		amount float64
		unit   string
		want   string
	}{
		{"2026-01-31", 1, "months", "2026-02-28T00:00:00.000+01:00"},
		{"2024-01-31", 1, "months", "2024-02-29T00:00:00.000+01:00"},
		{"2026-03-31", -1, "months", "2026-02-28T00:00:00.000+01:00"},
		{"2026-01-15", -13, "months", "2024-12-15T00:00:00.000+01:00"},
		{"2024-02-29", 1, "years", "2025-02-28T00:00:00.000+01:00"},
		{"2024-02-29", 4, "years", "2028-02-29T00:00:00.000+01:00"},
		{"2024-02-29", -0.5, "years", "2023-08-29T00:00:00.000+02:00"},
		{"2026-01-29", 2, "months", "2026-03-29T00:00:00.000+01:00"},
		{"2026-03-28T12:00", 1, "days", "2026-03-29T12:00:00.000+02:00"},
		{"2026-03-28T12:00", 24, "hours", "2026-03-29T13:00:00.000+02:00"},
		{"2026-03-28T02:30", 1, "days", "2026-03-29T03:30:00.000+02:00"},  // skipped
		{"2026-02-28T02:30", 29, "days", "2026-03-29T03:30:00.000+02:00"}, // skipped
		{"2026-10-24T02:30", 1, "days", "2026-10-25T02:30:00.000+02:00"},  // the first of two
		{"2026-10-25T02:30", 1, "hours", "2026-10-25T02:30:00.000+01:00"}, // the second
		{"2026-10-25T02:30+01:00", 0, "days", "2026-10-25T02:30:00.000+01:00"},
		{"2026-06-15", 1.5, "days", "2026-06-16T12:00:00.000+02:00"},
		{"2026-06-15", -1.5, "days", "2026-06-13T12:00:00.000+02:00"},
		{"2026-06-15", 0.5, "weeks", "2026-06-18T12:00:00.000+02:00"},
		{"2026-06-15", 0.25, "seconds", "2026-06-15T00:00:00.250+02:00"},
		{"2026-06-15", 90, "minutes", "2026-06-15T01:30:00.000+02:00"},
		{"1970-01-01T00:00Z", -0.001, "seconds", "1969-12-31T23:59:59.999Z"},
		{"0001-01-02T00:00Z", 9998, "years", "9999-01-02T00:00:00.000Z"},
		{"2026-06-15T10:00Z", 3652425, "days", ""},
		{"2026-06-15T10:00Z", 100_000, "days", "2300-03-31T10:00:00.000Z"},
	} {
		from, err := readDate(c.date, paris, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := shift(from, c.amount, c.unit)
		switch {
		case c.want == "" && err == nil:
			t.Errorf("%s + %v %s = %s, want an error", c.date, c.amount, c.unit, got.Format(timestamp))
		case c.want != "" && (err != nil || got.Format(timestamp) != c.want):
			t.Errorf("%s + %v %s = %s, %v, want %s", c.date, c.amount, c.unit, got.Format(timestamp), err, c.want)
		}
	}
}

// Clocks of some zones jump at midnight, by half an hour or over a whole day.
func TestWallClock(t *testing.T) {
	for zone, dates := range map[string]map[string]string{
		"America/Sao_Paulo":   {"2018-11-04": "2018-11-04T01:00:00.000-02:00"},
		"Australia/Lord_Howe": {"2026-10-04T02:15": "2026-10-04T02:45:00.000+11:00", "2026-04-05T01:45": "2026-04-05T01:45:00.000+11:00"},
		"Pacific/Apia":        {"2011-12-30T12:00": "2011-12-31T12:00:00.000+14:00"},
		"America/New_York":    {"2026-03-08T02:30": "2026-03-08T03:30:00.000-04:00", "2026-11-01T01:30": "2026-11-01T01:30:00.000-04:00"},
	} {
		location, err := loadZone(zone)
		if err != nil {
			t.Fatal(err)
		}
		for date, want := range dates {
			if got, err := readDate(date, location, time.Time{}); err != nil || got.Format(timestamp) != want {
				t.Errorf("%s in %s = %s, %v, want %s", date, zone, got.Format(timestamp), err, want)
			}
		}
	}
}

func FuzzReadDate(f *testing.F) {
	for _, seed := range []string{"2026-06-15T10:30:00.5+02:00", "2026-W25-1", "June 15th, 2026 at 3 PM", "Mon, 15 Jun 2026 10:30:00 GMT", "1769862600", "tomorrow", "2026-03-29T02:30[Europe/Paris]", "20260615T103000Z", "24:00"} {
		f.Add(seed, 1.5, "days")
	}
	f.Fuzz(func(t *testing.T, text string, amount float64, unit string) {
		moment, err := readDate(text, time.UTC, time.Unix(1e9, 0))
		if err != nil {
			return
		}
		again, err := readDate(iso(moment), time.UTC, time.Time{})
		if err != nil || again.UnixMilli() != moment.UnixMilli() {
			t.Errorf("%q is %s, which is read as %s, %v", text, iso(moment), iso(again), err)
		}
		if spans[unit]+monthsIn[unit] == 0 || fmt.Sprint(amount) == "NaN" || amount-amount != 0 {
			return
		}
		if moved, err := shift(moment, amount, unit); err == nil && (moved.Year() < 1 || moved.Year() > 9999) {
			t.Errorf("%q + %v %s = %s", text, amount, unit, moved)
		}
	})
}
