package weather

import (
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

type forecastArgs struct {
	Location string   `json:"location" doc:"City, or city and region or country, such as Istanbul or Austin, TX; or a postal code." max:"200"`
	Days     *float64 `json:"days,omitempty" doc:"Days from today, at most 16." default:"5"`
	Units    string   `json:"units,omitempty" doc:"Units of the values." enum:"metric,imperial" default:"metric"`
}

type forecastResult struct {
	Success   bool          `json:"success"`
	Location  string        `json:"location" doc:"Place that was found, with its country."`
	Forecast  []forecastDay `json:"forecast"`
	Days      int           `json:"days" doc:"Days of the forecast; fewer than asked for if the provider has no more."`
	Timezone  string        `json:"timezone,omitempty" doc:"IANA time zone of the place, which dates and times are in."`
	Provider  string        `json:"provider" doc:"Service that answered." enum:"openmeteo,openweathermap,weatherapi"`
	FetchedAt string        `json:"fetchedAt"`
}

type forecastDay struct {
	Date         string   `json:"date"`
	High         string   `json:"high,omitempty"`
	Low          string   `json:"low,omitempty"`
	Avg          string   `json:"avg,omitempty"`
	Condition    string   `json:"condition"`
	Humidity     string   `json:"humidity,omitempty"`
	ChanceOfRain string   `json:"chanceOfRain,omitempty"`
	Sunrise      string   `json:"sunrise,omitempty" doc:"HH:MM."`
	Sunset       string   `json:"sunset,omitempty" doc:"HH:MM."`
	MoonPhase    string   `json:"moonPhase,omitempty"`
	UVIndex      *float64 `json:"uvIndex,omitempty"`
	Icon         string   `json:"icon,omitempty"`
}

// Bounds of days.
const (
	mostDays  = 16
	usualDays = 5
)

var _ = tool.Add(Set, tool.Spec[forecastArgs, *forecastResult]{
	Name:        "get_weather_forecast",
	Description: "Forecast the weather of a place for up to 16 days, one entry a day from today.",
	Tags:        []string{"forecast", "tomorrow", "weekly", "prediction"},
	Errors:      []tool.Kind{tool.NotFound, tool.NotConfigured, tool.NetworkError, tool.ExecutionError},
	Example:     `{"location":"Istanbul","days":2}`,
	Risk:        tool.Medium,
	Mutates:     false,
	OpenWorld:   true,
	Scopes:      tool.Scopes{Hosts: []string{"*"}}, // base_url may name any host
	Needs:       tool.NeedHTTP | tool.NeedSecrets,
	Timeout:     longest,
	Check:       func(_ context.Context, _ *tool.Call, args forecastArgs) error { return needPlace(args.Location) },
	Run:         getForecast,
})

func getForecast(ctx context.Context, call *tool.Call, args forecastArgs) (*forecastResult, error) {
	days := usualDays
	if args.Days != nil && *args.Days >= 1 {
		days = int(min(*args.Days, mostDays))
	}
	got, provider, err := ask(ctx, call, query{place: args.Location, days: days})
	if err != nil {
		return nil, err
	}
	if len(got.days) < days {
		call.Note("%s forecasts %d day(s) only, %d were asked for.", provider, len(got.days), days)
	}
	got.days = got.days[:min(days, len(got.days))]
	u := units{args.Units == "imperial"}
	res := &forecastResult{
		Success: true, Location: got.place, Forecast: make([]forecastDay, len(got.days)), Days: len(got.days),
		Timezone: got.zone, Provider: provider, FetchedAt: call.Clock.Now().UTC().Format(time.RFC3339),
	}
	for i, d := range got.days {
		shownDay := forecastDay{
			Date: d.date, High: u.temperature(d.high), Low: u.temperature(d.low), Avg: u.temperature(d.avg),
			Humidity: percent(d.humidity), ChanceOfRain: percent(d.rain), Sunrise: d.sunrise, Sunset: d.sunset, MoonPhase: d.moonPhase,
			UVIndex: index(d.uv),
		}
		shownDay.Condition, shownDay.Icon = shown(d.sky, nil)
		res.Forecast[i] = shownDay
	}
	return res, nil
}
