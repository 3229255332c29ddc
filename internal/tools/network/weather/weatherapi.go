package weather

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// wapiDays is the most days that WeatherAPI forecasts.
const wapiDays = 14

// wapiSkies maps the condition codes of WeatherAPI
// (https://www.weatherapi.com/docs/weather_conditions.json) to WMO codes.
var wapiSkies = []span{
	{1000, 1000, 0}, {1003, 1003, 2}, {1006, 1009, 3}, {1030, 1030, 45}, {1063, 1063, 80}, {1066, 1066, 85}, {1069, 1069, 66},
	{1072, 1072, 56}, {1087, 1087, 95},
	{1114, 1117, 75}, {1135, 1135, 45}, {1147, 1147, 48}, {1150, 1153, 51}, {1168, 1168, 56}, {1171, 1171, 57},
	{1180, 1183, 61}, {1186, 1189, 63}, {1192, 1195, 65}, {1198, 1198, 66}, {1201, 1201, 67}, {1204, 1204, 66}, {1207, 1207, 67},
	{1210, 1213, 71}, {1216, 1219, 73}, {1222, 1225, 75}, {1237, 1237, 77}, {1240, 1240, 80}, {1243, 1243, 81}, {1246, 1246, 82},
	{1249, 1249, 66}, {1252, 1252, 67}, {1255, 1255, 85}, {1258, 1258, 86}, {1261, 1261, 85}, {1264, 1264, 86}, {1273, 1282, 95},
}

type wapiCondition struct {
	Code int `json:"code"`
}

func (c wapiCondition) sky() *int { return mapped(wapiSkies, c.Code) }

// wapiAnswer is the answer of /v1/current.json and /v1/forecast.json
// (https://www.weatherapi.com/docs/).
type wapiAnswer struct {
	Location struct {
		Name    string `json:"name"`
		Country string `json:"country"`
		Zone    string `json:"tz_id"`
	} `json:"location"`
	Current struct {
		Temperature *float64      `json:"temp_c"`
		FeelsLike   *float64      `json:"feelslike_c"`
		Humidity    *float64      `json:"humidity"`
		Wind        *float64      `json:"wind_kph"`
		From        *float64      `json:"wind_degree"`
		Visibility  *float64      `json:"vis_km"`
		Cloud       *float64      `json:"cloud"`
		Pressure    *float64      `json:"pressure_mb"`
		UV          *float64      `json:"uv"`
		IsDay       *float64      `json:"is_day"`
		Condition   wapiCondition `json:"condition"`
	} `json:"current"`
	Forecast struct {
		Days []struct {
			Date string `json:"date"`
			Day  struct {
				High      *float64      `json:"maxtemp_c"`
				Low       *float64      `json:"mintemp_c"`
				Avg       *float64      `json:"avgtemp_c"`
				Humidity  *float64      `json:"avghumidity"`
				Rain      *float64      `json:"daily_chance_of_rain"`
				UV        *float64      `json:"uv"`
				Condition wapiCondition `json:"condition"`
			} `json:"day"`
			Astro struct {
				Sunrise   string `json:"sunrise"`
				Sunset    string `json:"sunset"`
				MoonPhase string `json:"moon_phase"`
			} `json:"astro"`
		} `json:"forecastday"`
	} `json:"forecast"`
}

func askWeatherAPI(ctx context.Context, call *tool.Call, q query) (*report, error) {
	c, err := outward.Find(ctx, call, weatherAPI)
	if c == nil || err != nil {
		return nil, err
	}
	path, query := "v1/current.json", url.Values{"q": {strings.TrimSpace(q.place)}}
	if q.days > 0 {
		path = "v1/forecast.json"
		query.Set("days", strconv.Itoa(min(q.days, wapiDays)))
	}
	var answer wapiAnswer
	err = c.JSON(ctx, outward.Request{Path: path, Query: query}, &answer)
	switch {
	case outward.Status(err) == http.StatusBadRequest && strings.Contains(tool.AsError(err).Msg, "No matching location"):
		return nil, noPlace(q.place) // its error 1006
	case err != nil:
		return nil, err
	case answer.Location.Name == "" || q.days == 0 && answer.Current.Temperature == nil || q.days > 0 && len(answer.Forecast.Days) == 0:
		return nil, c.Senseless("it has no weather")
	}
	return answer.report(), nil
}

func (a *wapiAnswer) report() *report {
	now := a.Current
	r := &report{place: label(a.Location.Name, a.Location.Country), zone: zoneName(a.Location.Zone), now: conditions{
		temperature: now.Temperature, feelsLike: now.FeelsLike, humidity: now.Humidity, cloud: now.Cloud, wind: now.Wind, from: now.From,
		visibility: now.Visibility, pressure: now.Pressure, uv: now.UV, sky: now.Condition.sky(),
	}}
	if now.IsDay != nil {
		r.now.day = new(*now.IsDay != 0)
	}
	for _, d := range a.Forecast.Days[:min(len(a.Forecast.Days), mostDays)] {
		r.days = append(r.days, day{
			date: textcut.First(d.Date, len(time.DateOnly)), high: d.Day.High, low: d.Day.Low, avg: d.Day.Avg, humidity: d.Day.Humidity,
			rain: d.Day.Rain, uv: d.Day.UV, sky: d.Day.Condition.sky(), sunrise: clock24(d.Astro.Sunrise), sunset: clock24(d.Astro.Sunset),
			moonPhase: textcut.First(d.Astro.MoonPhase, 30),
		})
	}
	return r
}

// clock24 returns a time such as 05:43 AM as 05:43; "" if it is none, as where the sun does
// not rise.
func clock24(text string) string {
	at, err := time.Parse("03:04 PM", text)
	if err != nil {
		return ""
	}
	return at.Format("15:04")
}
