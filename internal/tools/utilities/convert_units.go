package utilities

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/calc"
	"github.com/helve-dev/helve/internal/lib/units"
	"github.com/helve-dev/helve/tool"
)

type convertUnitsArgs struct {
	Value float64 `json:"value" alias:"amount" doc:"The number to convert."`
	From  string  `json:"from" doc:"Unit of value: a symbol or a name, such as km, feet, m2, 'square miles', km/h, °C, lb, gal (US), MB, psi, kWh, hp, deg or mpg."`
	To    string  `json:"to" doc:"Unit to convert to, of the same kind."`
}

type convertUnitsResult struct {
	From     amountOf `json:"from"`
	To       amountOf `json:"to"`
	Category string   `json:"category" doc:"What both units measure."`
}

type amountOf struct {
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
}

const (
	// convertedPlaces is the number of decimals of a converted value, and
	// convertedDigits the number of digits that small values keep in any case.
	convertedPlaces = 6
	convertedDigits = 6
)

var _ = tool.Add(Set, tool.Spec[convertUnitsArgs, convertUnitsResult]{
	Name: "convert_units",
	Description: "Convert a value between units of length, weight, temperature, volume, area, speed, time, data, pressure, energy, power, " +
		"force, angle, frequency or fuel economy; returns both values and what they measure.",
	Tags: []string{
		"convert", "unit", "metre", "kilo", "fahrenheit", "celsius", "cm", "inch", "dollar", "euro",
		"length", "weight", "mass", "temperature", "volume", "area", "speed", "pressure", "energy", "meter", "mile", "pound",
	},
	Group:      "conversion",
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Errors:     []tool.Kind{},
	Example:    `{"value": 26.2, "from": "miles", "to": "km"}`,
	Timeout:    5 * time.Second,
	Run:        convertUnits,
})

func convertUnits(_ context.Context, _ *tool.Call, args convertUnitsArgs) (convertUnitsResult, error) {
	from, err := units.Find(args.From, "")
	if err != nil {
		return convertUnitsResult{}, err
	}
	to, err := units.Find(args.To, from.Category)
	if err != nil {
		return convertUnitsResult{}, err
	}
	if from.Category != to.Category {
		return convertUnitsResult{}, tool.Fail(tool.ValidationError, "Cannot convert %s (%s) to %s (%s). Choose units that measure the same.",
			strings.TrimSpace(args.From), from.Category, strings.TrimSpace(args.To), to.Category)
	}
	converted, err := units.Convert(calc.RatOf(args.Value, -1), from, to)
	if err != nil {
		return convertUnitsResult{}, err
	}
	f, _ := converted.Float64()
	if math.IsInf(f, 0) {
		return convertUnitsResult{}, calc.TooLargeResult()
	}
	return convertUnitsResult{
		From:     amountOf{args.Value, strings.TrimSpace(args.From)},
		To:       amountOf{calc.RoundFloat(f, convertedPlaces, convertedDigits), strings.TrimSpace(args.To)},
		Category: from.Category,
	}, nil
}
