package weather

import (
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

type weatherArgs struct {
	Location string `json:"location" doc:"City, or city and region or country, such as Istanbul or Austin, TX; or a postal code." max:"200"`
	Units    string `json:"units,omitempty" doc:"Units of the values." enum:"metric,imperial" default:"metric"`
}

type weatherResult struct {
	Success   bool    `json:"success"`
	Location  string  `json:"location" doc:"Place that was found, with its country."`
	Weather   current `json:"weather"`
	Timezone  string  `json:"timezone,omitempty" doc:"IANA time zone of the place."`
	Provider  string  `json:"provider" doc:"Service that answered." enum:"openmeteo,openweathermap,weatherapi"`
	FetchedAt string  `json:"fetchedAt"`
}

type current struct {
	Temperature string   `json:"temperature,omitempty"`
	FeelsLike   string   `json:"feelsLike,omitempty"`
	Condition   string   `json:"condition"`
	Humidity    string   `json:"humidity,omitempty"`
	Wind        string   `json:"wind,omitempty" doc:"Speed and where it comes from."`
	Visibility  string   `json:"visibility,omitempty"`
	CloudCover  string   `json:"cloudCover,omitempty"`
	Pressure    string   `json:"pressure,omitempty" doc:"At sea level."`
	UVIndex     *float64 `json:"uvIndex,omitempty"`
	IsDay       *bool    `json:"isDay,omitempty"`
	Icon        string   `json:"icon,omitempty"`
}

var _ = tool.Add(Set, tool.Spec[weatherArgs, *weatherResult]{
	Name:        "get_weather",
	Description: "Report the current weather of a place: temperature, sky, wind, humidity and more.",
	Tags:        []string{"weather", "temperature", "rain", "sun", "forecast", "today"},
	Errors:      []tool.Kind{tool.NotFound, tool.NotConfigured, tool.NetworkError, tool.ExecutionError},
	Example:     `{"location":"Istanbul"}`,
	Risk:        tool.Medium,
	Mutates:     false,
	OpenWorld:   true,
	Scopes:      tool.Scopes{Hosts: []string{"*"}}, // base_url may name any host
	Needs:       tool.NeedHTTP | tool.NeedSecrets,
	Timeout:     longest,
	Check:       func(_ context.Context, _ *tool.Call, args weatherArgs) error { return needPlace(args.Location) },
	Run:         getWeather,
})

func getWeather(ctx context.Context, call *tool.Call, args weatherArgs) (*weatherResult, error) {
	got, provider, err := ask(ctx, call, query{place: args.Location})
	if err != nil {
		return nil, err
	}
	u, now := units{args.Units == "imperial"}, got.now
	res := &weatherResult{
		Success: true, Location: got.place, Timezone: got.zone, Provider: provider, FetchedAt: call.Clock.Now().UTC().Format(time.RFC3339),
		Weather: current{
			Temperature: u.temperature(now.temperature), FeelsLike: u.temperature(now.feelsLike), Humidity: percent(now.humidity),
			Wind: u.wind(now.wind, now.from), Visibility: u.distance(now.visibility), CloudCover: percent(now.cloud),
			Pressure: u.pressure(now.pressure), UVIndex: index(now.uv), IsDay: now.day,
		},
	}
	res.Weather.Condition, res.Weather.Icon = shown(now.sky, now.day)
	return res, nil
}
