package utilities

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/lib/dates"
	"github.com/helve-dev/helve/tool"
)

type getCurrentDatetimeArgs struct {
	Timezone *string `json:"timezone,omitempty" doc:"IANA time zone, such as 'Europe/Istanbul'; UTC when left out, as for 'local'."`
	Format   string  `json:"format,omitempty" doc:"iso, locale and unix return that form alone, all returns everything." enum:"iso,locale,unix,all" default:"all"`
}

type currentDatetime struct {
	ISO        string `json:"iso,omitempty" doc:"RFC 3339 in UTC, with milliseconds."`
	Formatted  string `json:"formatted,omitempty" doc:"For people, in the zone."`
	Unix       *int64 `json:"unix,omitempty"`
	UnixMs     *int64 `json:"unixMs,omitempty"`
	Timezone   string `json:"timezone"`
	Date       string `json:"date,omitempty" doc:"In the zone, as are all that follow."`
	Time       string `json:"time,omitempty"`
	DayOfWeek  string `json:"dayOfWeek,omitempty"`
	WeekNumber int    `json:"weekNumber,omitempty" doc:"ISO 8601 week."`
	Quarter    int    `json:"quarter,omitempty"`
	IsWeekend  *bool  `json:"isWeekend,omitempty" doc:"Saturday or Sunday."`
}

var _ = tool.Add(Set, tool.Spec[getCurrentDatetimeArgs, currentDatetime]{
	Name: "get_current_datetime",
	Description: "Tell the current date and time in a time zone, whenever an answer depends on today or now; " +
		"returns ISO, Unix and readable forms, weekday, week number and quarter.",
	Tags:       []string{"time", "date", "now", "today", "what time", "clock", "weekday", "week", "quarter", "timezone"},
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Errors:     []tool.Kind{},
	Example:    `{"timezone": "Europe/Istanbul"}`,
	Timeout:    5 * time.Second,
	Run:        getCurrentDatetime,
})

func getCurrentDatetime(_ context.Context, call *tool.Call, args getCurrentDatetimeArgs) (currentDatetime, error) {
	zone, err := dates.ZoneOrUTC(args.Timezone)
	if err != nil {
		return currentDatetime{}, err
	}
	now := call.Clock.Now().In(zone)
	iso, readable := now.UTC().Format(dates.Timestamp), now.Format("Monday, 01/02/2006, 15:04:05")
	unix, unixMs := now.Unix(), now.UnixMilli()
	res := currentDatetime{Timezone: zone.String()}
	switch args.Format {
	case "iso":
		res.ISO = iso
	case "locale":
		res.Formatted = readable
	case "unix":
		res.Unix, res.UnixMs = &unix, &unixMs
	default:
		_, week := now.ISOWeek()
		weekend := now.Weekday() == time.Saturday || now.Weekday() == time.Sunday
		res = currentDatetime{
			ISO: iso, Formatted: readable, Unix: &unix, UnixMs: &unixMs, Timezone: zone.String(),
			Date: now.Format(time.DateOnly), Time: now.Format(time.TimeOnly), DayOfWeek: now.Weekday().String(),
			WeekNumber: week, Quarter: (int(now.Month())-1)/3 + 1, IsWeekend: &weekend,
		}
	}
	return res, nil
}
