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
	Date1 string `json:"date1" doc:"Date to count from, in ISO 8601 such as 2026-06-15 or 2026-06-15T10:30:00+02:00, or now, today, tomorrow or yesterday; without an offset in timezone, else in UTC."`
	Date2 string `json:"date2" doc:"Date to count to."`
	Unit  string `json:"unit,omitempty" doc:"One unit, to get a single number; all returns the whole difference in each of them." enum:"days,hours,minutes,seconds,weeks,months,years,all" default:"all"`
	Zone  string `json:"timezone,omitempty" doc:"IANA name, such as Europe/Berlin, of the zone of dates without an offset. With it, days to years are counted on its calendar and clock: 31 January to 28 February is 1 month. Without it a month is 30.44 days, a year 365.25."`
}

type dateDiffResult struct {
	From       string     `json:"from" doc:"RFC 3339, as is to."`
	To         string     `json:"to"`
	Difference any        `json:"difference" doc:"A number for one unit, else an object of numbers by unit; below 0 if date2 is earlier."`
	Calendar   dates.Span `json:"calendar" doc:"The difference as years, months, days, hours, minutes and seconds that add up, on the calendar of timezone."`
	IsPositive *bool      `json:"isPositive,omitempty" doc:"Whether date2 is not before date1, where unit is all."`
	Unit       string     `json:"unit,omitempty"`
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
	Name: "date_diff",
	Description: "Tell how long it is from one date to another, in one unit or in all from years to seconds, to two decimals, " +
		"and on the calendar of a time zone; returns a negative difference if the second date is earlier.",
	Tags:       []string{"date diff", "how many days", "duration", "difference", "between", "days until", "age", "countdown"},
	Group:      "dateTime",
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Errors:     []tool.Kind{},
	Example:    `{"date1": "2026-01-01", "date2": "2026-06-01"}`,
	Timeout:    5 * time.Second,
	Run:        dateDiff,
})

func dateDiff(_ context.Context, call *tool.Call, args dateDiffArgs) (dateDiffResult, error) {
	zone, err := dates.ZoneIf("timezone", args.Zone)
	if err != nil {
		return dateDiffResult{}, err
	}
	within := zone
	if zone == nil {
		within = time.UTC
	}
	from, err := dates.Read(args.Date1, within, call.Clock.Now())
	if err != nil {
		return dateDiffResult{}, err
	}
	to, err := dates.Read(args.Date2, within, call.Clock.Now())
	if err != nil {
		return dateDiffResult{}, err
	}
	res := dateDiffResult{From: dates.ISO(from), To: dates.ISO(to), Calendar: dates.Between(from.In(within), to)}
	// A difference of two times in Go is limited to 292 years, a difference in
	// milliseconds is not.
	ms := to.UnixMilli() - from.UnixMilli()
	in := func(unit string) float64 { return inUnits(ms, unit) }
	if zone != nil {
		in = func(unit string) float64 { return onCalendar(from.In(zone), to, ms, unit) }
	}
	if args.Unit != "" && args.Unit != "all" {
		res.Difference, res.Unit = in(args.Unit), args.Unit
		return res, nil
	}
	positive := ms >= 0
	res.IsPositive = &positive
	res.Difference = dateDifference{
		Years: in("years"), Months: in("months"), Weeks: in("weeks"), Days: in("days"),
		Hours: in("hours"), Minutes: in("minutes"), Seconds: in("seconds"),
	}
	return res, nil
}

// inUnits converts milliseconds to units, with two decimals. Years and months are
// average ones, of 365.25 and 30.44 days, as long as no calendar is asked for.
func inUnits(ms int64, unit string) float64 {
	length := big.NewRat(dates.Spans[unit], 1)
	switch unit {
	case "years":
		length.SetFrac64(36525*dates.Spans["days"], 100)
	case "months":
		length.SetFrac64(3044*dates.Spans["days"], 100)
	}
	return twoDecimals(new(big.Rat).Quo(big.NewRat(ms, 1000), length))
}

// onCalendar converts the time from one date to another to units on the calendar of the
// zone of from, with two decimals.
func onCalendar(from, to time.Time, ms int64, unit string) float64 {
	switch unit {
	case "years":
		months := dates.InMonths(from, to)
		return twoDecimals(months.Quo(months, big.NewRat(12, 1)))
	case "months":
		return twoDecimals(dates.InMonths(from, to))
	case "weeks":
		days := dates.InDays(from, to)
		return twoDecimals(days.Quo(days, big.NewRat(7, 1)))
	case "days":
		return twoDecimals(dates.InDays(from, to))
	default:
		return inUnits(ms, unit)
	}
}

func twoDecimals(r *big.Rat) float64 {
	f, _ := calc.Rounded(r, 2).Float64()
	return f
}
