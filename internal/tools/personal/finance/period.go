package finance

import (
	"time"

	"github.com/helve-dev/helve/tool"
)

// The periods of a summary.
const (
	thisMonth = "this_month"
	custom    = "custom"
)

// epoch is the first day of the period all_time.
const epoch = "1970-01-01"

// periodOf returns the days of a period that contains or precedes now, on the calendar of
// now's zone. Weeks begin on Monday.
func periodOf(name string, now time.Time) (span, error) {
	y, m, d := now.Date()
	at := func(y int, m time.Month, d int) string {
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	}
	monday := d - (int(now.Weekday())+6)%7
	switch name {
	case "today":
		return span{at(y, m, d), at(y, m, d)}, nil
	case "this_week":
		return span{at(y, m, monday), at(y, m, monday+6)}, nil
	case thisMonth:
		return span{at(y, m, 1), at(y, m+1, 0)}, nil
	case "last_month":
		return span{at(y, m-1, 1), at(y, m, 0)}, nil
	case "this_year":
		return span{at(y, 1, 1), at(y, 12, 31)}, nil
	case "all_time":
		return span{epoch, at(y, m, d)}, nil
	}
	return span{}, tool.Fail(tool.ValidationError, "period is %q, and must be today, this_week, this_month, last_month, this_year or all_time",
		name)
}
