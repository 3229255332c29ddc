package utilities

import (
	"context"
	"math/big"
	"time"

	"github.com/helve-dev/helve/internal/lib/calc"
	"github.com/helve-dev/helve/internal/lib/dates"
	"github.com/helve-dev/helve/tool"
)

type dateDiffArgs struct {
	Date1 string `json:"date1" doc:"Date to count from, in ISO 8601 such as 2026-06-15 or 2026-06-15T10:30:00+02:00, or now, today, tomorrow or yesterday; UTC without an offset."`
	Date2 string `json:"date2" doc:"Date to count to."`
	Unit  string `json:"unit,omitempty" doc:"One unit, to get a single number; all returns the whole difference in each of them." enum:"days,hours,minutes,seconds,weeks,months,years,all" default:"all"`
}

type dateDiffResult struct {
	From       string `json:"from" doc:"RFC 3339, as is to."`
	To         string `json:"to"`
	Difference any    `json:"difference" doc:"A number for one unit, else an object of numbers by unit; below 0 if date2 is earlier."`
	IsPositive *bool  `json:"isPositive,omitempty" doc:"Whether date2 is not before date1, where unit is all."`
	Unit       string `json:"unit,omitempty"`
}

type dateDifference struct {
	Years   float64 `json:"years"`
	Months  float64 `json:"months"`
	Weeks   float64 `json:"weeks"`
	Days    float64 `json:"days"`
	Hours   float64 `json:"hours"`
	Minutes float64 `json:"minutes"`
	Seconds float64 `json:"seconds"`
}

var _ = tool.Add(Set, tool.Spec[dateDiffArgs, dateDiffResult]{
	Name:        "date_diff",
	Description: "Tell how long it is from one date to another, in one unit or in all from years to seconds, to two decimals; returns a negative difference if the second date is earlier.",
	Tags:        []string{"date diff", "how many days", "duration", "difference", "between", "days until", "age", "countdown"},
	Group:       "dateTime",
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Errors:      []tool.Kind{},
	Example:     `{"date1": "2026-01-01", "date2": "2026-06-01"}`,
	Timeout:     5 * time.Second,
	Run:         dateDiff,
})

func dateDiff(_ context.Context, call *tool.Call, args dateDiffArgs) (dateDiffResult, error) {
	from, err := dates.Read(args.Date1, time.UTC, call.Clock.Now())
	if err != nil {
		return dateDiffResult{}, err
	}
	to, err := dates.Read(args.Date2, time.UTC, call.Clock.Now())
	if err != nil {
		return dateDiffResult{}, err
	}
	res := dateDiffResult{From: dates.ISO(from), To: dates.ISO(to)}
	// A difference of two times in Go is limited to 292 years, a difference in
	// milliseconds is not.
	ms := to.UnixMilli() - from.UnixMilli()
	if args.Unit != "" && args.Unit != "all" {
		res.Difference, res.Unit = inUnits(ms, args.Unit), args.Unit
		return res, nil
	}
	positive := ms >= 0
	res.IsPositive = &positive
	res.Difference = dateDifference{
		Years: inUnits(ms, "years"), Months: inUnits(ms, "months"), Weeks: inUnits(ms, "weeks"), Days: inUnits(ms, "days"),
		Hours: inUnits(ms, "hours"), Minutes: inUnits(ms, "minutes"), Seconds: inUnits(ms, "seconds"),
	}
	return res, nil
}

// inUnits converts milliseconds to units, with two decimals. Years and months are
// average ones, of 365.25 and 30.44 days, because a difference has no calendar.
func inUnits(ms int64, unit string) float64 {
	length := big.NewRat(dates.Spans[unit], 1)
	switch unit {
	case "years":
		length.SetFrac64(36525*dates.Spans["days"], 100)
	case "months":
		length.SetFrac64(3044*dates.Spans["days"], 100)
	}
	n := calc.Rounded(new(big.Rat).Quo(big.NewRat(ms, 1000), length), 2)
	f, _ := n.Float64()
	return f
}
