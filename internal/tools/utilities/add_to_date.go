package utilities

import (
	"context"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/dates"
	"github.com/helve-dev/helve/tool"
)

type addToDateArgs struct {
	Date     string   `json:"date" doc:"Date to start from, in ISO 8601 such as 2026-06-15 or 2026-06-15T10:30:00+02:00, or now, today, tomorrow or yesterday."`
	Years    *float64 `json:"years,omitempty" doc:"Years to add; this and all that follow may be below 0."`
	Months   *float64 `json:"months,omitempty"`
	Weeks    *float64 `json:"weeks,omitempty"`
	Days     *float64 `json:"days,omitempty"`
	Hours    *float64 `json:"hours,omitempty"`
	Minutes  *float64 `json:"minutes,omitempty"`
	Seconds  *float64 `json:"seconds,omitempty"`
	Amount   *float64 `json:"amount,omitempty" doc:"How many of unit to add, in place of or beside the others."`
	Unit     string   `json:"unit,omitempty" doc:"Unit of amount." enum:"seconds,minutes,hours,days,weeks,months,years"`
	Timezone *string  `json:"timezone,omitempty" doc:"IANA time zone whose clock counts, and of a date without an offset; UTC when left out."`
}

type addToDateResult struct {
	Original        string      `json:"original" doc:"RFC 3339, as is result."`
	Result          string      `json:"result"`
	ResultFormatted string      `json:"resultFormatted"`
	Added           []dateAdded `json:"added" doc:"What was added, in this order."`
}

var _ = tool.Add(Set, tool.Spec[addToDateArgs, addToDateResult]{
	Name: "add_to_date",
	Description: "Add several units of time to a date at once, such as a year, two months and ten days, or take them away; " +
		"returns both dates and the new one as people read it.",
	Tags:       []string{"add to date", "date add", "duration", "later", "deadline", "due", "subtract", "period"},
	Group:      "dateTime",
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Errors:     []tool.Kind{},
	Example:    `{"date": "2026-01-15", "months": 1, "days": 10}`,
	Timeout:    5 * time.Second,
	Run:        addToDate,
})

func addToDate(_ context.Context, call *tool.Call, args addToDateArgs) (addToDateResult, error) {
	steps, err := stepsOf(&args)
	if err != nil {
		return addToDateResult{}, err
	}
	from, err := dateIn(call, args.Date, args.Timezone)
	if err != nil {
		return addToDateResult{}, err
	}
	to := from
	for _, step := range steps {
		if to, err = dates.Shift(to, step.Amount, step.Unit); err != nil {
			return addToDateResult{}, err
		}
	}
	return addToDateResult{
		Original:        dates.ISO(from),
		Result:          dates.ISO(to),
		ResultFormatted: to.Format("Monday, January 2, 2006 at 3:04 PM"),
		Added:           steps,
	}, nil
}

// stepsOf lists the amounts to add, the longest units first: a month after January 15
// plus ten days is February 25.
func stepsOf(args *addToDateArgs) ([]dateAdded, error) {
	if (args.Amount != nil) != (args.Unit != "") {
		return nil, tool.Fail(tool.ValidationError, "amount and unit belong together. Give both, or neither.")
	}
	var added []dateAdded
	var units []string
	for _, given := range []struct {
		amount *float64
		unit   string
	}{
		{args.Years, "years"}, {args.Months, "months"}, {args.Weeks, "weeks"}, {args.Days, "days"},
		{args.Hours, "hours"}, {args.Minutes, "minutes"}, {args.Seconds, "seconds"},
	} {
		units = append(units, given.unit)
		step, wanted := dateAdded{Unit: given.unit}, false
		for _, amount := range []*float64{given.amount, amountIn(args, given.unit)} {
			if amount != nil {
				step.Amount, wanted = step.Amount+*amount, true
			}
		}
		if wanted {
			added = append(added, step)
		}
	}
	if len(added) == 0 {
		return nil, tool.Fail(tool.ValidationError, "Nothing is to be added. Give at least one of %s.", strings.Join(units, ", "))
	}
	return added, nil
}

// amountIn returns amount if unit is the requested one.
func amountIn(args *addToDateArgs, unit string) *float64 {
	if args.Unit != unit {
		return nil
	}
	return args.Amount
}
