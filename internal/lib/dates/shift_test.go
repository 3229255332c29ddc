package dates

import (
	"testing"
	"time"
)

func TestShift(t *testing.T) {
	paris, err := Zone("Europe/Paris")
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
		from, err := Read(c.date, paris, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := Shift(from, c.amount, c.unit)
		switch {
		case c.want == "" && err == nil:
			t.Errorf("%s + %v %s = %s, want an error", c.date, c.amount, c.unit, got.Format(Timestamp))
		case c.want != "" && (err != nil || got.Format(Timestamp) != c.want):
			t.Errorf("%s + %v %s = %s, %v, want %s", c.date, c.amount, c.unit, got.Format(Timestamp), err, c.want)
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
		location, err := Zone(zone)
		if err != nil {
			t.Fatal(err)
		}
		for date, want := range dates {
			if got, err := Read(date, location, time.Time{}); err != nil || got.Format(Timestamp) != want {
				t.Errorf("%s in %s = %s, %v, want %s", date, zone, got.Format(Timestamp), err, want)
			}
		}
	}
}
