package utilities

import (
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDateDiff(t *testing.T) {
	tooltest.Run(t, Set, "date_diff", tool.Call{}, []tooltest.Case{
		{
			Name: "nothing", Args: `{"date1":"2026-06-15T10:00:00.000Z","date2":"2026-06-15T10:00:00.000Z"}`,
			Want: `{"from":"2026-06-15T10:00:00.000Z","to":"2026-06-15T10:00:00.000Z","difference":{"years":0,"months":0,"weeks":0,"days":0,"hours":0,"minutes":0,"seconds":0},"isPositive":true}`,
		},
		{
			Name: "back", Args: `{"date1":"2026-06-15T00:00:00.000Z","date2":"2026-06-10T00:00:00.000Z","unit":"all"}`,
			Want: `{"from":"2026-06-15T00:00:00.000Z","to":"2026-06-10T00:00:00.000Z","difference":{"years":-0.01,"months":-0.16,"weeks":-0.71,"days":-5,"hours":-120,"minutes":-7200,"seconds":-432000},"isPositive":false}`,
		},
		{
			Name: "months", Args: `{"date1":"2026-01-01T00:00:00.000Z","date2":"2026-06-01T00:00:00.000Z"}`,
			Want: `{"from":"2026-01-01T00:00:00.000Z","to":"2026-06-01T00:00:00.000Z","difference":{"years":0.41,"months":4.96,"weeks":21.57,"days":151,"hours":3624,"minutes":217440,"seconds":13046400},"isPositive":true}`,
		},
		{Name: "weeks", Args: `{"date1":"2024-01-01","date2":"2024-01-08","unit":"weeks"}`, Want: `{"from":"2024-01-01T00:00:00.000Z","to":"2024-01-08T00:00:00.000Z","difference":1,"unit":"weeks"}`},
		{Name: "years", Args: `{"date1":"2000-01-01","date2":"2024-01-01","unit":"years"}`, Check: hasField("difference", "24")},
		{Name: "one month", Args: `{"date1":"2024-01-01","date2":"2024-02-01","unit":"months"}`, Check: hasField("difference", "1.02")},
		{Name: "leap day", Args: `{"date1":"2024-02-28","date2":"2024-03-01","unit":"days"}`, Check: hasField("difference", "2")},
		{Name: "no leap day", Args: `{"date1":"1900-02-28","date2":"1900-03-01","unit":"days"}`, Check: hasField("difference", "1")},
		{Name: "zones", Args: `{"date1":"2026-06-15T10:00:00+02:00","date2":"2026-06-15T10:00:00-04:00","unit":"hours"}`, Want: `{"from":"2026-06-15T10:00:00.000+02:00","to":"2026-06-15T10:00:00.000-04:00","difference":6,"unit":"hours"}`},
		{Name: "parts", Args: `{"date1":"2026-06-15T10:00:00Z","date2":"2026-06-15T10:00:01.5Z","unit":"seconds"}`, Check: hasField("difference", "1.5")},
		{Name: "half days", Args: `{"date1":"2026-06-15","date2":"2026-06-16T12:00:00Z","unit":"days"}`, Check: hasField("difference", "1.5")},
		{Name: "all of time", Args: `{"date1":"0001-01-01","date2":"9999-12-31","unit":"days"}`, Check: hasField("difference", "3652058")},
		{Name: "until today", Args: `{"date1":"2026-01-01","date2":"today","unit":"minutes"}`, Check: hasField("difference", "1440")},
		{Name: "no date1", Args: `{"date1":"soon","date2":"2026-01-01"}`, Fails: tool.ValidationError, Message: "Invalid date format: 'soon'"},
		{Name: "no date2", Args: `{"date1":"2026-01-01","date2":"2023-02-29"}`, Fails: tool.ValidationError, Message: "Invalid date format: '2023-02-29'"},
		{Name: "unit", Args: `{"date1":"2026-01-01","date2":"2026-01-02","unit":"eons"}`, Fails: tool.ValidationError, Message: "unit"},
		{Name: "missing", Args: `{"date1":"2026-01-01"}`, Fails: tool.ValidationError, Message: "date2"},
	})
}

func TestReadDate(t *testing.T) {
	now := time.Date(2026, 6, 15, 23, 30, 0, 0, time.UTC)
	paris, err := loadZone("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	const midnight, morning = "2026-06-15T00:00:00.000+02:00", "2026-06-15T10:30:00.000+02:00"
	for text, want := range map[string]string{
		"2026-06-15": midnight, "20260615": midnight, "2026-6-15": midnight, "2026/06/15": midnight, "2026-166": midnight, "2026-W25-1": midnight, "2026-W25": midnight, "2026W251": midnight,
		"06/15/2026": midnight, "15.06.2026": midnight, "June 15, 2026": midnight, "Jun 15 2026": midnight, "june 15,2026": midnight, "15 June 2026": midnight, "June 15th, 2026": midnight, "15-Jun-2026": midnight,
		"Monday, June 15, 2026": midnight, "Mon, 15 Jun 2026": midnight, "2026 June 15": midnight, " 2026-06-15 ": midnight,
		"2026": "2026-01-01T00:00:00.000+01:00", "2026-06": "2026-06-01T00:00:00.000+02:00", "June 2026": "2026-06-01T00:00:00.000+02:00", "Sept 5, 2026": "2026-09-05T00:00:00.000+02:00",
		"2026-06-15T10:30": morning, "2026-06-15 10:30:00": morning, "20260615T1030": morning, "2026-06-15T103000": morning, "June 15, 2026 at 10:30 AM": morning, "6/15/2026 10:30am": morning,
		"2026-06-15T10:30:00Z": "2026-06-15T10:30:00.000Z", "2026-06-15t10:30:00.125z": "2026-06-15T10:30:00.125Z", "2026-06-15T10:30:00,5+00:00": "2026-06-15T10:30:00.500Z", "2026-06-15 10:30 UTC": "2026-06-15T10:30:00.000Z",
		"Mon, 15 Jun 2026 10:30:00 GMT": "2026-06-15T10:30:00.000Z", "Mon Jun 15 2026 10:30:00 GMT+0200 (CEST)": morning, "2026-06-15T10:30:00-05": "2026-06-15T10:30:00.000-05:00", "2026-06-15T10:30:00+0530": "2026-06-15T10:30:00.000+05:30",
		"2026-06-15T08:30:00Z[Europe/Paris]": morning, "2026-06-15T10:30[Asia/Tokyo]": "2026-06-15T10:30:00.000+09:00", "5 Sep 2026 5pm": "2026-09-05T17:00:00.000+02:00", "5 Sep 2026 12 AM": "2026-09-05T00:00:00.000+02:00",
		"2016-12-31T23:59:60Z": "2017-01-01T00:00:00.000Z", "2026-06-15T24:00:00Z": "2026-06-16T00:00:00.000Z", "2024-02-29": "2024-02-29T00:00:00.000+01:00", "2020-W53-7": "2021-01-03T00:00:00.000+01:00",
		"1781512200": morning, "1781512200000": morning, "-1000000000": "1938-04-24T23:13:20.000+01:00",
		"now": "2026-06-16T01:30:00.000+02:00", "Today": "2026-06-16T00:00:00.000+02:00", "tomorrow": "2026-06-17T00:00:00.000+02:00", "YESTERDAY": midnight,
	} {
		if got, err := readDate(text, paris, now); err != nil || got.Format(timestamp) != want {
			t.Errorf("%q = %s, %v, want %s", text, got.Format(timestamp), err, want)
		}
	}
	for _, text := range []string{
		"", " ", "not-a-date", "2026-02-30", "2023-02-29", "2026-13-01", "2026-00-10", "15/06/2026", "2026-06-15T25:00", "2026-06-15T10:60", "2026-06-15T10:30:61Z", "0000-01-01", "10000-01-01", "+10000-01-01", "-0001-01-01",
		"2026-W54", "2021-W53", "2026-W00", "2026-366", "12:30", "T10:00", "2026-06-15T10:30:00 EST", "2026-06-15T10:30:00+99:00", "2026-06-15[Mars/Olympus]", "9999-12-31T23:59:59-05:00", "0001-01-01T00:00:00+05:00", "6/15/26", "99999999999999999999", string(make([]byte, 500)),
	} {
		got, err := readDate(text, paris, now)
		if tool.AsError(err) == nil || tool.AsError(err).Kind != tool.ValidationError {
			t.Errorf("%q = %s, %v, want a validation_error", text, got.Format(timestamp), err)
		}
	}
}
