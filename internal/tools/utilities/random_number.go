package utilities

import (
	"context"
	"math"
	"math/big"
	"strconv"
	"time"

	"github.com/helve-dev/helve/internal/lib/calc"
	"github.com/helve-dev/helve/internal/lib/random"
	"github.com/helve-dev/helve/tool"
)

type randomNumberArgs struct {
	Min     float64  `json:"min,omitempty" doc:"Smallest number that can come." default:"0"`
	Max     float64  `json:"max,omitempty" doc:"Exclusive: numbers stay below it, so a die is min 1 and max 7." default:"100"`
	Count   *float64 `json:"count,omitempty" doc:"How many numbers, at most 100." default:"1"`
	Integer bool     `json:"integer,omitempty" doc:"Whole numbers; false for any numbers." default:"true"`
}

type randomNumberResult struct {
	Number  *float64  `json:"number,omitempty" doc:"The number, if one was asked for."`
	Numbers []float64 `json:"numbers,omitempty" doc:"The numbers, if more were asked for."`
	Count   int       `json:"count,omitempty"`
	Min     float64   `json:"min"`
	Max     float64   `json:"max"`
}

const maxRandomNumbers = 100

var _ = tool.Add(Set, tool.Spec[randomNumberArgs, randomNumberResult]{
	Name: "random_number",
	Description: "Draw one or more unpredictable random numbers from min up to but without max, for draws, dice and samples; " +
		"returns the number or numbers and the range.",
	Tags:       []string{"random number", "luck", "dice", "random", "draw", "raffle", "lottery", "coin"},
	Group:      "generation",
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Errors:     []tool.Kind{},
	Example:    `{"min": 1, "max": 7}`,
	Timeout:    5 * time.Second,
	Run:        randomNumber,
})

func randomNumber(_ context.Context, call *tool.Call, args randomNumberArgs) (randomNumberResult, error) {
	if args.Min >= args.Max {
		return randomNumberResult{}, tool.Fail(tool.ValidationError,
			"min must be less than max. Numbers are drawn from min up to, but without, max.")
	}
	draw, err := drawerOf(&args)
	if err != nil {
		return randomNumberResult{}, err
	}
	if args.Integer {
		call.Note("max is exclusive: the whole numbers from %s to %s were drawn from.",
			wholeText(math.Ceil(args.Min)), wholeText(math.Ceil(args.Max)-1))
	}
	res := randomNumberResult{Min: args.Min, Max: args.Max}
	count := random.Count(calc.ToCount(args.Count), 1, maxRandomNumbers)
	if count == 1 {
		n := draw()
		res.Number = &n
		return res, nil
	}
	res.Count = count
	for range count {
		res.Numbers = append(res.Numbers, draw())
	}
	return res, nil
}

func wholeText(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func drawerOf(args *randomNumberArgs) (func() float64, error) {
	if !args.Integer {
		return func() float64 {
			u := random.Unit()
			n := args.Min*(1-u) + args.Max*u // max - min may be too large
			if n < args.Min || n >= args.Max {
				return args.Min // rounded out of the range
			}
			return n
		}, nil
	}
	low, high := math.Ceil(args.Min), math.Ceil(args.Max)
	switch {
	case low < -calc.MaxExactInteger || high > calc.MaxExactInteger:
		return nil, tool.Fail(tool.ValidationError,
			"Whole numbers are exact up to 9007199254740992 only. Choose a smaller range, or set integer to false.")
	case low >= high:
		return nil, tool.Fail(tool.ValidationError,
			"No whole number lies from min up to, but without, max. Choose a wider range, or set integer to false.")
	}
	span := new(big.Int).SetInt64(int64(high) - int64(low))
	return func() float64 { return low + float64(random.BelowBig(span).Int64()) }, nil
}
