package utilities

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

type calculateArgs struct {
	Expression string   `json:"expression" doc:"What to work out, such as '2 + 3 * 4', '15% of 200', '100 + 10%', 'sqrt(2)^2', '5!' or '1,000 / 7': + - * / ^ ** %, parentheses, pi, e, and functions such as round(x, n), sin (radians), log (natural), log10 and max."`
	Precision  *float64 `json:"precision,omitempty" doc:"Decimals of the result, 0 to 15." default:"4"`
}

type calculateResult struct {
	Expression string          `json:"expression"`
	Result     json.RawMessage `json:"result" doc:"The number, with every digit that is known."`
	Formatted  string          `json:"formatted" doc:"For people: thousands separated, at most 3 decimals."`
}

const (
	// maxPlaces is how many decimals a float64 can have that mean something.
	maxPlaces       = 15
	defaultPlaces   = 4
	formattedPlaces = 3
)

var _ = tool.Add(Set, tool.Spec[calculateArgs, calculateResult]{
	Name:        "calculate",
	Description: "Work out a mathematical expression with percentages, powers and functions, whenever a number must be right, and return it as a number and formatted for people.",
	Tags:        []string{"calculate", "math", "formula", "operation", "compute", "arithmetic", "calculator", "percent", "evaluate"},
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Errors:      []tool.Kind{},
	Example:     `{"expression": "(1250 - 15%) * 2^3"}`,
	Timeout:     5 * time.Second,
	Run:         calculate,
})

func calculate(ctx context.Context, _ *tool.Call, args calculateArgs) (calculateResult, error) {
	places := defaultPlaces
	if args.Precision != nil {
		places = min(max(cutToInt(*args.Precision), 0), maxPlaces)
	}
	q, err := evaluate(ctx, args.Expression)
	if err != nil {
		return calculateResult{}, err
	}
	return calculateResult{
		Expression: strings.ToValidUTF8(args.Expression, "\uFFFD"),
		Result:     json.RawMessage(q.decimal(places)),
		Formatted:  grouped(q.decimal(min(places, formattedPlaces))),
	}, nil
}
