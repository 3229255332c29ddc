package utilities

import (
	"context"
	"encoding/json"
	"time"

	"github.com/helve-dev/helve/internal/lib/calc"
	"github.com/helve-dev/helve/internal/lib/sample"
	"github.com/helve-dev/helve/tool"
)

type statisticsArgs struct {
	Numbers    json.RawMessage `json:"numbers" doc:"The numbers: a JSON array such as '[1, 2, 3]', as text or as it is, or text with numbers between commas."`
	Percentile *float64        `json:"percentile,omitempty" doc:"A percentile to work out beside the quartiles, 0 to 100." min:"0" max:"100"`
}

var _ = tool.Add(Set, tool.Spec[statisticsArgs, *sample.Summary]{
	Name: "statistics",
	Description: "Describe a list of numbers: returns count, sum, mean, median, mode, variance, standard deviation, range, quartiles and, " +
		"if asked for, a percentile.",
	Tags:       []string{"statistics", "average", "mean", "median", "std", "sum", "variance", "deviation", "percentile", "quartile"},
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Errors:     []tool.Kind{},
	Example:    `{"numbers": "[12, 15, 15, 20, 38]", "percentile": 90}`,
	Timeout:    10 * time.Second,
	Run:        statistics,
})

func statistics(_ context.Context, _ *tool.Call, args statisticsArgs) (*sample.Summary, error) {
	numbers, err := sample.Read(args.Numbers)
	if err != nil {
		return nil, err
	}
	m := sample.Measure(numbers.Numbers)
	res, err := m.Describe()
	if err != nil {
		return nil, err
	}
	res.Ignored = numbers.Ignored
	if p := args.Percentile; p != nil {
		res.RequestedPercentile = &sample.Percentile{Percentile: *p, Value: sample.Exactly(m.Percentile(calc.RatOf(*p, -1)))}
	}
	return res, nil
}
