package utilities

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/lib/dates"
	"github.com/helve-dev/helve/tool"
)

type dateAddArgs struct {
	Date     string  `json:"date" doc:"Date to start from, in ISO 8601 such as 2026-06-15 or 2026-06-15T10:30:00+02:00, or now, today, tomorrow or yesterday."`
	Amount   float64 `json:"amount" doc:"How many units to add; below 0 to take away."`
	Unit     string  `json:"unit" enum:"seconds,minutes,hours,days,weeks,months,years"`
	Timezone *string `json:"timezone,omitempty" doc:"IANA time zone whose clock counts, and of a date without an offset; UTC when left out."`
}

type dateAddResult struct {
	Original        string    `json:"original" doc:"RFC 3339, as is result."`
	Result          string    `json:"result"`
	ResultFormatted string    `json:"resultFormatted"`
	Added           dateAdded `json:"added"`
}

type dateAdded struct {
	Amount float64 `json:"amount"`
	Unit   string  `json:"unit"`
}

var _ = tool.Add(Set, tool.Spec[dateAddArgs, dateAddResult]{
	Name: "date_add",
	Description: "Add an amount of time to a date or take it away, keeping month ends, leap years and summer time right; " +
		"returns both dates and the new one as people read it.",
	Tags:       []string{"date add", "add days", "next", "previous", "subtract", "deadline", "later", "ago"},
	Group:      "utilities",
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Errors:     []tool.Kind{},
	Example:    `{"date": "2026-01-31", "amount": 1, "unit": "months"}`,
	Timeout:    5 * time.Second,
	Run:        dateAdd,
})

func dateAdd(_ context.Context, call *tool.Call, args dateAddArgs) (dateAddResult, error) {
	from, err := dateIn(call, args.Date, args.Timezone)
	if err != nil {
		return dateAddResult{}, err
	}
	to, err := dates.Shift(from, args.Amount, args.Unit)
	if err != nil {
		return dateAddResult{}, err
	}
	return dateAddResult{
		Original:        dates.ISO(from),
		Result:          dates.ISO(to),
		ResultFormatted: to.Format("Monday, January 2, 2006 at 3:04 PM"),
		Added:           dateAdded{args.Amount, args.Unit},
	}, nil
}

// dateIn parses a date and, if a zone is given, converts it to that zone.
func dateIn(call *tool.Call, text string, timezone *string) (time.Time, error) {
	zone, err := dates.ZoneOrUTC(timezone)
	if err != nil {
		return time.Time{}, err
	}
	t, err := dates.Read(text, zone, call.Clock.Now())
	if err != nil {
		return time.Time{}, err
	}
	if timezone != nil && *timezone != "" {
		return dates.WithinCalendar(t.In(zone))
	}
	return t, nil
}
