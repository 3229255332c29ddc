package utilities

import (
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestGetCurrentDatetime(t *testing.T) {
	friday := tool.Call{Clock: tooltest.Clock{T: time.Date(2026, 1, 30, 14, 30, 0, 123456789, time.UTC)}}
	tooltest.Run(t, Set, "get_current_datetime", friday, []tooltest.Case{
		{
			Name: "all",
			Args: `{}`,
			Want: `{"iso":"2026-01-30T14:30:00.123Z","formatted":"Friday, 01/30/2026, 14:30:00","unix":1769783400,"unixMs":1769783400123,"timezone":"UTC","date":"2026-01-30","time":"14:30:00","dayOfWeek":"Friday","weekNumber":5,"quarter":1,"isWeekend":false}`,
		},
		{
			Name: "zone",
			Args: `{"timezone":"Pacific/Auckland","format":"all"}`,
			Want: `{"iso":"2026-01-30T14:30:00.123Z","formatted":"Saturday, 01/31/2026, 03:30:00","unix":1769783400,"unixMs":1769783400123,"timezone":"Pacific/Auckland","date":"2026-01-31","time":"03:30:00","dayOfWeek":"Saturday","weekNumber":5,"quarter":1,"isWeekend":true}`,
		},
		{
			Name: "iso",
			Args: `{"format":"iso","timezone":"Europe/Istanbul"}`,
			Want: `{"iso":"2026-01-30T14:30:00.123Z","timezone":"Europe/Istanbul"}`,
		},
		{
			Name: "locale",
			Args: `{"format":"locale","timezone":"Europe/Istanbul"}`,
			Want: `{"formatted":"Friday, 01/30/2026, 17:30:00","timezone":"Europe/Istanbul"}`,
		},
		{Name: "unix", Args: `{"format":"unix"}`, Want: `{"unix":1769783400,"unixMs":1769783400123,"timezone":"UTC"}`},
		{Name: "local", Args: `{"format":"iso","timezone":"local"}`, Want: `{"iso":"2026-01-30T14:30:00.123Z","timezone":"UTC"}`},
		{Name: "lower case", Args: `{"format":"iso","timezone":"utc"}`, Want: `{"iso":"2026-01-30T14:30:00.123Z","timezone":"UTC"}`},
		{Name: "no zone", Args: `{"timezone":"Mars/Olympus"}`, Fails: tool.ValidationError, Message: "Invalid timezone: 'Mars/Olympus'"},
		{Name: "no path", Args: `{"timezone":"../etc/passwd"}`, Fails: tool.ValidationError, Message: "Invalid timezone"},
		{Name: "format", Args: `{"format":"xml"}`, Fails: tool.ValidationError, Message: "format"},
	})
	// The ISO week of a day at the turn of the year can belong to the other year.
	turn := tool.Call{Clock: tooltest.Clock{T: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)}}
	tooltest.Run(t, Set, "get_current_datetime", turn, []tooltest.Case{
		{Name: "turn of the year", Args: `{}`, Check: hasField("weekNumber", "53")},
		{Name: "last quarter", Args: `{"timezone":"America/New_York"}`, Check: hasField("quarter", "4")},
	})
	epoch := tool.Call{Clock: tooltest.Clock{T: time.Unix(0, 0)}}
	tooltest.Run(t, Set, "get_current_datetime", epoch, []tooltest.Case{
		{Name: "zero is a time", Args: `{"format":"unix"}`, Want: `{"unix":0,"unixMs":0,"timezone":"UTC"}`},
	})
}
