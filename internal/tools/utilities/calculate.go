package utilities

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/calc"
	"github.com/helve-dev/helve/tool"
)

type calculateArgs struct {
	Expression string   `json:"expression" doc:"What to work out, such as '2 + 3 * 4', '15% of 200', '100 + 10%', 'sqrt(2)^2', '5!' or '1,000 / 7': + - * / ^ ** %, parentheses, pi, e, and functions such as round(x, n), sin (radians), log (natural), log10 and max."`
	Precision  *float64 `json:"precision,omitempty" doc:"Decimals of the result, 0 to 15; a result nearer to 0 than its last decimal keeps as many significant digits." default:"4"`
}

type calculateResult struct {
	Expression string      `json:"expression"`
	Result     tool.Number `json:"result" doc:"The number, rounded to precision."`
	Formatted  string      `json:"formatted" doc:"For people: thousands separated, at most 3 decimals."`
}

// formattedPlaces is the number of decimals in the formatted result.
const formattedPlaces = 3

var _ = tool.Add(Set, tool.Spec[calculateArgs, calculateResult]{
	Name: "calculate",
	Description: "Work out a mathematical expression with percentages, powers and functions, whenever a number must be right, and return it " +
		"as a number and formatted for people.",
	Tags:       []string{"calculate", "math", "formula", "operation", "compute", "arithmetic", "calculator", "percent", "evaluate"},
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Errors:     []tool.Kind{},
	Example:    `{"expression": "(1250 - 15%) * 2^3"}`,
	Timeout:    5 * time.Second,
	Run:        calculate,
})

func calculate(ctx context.Context, call *tool.Call, args calculateArgs) (calculateResult, error) {
	places := calc.DefaultPlaces
	if args.Precision != nil {
		places = min(max(calc.ToInt(*args.Precision), 0), calc.MaxPlaces)
	}
	q, err := calc.Evaluate(ctx, args.Expression)
	if err != nil {
		return calculateResult{}, err
	}
	text, cut := q.Decimal(places)
	short, _ := q.Decimal(min(places, formattedPlaces))
	if cut {
		call.Note("The result is rounded to %d decimals%s.", places, more(places))
	}
	return calculateResult{
		Expression: strings.ToValidUTF8(args.Expression, "\uFFFD"),
		Result:     tool.Number(text),
		Formatted:  calc.Grouped(short),
	}, nil
}

// more returns a hint how to get more decimals, if there is a way.
func more(places int) string {
	if places == calc.MaxPlaces {
		return ""
	}
	return fmt.Sprintf("; precision gives more, up to %d", calc.MaxPlaces)
}
