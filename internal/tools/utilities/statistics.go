package utilities

import (
	"context"
	"encoding/json"
	"time"

	"github.com/helve-dev/helve/tool"
)

type statisticsArgs struct {
	Numbers    json.RawMessage `json:"numbers" doc:"The numbers: a JSON array such as '[1, 2, 3]', as text or as it is, or text with numbers between commas."`
	Percentile *float64        `json:"percentile,omitempty" doc:"A percentile to work out beside the quartiles, 0 to 100." min:"0" max:"100"`
}

type statisticsResult struct {
	Count               int         `json:"count"`
	Sum                 float64     `json:"sum"`
	Mean                float64     `json:"mean"`
	Median              float64     `json:"median"`
	Mode                any         `json:"mode" doc:"The numbers that occur most, or 'no mode' if each occurs once."`
	Variance            float64     `json:"variance" doc:"Of the whole population."`
	StandardDeviation   float64     `json:"standardDeviation" doc:"Of the whole population."`
	Min                 float64     `json:"min"`
	Max                 float64     `json:"max"`
	Range               float64     `json:"range"`
	Quartiles           quartiles   `json:"quartiles" doc:"Interpolated linearly, as percentiles are."`
	RequestedPercentile *percentile `json:"requestedPercentile,omitempty"`
	Ignored             []string    `json:"ignored,omitempty" doc:"Entries that are no numbers and were left out."`

	sorted []float64
}

type quartiles struct {
	Q1 float64 `json:"q1"`
	Q2 float64 `json:"q2"`
	Q3 float64 `json:"q3"`
}

type percentile struct {
	Percentile float64 `json:"percentile"`
	Value      float64 `json:"value"`
}

var _ = tool.Add(Set, tool.Spec[statisticsArgs, *statisticsResult]{
	Name:        "statistics",
	Description: "Describe a list of numbers: returns count, sum, mean, median, mode, variance, standard deviation, range, quartiles and, if asked for, a percentile.",
	Tags:        []string{"statistics", "average", "mean", "median", "std", "sum", "variance", "deviation", "percentile", "quartile"},
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Errors:      []tool.Kind{},
	Example:     `{"numbers": "[12, 15, 15, 20, 38]", "percentile": 90}`,
	Timeout:     10 * time.Second,
	Run:         statistics,
})

func statistics(_ context.Context, _ *tool.Call, args statisticsArgs) (*statisticsResult, error) {
	numbers, err := readSample(args.Numbers)
	if err != nil {
		return nil, err
	}
	res, err := numbers.describe()
	if err != nil {
		return nil, err
	}
	if p := args.Percentile; p != nil {
		res.RequestedPercentile = &percentile{*p, measure(percentileOf(res.sorted, *p))}
	}
	return res, nil
}
