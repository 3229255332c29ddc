// Package weather holds the tools that report the weather of a place, now and in the next
// days.
//
// Open-Meteo is asked first; it needs no account. If it fails, the services openweathermap
// and weatherapi are asked, in this order, as far as the caller has an account of them. A
// place that Open-Meteo does not know is not looked up elsewhere. Values are rounded, and
// values that a provider does not report are left out. Times are those of the place.
//
// Nothing here checks that a forecast is right.
package weather

import (
	"context"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// Set holds the tools of this package; each file adds its own.
var Set = tool.NewSet("Weather", "weather")

// query holds a question to a provider.
type query struct {
	place string
	// days is the number of days of a forecast; 0 asks for the current weather.
	days int
}

// report is the answer of a provider, in metric units.
type report struct {
	place, zone string
	now         conditions
	days        []day
}

// conditions is the weather at a moment. What is unknown is nil.
type conditions struct {
	temperature, feelsLike *float64 // °C
	humidity, cloud        *float64 // %
	wind, from             *float64 // km/h, degrees
	visibility             *float64 // km
	pressure               *float64 // hPa
	uv                     *float64
	day                    *bool
	sky                    *int // WMO code
}

// day is the weather of a day. What is unknown is nil or empty.
type day struct {
	date                       string
	high, low, avg             *float64 // °C
	humidity, rain             *float64 // %
	uv                         *float64
	sunrise, sunset, moonPhase string
	sky                        *int // WMO code
}

// needPlace refuses a blank location.
func needPlace(location string) error {
	if strings.TrimSpace(location) == "" {
		return tool.Fail(tool.ValidationError, "Location is required")
	}
	return nil
}

// noPlace returns the error for a location that a provider does not know.
func noPlace(location string) error {
	return tool.Fail(tool.NotFound, "Location not found: %s. Check the spelling, or name a larger place nearby.", strings.TrimSpace(location))
}

// ask asks the providers in turn, and returns the first answer and the provider's name.
func ask(ctx context.Context, call *tool.Call, q query) (*report, string, error) {
	var failures []*tool.Error
	for _, p := range providers {
		got, err := p.within(ctx, call, q)
		switch {
		case err == nil && got != nil:
			return got, p.name, nil
		case err == nil: // no account
			continue
		}
		e := tool.AsError(err)
		if e.Kind == tool.NotFound || ctx.Err() != nil {
			return nil, "", e
		}
		failures = append(failures, e)
	}
	return nil, "", joined(failures)
}

// joined returns the first failure with the messages of all.
func joined(failures []*tool.Error) error {
	messages := make([]string, len(failures))
	for i, e := range failures {
		messages[i] = e.Msg
	}
	return tool.Fail(failures[0].Kind, "%s", strings.Join(messages, "; ")).Because(failures[0].Cause)
}
