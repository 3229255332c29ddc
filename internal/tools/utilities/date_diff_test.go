package utilities

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDateDiff(t *testing.T) {
	tooltest.Run(t, Set, "date_diff", tool.Call{}, []tooltest.Case{
		{
			Name: "nothing", Args: `{"date1":"2026-06-15T10:00:00.000Z","date2":"2026-06-15T10:00:00.000Z"}`,
			Want: `{"from":"2026-06-15T10:00:00.000Z","to":"2026-06-15T10:00:00.000Z","difference":{"years":0,"months":0,"weeks":0,"days":0,"hours":0,"minutes":0,"seconds":0},"calendar":{"years":0,"months":0,"days":0,"hours":0,"minutes":0,"seconds":0},"isPositive":true}`,
		},
		{
			Name: "back", Args: `{"date1":"2026-06-15T00:00:00.000Z","date2":"2026-06-10T00:00:00.000Z","unit":"all"}`,
			Want: `{"from":"2026-06-15T00:00:00.000Z","to":"2026-06-10T00:00:00.000Z","difference":{"years":-0.01,"months":-0.16,"weeks":-0.71,"days":-5,"hours":-120,"minutes":-7200,"seconds":-432000},"calendar":{"years":0,"months":0,"days":-5,"hours":0,"minutes":0,"seconds":0},"isPositive":false}`,
		},
		{
			Name: "months", Args: `{"date1":"2026-01-01T00:00:00.000Z","date2":"2026-06-01T00:00:00.000Z"}`,
			Want: `{"from":"2026-01-01T00:00:00.000Z","to":"2026-06-01T00:00:00.000Z","difference":{"years":0.41,"months":4.96,"weeks":21.57,"days":151,"hours":3624,"minutes":217440,"seconds":13046400},"calendar":{"years":0,"months":5,"days":0,"hours":0,"minutes":0,"seconds":0},"isPositive":true}`,
		},
		{
			Name: "weeks", Args: `{"date1":"2024-01-01","date2":"2024-01-08","unit":"weeks"}`,
			Want: `{"from":"2024-01-01T00:00:00.000Z","to":"2024-01-08T00:00:00.000Z","difference":1,"calendar":{"years":0,"months":0,"days":7,"hours":0,"minutes":0,"seconds":0},"unit":"weeks"}`,
		},
		{Name: "years", Args: `{"date1":"2000-01-01","date2":"2024-01-01","unit":"years"}`, Check: hasField("difference", "24")},
		{Name: "one month", Args: `{"date1":"2024-01-01","date2":"2024-02-01","unit":"months"}`, Check: hasField("difference", "1.02")},
		{Name: "leap day", Args: `{"date1":"2024-02-28","date2":"2024-03-01","unit":"days"}`, Check: hasField("difference", "2")},
		{Name: "no leap day", Args: `{"date1":"1900-02-28","date2":"1900-03-01","unit":"days"}`, Check: hasField("difference", "1")},
		{
			Name: "zones", Args: `{"date1":"2026-06-15T10:00:00+02:00","date2":"2026-06-15T10:00:00-04:00","unit":"hours"}`,
			Want: `{"from":"2026-06-15T10:00:00.000+02:00","to":"2026-06-15T10:00:00.000-04:00","difference":6,"calendar":{"years":0,"months":0,"days":0,"hours":6,"minutes":0,"seconds":0},"unit":"hours"}`,
		},
		{
			Name: "parts", Args: `{"date1":"2026-06-15T10:00:00Z","date2":"2026-06-15T10:00:01.5Z","unit":"seconds"}`,
			Check: hasField("difference", "1.5"),
		},
		{Name: "half days", Args: `{"date1":"2026-06-15","date2":"2026-06-16T12:00:00Z","unit":"days"}`, Check: hasField("difference", "1.5")},
		{Name: "all of time", Args: `{"date1":"0001-01-01","date2":"9999-12-31","unit":"days"}`, Check: hasField("difference", "3652058")},
		{Name: "until today", Args: `{"date1":"2026-01-01","date2":"today","unit":"minutes"}`, Check: hasField("difference", "1440")},
		{
			Name: "calendar", Args: `{"date1":"2024-01-01","date2":"2024-02-01","unit":"months","timezone":"UTC"}`,
			Check: hasField("difference", "1"),
		},
		{
			Name: "all of a calendar", Args: `{"date1":"2026-03-28","date2":"2026-03-30T12:00","timezone":"Europe/Berlin"}`,
			Want: `{"from":"2026-03-28T00:00:00.000+01:00","to":"2026-03-30T12:00:00.000+02:00","difference":{"years":0.01,"months":0.08,"weeks":0.36,"days":2.5,"hours":59,"minutes":3540,"seconds":212400},"calendar":{"years":0,"months":0,"days":2,"hours":12,"minutes":0,"seconds":0},"isPositive":true}`,
		},
		{
			Name: "no zone", Args: `{"date1":"2026-01-01","date2":"2026-02-01","timezone":"Mars/Base"}`, Fails: tool.ValidationError,
			Message: "timezone: Invalid timezone",
		},
		{Name: "no date1", Args: `{"date1":"soon","date2":"2026-01-01"}`, Fails: tool.ValidationError, Message: "Invalid date format: 'soon'"},
		{
			Name: "no date2", Args: `{"date1":"2026-01-01","date2":"2023-02-29"}`, Fails: tool.ValidationError,
			Message: "Invalid date format: '2023-02-29'",
		},
		{Name: "unit", Args: `{"date1":"2026-01-01","date2":"2026-01-02","unit":"eons"}`, Fails: tool.ValidationError, Message: "unit"},
		{Name: "missing", Args: `{"date1":"2026-01-01"}`, Fails: tool.ValidationError, Message: "date2"},
	})
}
