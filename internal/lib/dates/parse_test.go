package dates

import (
	"fmt"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

func FuzzReadDate(f *testing.F) {
	for _, seed := range []string{
		"2026-06-15T10:30:00.5+02:00", "2026-W25-1", "June 15th, 2026 at 3 PM", "Mon, 15 Jun 2026 10:30:00 GMT", "1769862600", "tomorrow",
		"2026-03-29T02:30[Europe/Paris]", "20260615T103000Z", "24:00",
	} {
		f.Add(seed, 1.5, "days")
	}
	f.Fuzz(func(t *testing.T, text string, amount float64, unit string) {
		moment, err := Read(text, time.UTC, time.Unix(1e9, 0))
		if err != nil {
			return
		}
		again, err := Read(ISO(moment), time.UTC, time.Time{})
		if err != nil || again.UnixMilli() != moment.UnixMilli() {
			t.Errorf("%q is %s, which is read as %s, %v", text, ISO(moment), ISO(again), err)
		}
		if Spans[unit]+monthsIn[unit] == 0 || fmt.Sprint(amount) == "NaN" || amount-amount != 0 {
			return
		}
		if moved, err := Shift(moment, amount, unit); err == nil && (moved.Year() < 1 || moved.Year() > 9999) {
			t.Errorf("%q + %v %s = %s", text, amount, unit, moved)
		}
	})
}

func TestReadDate(t *testing.T) {
	now := time.Date(2026, 6, 15, 23, 30, 0, 0, time.UTC)
	paris, err := Zone("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	const midnight, morning = "2026-06-15T00:00:00.000+02:00", "2026-06-15T10:30:00.000+02:00"
	for text, want := range map[string]string{
		"2026-06-15": midnight, "20260615": midnight, "2026-6-15": midnight, "2026/06/15": midnight, "2026-166": midnight, "2026-W25-1": midnight,
		"2026-W25": midnight, "2026W251": midnight,
		"06/15/2026": midnight, "15.06.2026": midnight, "June 15, 2026": midnight, "Jun 15 2026": midnight, "june 15,2026": midnight,
		"15 June 2026": midnight, "June 15th, 2026": midnight, "15-Jun-2026": midnight,
		"Monday, June 15, 2026": midnight, "Mon, 15 Jun 2026": midnight, "2026 June 15": midnight, " 2026-06-15 ": midnight,
		"2026": "2026-01-01T00:00:00.000+01:00", "2026-06": "2026-06-01T00:00:00.000+02:00", "June 2026": "2026-06-01T00:00:00.000+02:00",
		"Sept 5, 2026":     "2026-09-05T00:00:00.000+02:00",
		"2026-06-15T10:30": morning, "2026-06-15 10:30:00": morning, "20260615T1030": morning, "2026-06-15T103000": morning,
		"June 15, 2026 at 10:30 AM": morning, "6/15/2026 10:30am": morning,
		"2026-06-15T10:30:00Z": "2026-06-15T10:30:00.000Z", "2026-06-15t10:30:00.125z": "2026-06-15T10:30:00.125Z",
		"2026-06-15T10:30:00,5+00:00": "2026-06-15T10:30:00.500Z", "2026-06-15 10:30 UTC": "2026-06-15T10:30:00.000Z",
		"Mon, 15 Jun 2026 10:30:00 GMT": "2026-06-15T10:30:00.000Z", "Mon Jun 15 2026 10:30:00 GMT+0200 (CEST)": morning,
		"2026-06-15T10:30:00-05": "2026-06-15T10:30:00.000-05:00", "2026-06-15T10:30:00+0530": "2026-06-15T10:30:00.000+05:30",
		"2026-06-15T08:30:00Z[Europe/Paris]": morning, "2026-06-15T10:30[Asia/Tokyo]": "2026-06-15T10:30:00.000+09:00",
		"5 Sep 2026 5pm": "2026-09-05T17:00:00.000+02:00", "5 Sep 2026 12 AM": "2026-09-05T00:00:00.000+02:00",
		"2016-12-31T23:59:60Z": "2017-01-01T00:00:00.000Z", "2026-06-15T24:00:00Z": "2026-06-16T00:00:00.000Z",
		"2024-02-29": "2024-02-29T00:00:00.000+01:00", "2020-W53-7": "2021-01-03T00:00:00.000+01:00",
		"1781512200": morning, "1781512200000": morning, "-1000000000": "1938-04-24T23:13:20.000+01:00",
		"now": "2026-06-16T01:30:00.000+02:00", "Today": "2026-06-16T00:00:00.000+02:00", "tomorrow": "2026-06-17T00:00:00.000+02:00",
		"YESTERDAY": midnight,
	} {
		if got, err := Read(text, paris, now); err != nil || got.Format(Timestamp) != want {
			t.Errorf("%q = %s, %v, want %s", text, got.Format(Timestamp), err, want)
		}
	}
	for _, text := range []string{
		"", " ", "not-a-date", "2026-02-30", "2023-02-29", "2026-13-01", "2026-00-10", "15/06/2026", "2026-06-15T25:00", "2026-06-15T10:60",
		"2026-06-15T10:30:61Z", "0000-01-01", "10000-01-01", "+10000-01-01", "-0001-01-01",
		"2026-W54", "2021-W53", "2026-W00", "2026-366", "12:30", "T10:00", "2026-06-15T10:30:00 EST", "2026-06-15T10:30:00+99:00",
		"2026-06-15[Mars/Olympus]",
		"9999-12-31T23:59:59-05:00", "0001-01-01T00:00:00+05:00", "6/15/26", "99999999999999999999", string(make([]byte, 500)),
	} {
		got, err := Read(text, paris, now)
		if tool.AsError(err) == nil || tool.AsError(err).Kind != tool.ValidationError {
			t.Errorf("%q = %s, %v, want a validation_error", text, got.Format(Timestamp), err)
		}
	}
}
