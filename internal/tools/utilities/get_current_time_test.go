package utilities

import (
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestGetCurrentTime(t *testing.T) {
	winter := tool.Call{Clock: tooltest.Clock{T: time.Date(2026, 11, 20, 14, 4, 5, 678e6, time.UTC)}}
	tooltest.Run(t, Set, "get_current_time", winter, []tooltest.Case{
		{Name: "defaults", Args: `{}`, Want: `"2026-11-20T14:04:05Z"`},
		{Name: "zone", Args: `{"timezone":"Europe/Paris"}`, Want: `"2026-11-20T15:04:05+01:00"`},
		{Name: "zone west", Args: `{"timezone":"America/New_York","format":"iso8601"}`, Want: `"2026-11-20T09:04:05-05:00"`},
		{Name: "half hour", Args: `{"timezone":"Asia/Kolkata"}`, Want: `"2026-11-20T19:34:05+05:30"`},
		{Name: "upper case", Args: `{"format":"ISO8601"}`, Want: `"2026-11-20T14:04:05Z"`},
		{Name: "human", Args: `{"format":"human_readable"}`, Want: `"Friday, November 20, 2026 at 2:04:05 PM UTC"`},
		{
			Name: "human in a zone",
			Args: `{"timezone":"Europe/Paris","format":"human_readable"}`,
			Want: `"Friday, November 20, 2026 at 3:04:05 PM CET"`,
		},
		{
			Name: "next day",
			Args: `{"timezone":"Pacific/Auckland","format":"human_readable"}`,
			Want: `"Saturday, November 21, 2026 at 3:04:05 AM NZDT"`,
		},
		{Name: "format", Args: `{"format":"unix"}`, Fails: tool.ValidationError, Message: "human_readable"},
		{Name: "type", Args: `{"timezone":5}`, Fails: tool.ValidationError, Message: "timezone"},
	})
	summer := tool.Call{Clock: tooltest.Clock{T: time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)}}
	tooltest.Run(t, Set, "get_current_time", summer, []tooltest.Case{
		{Name: "an empty zone", Args: `{"timezone":""}`, Want: `"2026-07-01T12:00:00Z"`},
		{Name: "utc", Args: `{"timezone":"utc"}`, Want: `"2026-07-01T12:00:00Z"`},
		{
			Name: "daylight saving",
			Args: `{"timezone":"Europe/Paris","format":"human_readable"}`,
			Want: `"Wednesday, July 1, 2026 at 2:00:00 PM CEST"`,
		},
	})
}

func TestGetCurrentTimeRefusesZones(t *testing.T) {
	var cases []tooltest.Case
	for _, zone := range []string{
		"Local", "localtime", "Mars/Olympus", "../etc/passwd", "/etc/localtime", "Europe/../Europe/Paris", "right/Europe/Paris", "UTC+2",
		"+02:00", "Europe/Paris ", "zone.tab",
	} {
		cases = append(cases, tooltest.Case{
			Name:    zone,
			Args:    `{"timezone":"` + zone + `"}`,
			Fails:   tool.ValidationError,
			Message: "Invalid timezone: '" + zone + "'. Use IANA timezone format (e.g., 'America/New_York').",
		})
	}
	cases = append(cases, tooltest.Case{
		Name: "a long name", Args: `{"timezone":"` + strings.Repeat("x", 5000) + `"}`, Fails: tool.ValidationError,
		Message: "Invalid timezone: '" + strings.Repeat("x", 30) + "...'.",
	})
	tooltest.Run(t, Set, "get_current_time", tool.Call{}, cases)
}
