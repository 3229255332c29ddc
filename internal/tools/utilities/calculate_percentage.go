package utilities

import (
	"context"
	"encoding/json"
	"math/big"
	"time"

	"github.com/helve-dev/helve/internal/lib/calc"
	"github.com/helve-dev/helve/tool"
)

type percentageArgs struct {
	Value      float64  `json:"value" doc:"The number that is asked about."`
	Percentage *float64 `json:"percentage,omitempty" doc:"Percent to take of value, such as 15."`
	Total      *float64 `json:"total,omitempty" doc:"The whole that value is a part of, to learn how many percent of it value is."`
	NewValue   *float64 `json:"newValue,omitempty" doc:"What value became, to learn by how many percent it changed."`
	Precision  *int     `json:"precision,omitempty" doc:"Decimals of the result, 0 to 15." default:"4"`
}

type percentageResult struct {
	Operation string          `json:"operation" doc:"percent_of, what_percent or percent_change."`
	Result    json.RawMessage `json:"result" doc:"A number: the share of value, or percent."`
	Increased json.RawMessage `json:"increased,omitempty" doc:"A number: value plus the percentage."`
	Decreased json.RawMessage `json:"decreased,omitempty" doc:"A number: value less the percentage."`
	Formatted string          `json:"formatted"`
}

var _ = tool.Add(Set, tool.Spec[percentageArgs, percentageResult]{
	Name: "calculate_percentage",
	Description: "Take a percentage of a value, or tell what percentage it is of a total, or by how many percent it changed; " +
		"returns the exact number and a formatted sentence.",
	Tags:       []string{"percentage", "percent", "calculate", "ratio", "increase", "decrease", "discount", "tip", "change"},
	Group:      "mathStats",
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Errors:     []tool.Kind{},
	Example:    `{"value": 80, "percentage": 15}`,
	Timeout:    5 * time.Second,
	Run:        calculatePercentage,
})

func calculatePercentage(_ context.Context, _ *tool.Call, args percentageArgs) (percentageResult, error) {
	places := calc.DefaultPlaces
	if args.Precision != nil {
		places = min(max(*args.Precision, 0), calc.MaxPlaces)
	}
	given := 0
	for _, p := range []*float64{args.Percentage, args.Total, args.NewValue} {
		if p != nil {
			given++
		}
	}
	if given != 1 {
		return percentageResult{}, tool.Fail(tool.ValidationError,
			"Give exactly one of percentage (to take it of value), total (to see what percentage of it value is) and newValue (to see the change).")
	}
	value := calc.RatOf(args.Value, -1)
	switch {
	case args.Percentage != nil:
		return percentOf(value, calc.RatOf(*args.Percentage, -1), places)
	case args.Total != nil:
		return whatPercent(value, calc.RatOf(*args.Total, -1), places)
	default:
		return percentChange(value, calc.RatOf(*args.NewValue, -1), places)
	}
}

var hundred = big.NewRat(100, 1)

func percentOf(value, percent *big.Rat, places int) (percentageResult, error) {
	share := new(big.Rat).Quo(new(big.Rat).Mul(value, percent), hundred)
	up, down := new(big.Rat).Add(value, share), new(big.Rat).Sub(value, share)
	for _, r := range []*big.Rat{share, up, down} {
		if _, err := calc.Settle(r); err != nil {
			return percentageResult{}, err
		}
	}
	return percentageResult{
		Operation: "percent_of",
		Result:    json.RawMessage(calc.DecimalText(share, places)),
		Increased: json.RawMessage(calc.DecimalText(up, places)),
		Decreased: json.RawMessage(calc.DecimalText(down, places)),
		Formatted: shown(percent) + "% of " + shown(value) + " is " + calc.Grouped(calc.DecimalText(share, places)),
	}, nil
}

func whatPercent(value, total *big.Rat, places int) (percentageResult, error) {
	if total.Sign() == 0 {
		return percentageResult{}, tool.Fail(tool.ValidationError, "total is 0, and nothing is a percentage of it. Give another total.")
	}
	percent := new(big.Rat).Quo(new(big.Rat).Mul(value, hundred), total)
	if _, err := calc.Settle(percent); err != nil {
		return percentageResult{}, err
	}
	return percentageResult{
		Operation: "what_percent",
		Result:    json.RawMessage(calc.DecimalText(percent, places)),
		Formatted: shown(value) + " is " + calc.Grouped(calc.DecimalText(percent, places)) + "% of " + shown(total),
	}, nil
}

// percentChange measures relative to the size of the old value, so a rise from -10 to
// -5 is a rise of 50%.
func percentChange(from, to *big.Rat, places int) (percentageResult, error) {
	if from.Sign() == 0 {
		return percentageResult{}, tool.Fail(tool.ValidationError, "value is 0, and a change from 0 has no percentage. Give another value.")
	}
	change := new(big.Rat).Sub(to, from)
	change.Mul(change, hundred).Quo(change, new(big.Rat).Abs(from))
	if _, err := calc.Settle(change); err != nil {
		return percentageResult{}, err
	}
	sign := ""
	if change.Sign() > 0 {
		sign = "+"
	}
	return percentageResult{
		Operation: "percent_change",
		Result:    json.RawMessage(calc.DecimalText(change, places)),
		Formatted: "from " + shown(from) + " to " + shown(to) + " is " + sign + calc.Grouped(calc.DecimalText(change, places)) + "%",
	}, nil
}

// shown formats a given number for people.
func shown(r *big.Rat) string { return calc.Grouped(calc.DecimalText(r, calc.DefaultPlaces)) }
