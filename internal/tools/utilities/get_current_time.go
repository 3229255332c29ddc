package utilities

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/lib/dates"
	"github.com/helve-dev/helve/tool"
)

type getCurrentTimeArgs struct {
	Timezone *string `json:"timezone,omitempty" doc:"IANA time zone, such as 'America/New_York' or 'Asia/Shanghai'; UTC when left out." default:"UTC"`
	Format   string  `json:"format,omitempty" doc:"iso8601 for programs (2026-11-20T15:04:05+01:00), human_readable for people." enum:"iso8601,human_readable,ISO8601" default:"iso8601"`
}

var _ = tool.Add(Set, tool.Spec[getCurrentTimeArgs, string]{
	Name:        "get_current_time",
	Description: "Get the current date and time, in UTC or in a given time zone.",
	Tags:        []string{"time", "date", "now", "today", "clock", "timezone"},
	Errors:      []tool.Kind{},
	Example:     `{"timezone":"Europe/Oslo"}`,
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Timeout:     5 * time.Second,
	Run:         getCurrentTime,
})

func getCurrentTime(_ context.Context, call *tool.Call, args getCurrentTimeArgs) (string, error) {
	zone, err := dates.ZoneOrUTC(args.Timezone)
	if err != nil {
		return "", err
	}
	now := call.Clock.Now().In(zone)
	if args.Format == "human_readable" {
		return now.Format("Monday, January 2, 2006 at 3:04:05 PM MST"), nil
	}
	return now.Format(time.RFC3339), nil
}
